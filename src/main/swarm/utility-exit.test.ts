import { expect, test } from 'vitest';
import { readExitCode } from './utility-exit.ts';

test('utility exit: exit codes of our peers stay codes', () => {
  for (const code of [0, 1, 2, 3, 4]) expect(readExitCode(code)).toEqual({ exitCode: code, signal: null });
});

test('utility exit: a death by signal is told by its name', () => {
  expect(readExitCode(9)).toEqual({ exitCode: null, signal: 'SIGKILL' });
  expect(readExitCode(11)).toEqual({ exitCode: null, signal: 'SIGSEGV' });
  expect(readExitCode(6)).toEqual({ exitCode: null, signal: 'SIGABRT' });
});
