import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { CliHost, Command } from './command.ts';
import { createOutput } from './output.ts';
import { runCommandLine } from './run-command-line.ts';

const waiting: Command = {
  words: ['wait'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Waits for what never comes.',
  example: 'vak wait',
  run: () => new Promise(() => {}),
};
const writing: Command = {
  ...waiting,
  words: ['write'],
  run: (_, { output }) => {
    output.print('data');
    return Promise.resolve(undefined);
  },
};

/** A host by what is used of it; its timers run when the test says so. */
function prepare(stdout: Writable) {
  const timers: (() => void)[] = [];
  const said: string[] = [];
  const interruption = new AbortController();
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  const setTimer = (_delayMs: number, run: () => void) => {
    timers.push(run);
    return toDisposable(() => {});
  };
  const host = {
    clock: { ...createSystemClock(), setTimer },
    environment: {},
    platform: 'linux',
    homeFolder: '/home',
    output: createOutput(stdout, stderr),
    signal: interruption.signal,
    selfTest: () => ({ ok: true, failed: [] }),
  } as unknown as CliHost;
  return { host, timers, said, interrupt: () => interruption.abort() };
}

test('vak: a signal ends a command that waits for what never comes, after a grace', async () => {
  const { host, timers, said, interrupt } = prepare(new Writable({ write: (_c, _e, done) => done() }));
  const running = runCommandLine(['wait'], [waiting], host);
  expect(timers).toEqual([]);
  interrupt();
  expect([timers.length, said]).toEqual([1, []]);
  timers[0]?.();
  expect(await running).toBe(4);
  expect(said).toEqual(['vak: interrupted\n']);
});

test('vak: a command that throws the reason of the signal is interrupted, and no fault of the program', async () => {
  const { host, said, interrupt } = prepare(new Writable({ write: (_c, _e, done) => done() }));
  const stopping: Command = {
    ...waiting,
    async run(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      return undefined;
    },
  };
  const running = runCommandLine(['wait'], [stopping], host);
  await new Promise(setImmediate);
  interrupt();
  expect([await running, said]).toEqual([4, ['vak: interrupted\n']]);
});

test('vak: a signal ends one whose reader takes nothing', async () => {
  const { host, timers, interrupt } = prepare(new Writable({ write: () => {} }));
  const running = runCommandLine(['write'], [writing], host);
  await new Promise(setImmediate);
  interrupt();
  timers[0]?.();
  expect(await running).toBe(4);
});

test.each([
  ['a full disk', new VakError('disk-full', 'x', { details: { systemCode: 'ENOSPC' } }), 1],
  ['another limit of the system', new VakError('limit-exceeded', 'x', { details: { systemCode: 'EMFILE' } }), 1],
  ['a limit of ours', new VakError('limit-exceeded', 'x'), 2],
])('vak: %s', async (_, error, code) => {
  const { host } = prepare(new Writable({ write: (_c, _e, done) => done() }));
  const failing: Command = { ...waiting, run: () => Promise.reject(error) };
  expect(await runCommandLine(['wait'], [failing], host)).toBe(code);
});
