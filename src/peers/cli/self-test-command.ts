/** `vak self-test`: whether this runtime's cryptography gives the right answers. */
import { type Command, exitCodes } from './command.ts';

export const selfTestCommand: Command = {
  words: ['self-test'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Checks every cryptographic primitive against known answers.',
  notes:
    'The same check runs before every other command: when it fails, nothing is opened.\nPrints {ok, failed: [names]}.',
  example: 'vak self-test --json',
  isSelfTest: true,
  run(_input, { output, selfTest }) {
    const result = selfTest();
    const failed = result.ok ? [] : result.failed;
    output.data({ ok: result.ok, failed }, result.ok ? 'ok' : `failed: ${failed.join(', ')}`);
    return Promise.resolve(result.ok ? exitCodes.done : exitCodes.no);
  },
};
