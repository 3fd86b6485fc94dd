import { afterEach, expect, test } from 'vitest';
import { createSystemClock } from '../engine/ports/clock.ts';
import { createSilentLogger } from '../engine/ports/logger.ts';
import { createSystemRandomness } from '../engine/ports/randomness.ts';
import { type BotCommand, createBotCommand } from './bot-command.ts';
import type { CliHost } from './cli/command.ts';

const host = {
  ...{ clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() },
  environment: { PATH: process.env['PATH'], VAK_PASSPHRASE_FILE: '/canary', VAK_WORKSPACE_SECRET_FILE: '/canary' },
} as unknown as CliHost;

let command: BotCommand | undefined;
afterEach(() => command?.dispose());

function ask(exec: string, timeoutMs = 10_000) {
  command = createBotCommand({ exec, peer: 'echo', timeoutMs, cwd: '/' }, host);
  return command.ask({ text: 'hello\nthere', from: 'ada' });
}

test('R72 a command gets the question as one line of JSON, and what it prints is the answer', async () => {
  expect(await ask('cat; echo; wc -l </dev/null')).toEqual({
    ...{ kind: 'answer', text: '{"text":"hello\\nthere","from":"ada"}\n\n0' },
  });
});

test('R72 no output is no answer', async () => {
  expect(await ask('cat >/dev/null')).toEqual({ kind: 'silent' });
});

test('R72 an exit code other than 0 is no answer, whatever was printed; what it complains of is told', async () => {
  expect(await ask('echo half an answer; echo no model >&2; exit 7')).toMatchObject({
    ...{ kind: 'failed', exitCode: 7, stderr: 'no model' },
  });
});

test('I3 R72 nothing of the bot reaches its command', async () => {
  expect(await ask('env | grep -c -e VAK_PASS -e SECRET -e canary; true')).toEqual({ kind: 'answer', text: '0' });
});

test.each([
  ['head -c 70000 /dev/zero | tr "\\0" x', /70000 bytes, 65536 fit/],
  ['head -c 400000 /dev/zero | tr "\\0" x', /output limit/],
  ["printf '\\377\\376'", /not UTF-8/],
])('R72 %j is no answer', async (exec, reason) => {
  expect(await ask(exec)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) });
});

test('R72 a command that takes too long is ended', async () => {
  expect(await ask('sleep 60', 300)).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/timed out/) });
});
