import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMainFrame, readWorkerFrame } from './worker-frames.ts';

const configure = { kind: 'configure', workspace: 'default', peer: 'worker-1', session: 'worker-1-abc-e' };

test('worker frames: each kind is read on its own side only', () => {
  expect(readMainFrame(configure)).toEqual(configure);
  for (const frame of [{ kind: 'drain' }, { kind: 'exit' }]) expect(readMainFrame(frame)).toEqual(frame);
  const own = [
    { kind: 'ready', pid: 77 },
    { kind: 'group-started', pgid: 77 },
    { kind: 'group-ended', pgid: 77 },
    { kind: 'refused', reason: 'x' },
    { kind: 'drained', reason: 'x' },
  ];
  for (const frame of own) {
    expect(readWorkerFrame(frame)).toEqual(frame);
    expect(readMainFrame(frame)).toBe('foreign');
  }
  expect(readWorkerFrame(configure)).toBe('foreign');
  expect(readWorkerFrame({ kind: 'publish', subject: 'a' })).toBe('foreign');
});

test('worker frames: a group below 2, of a wrong type or beyond any pid is malformed: it would be killed', () => {
  for (const pgid of [0, 1, -1, 1.5, Number.NaN, '77', null, undefined, 2 ** 31]) {
    expect(readWorkerFrame({ kind: 'group-started', pgid })).toBe('malformed');
  }
});

test('worker frames: missing, wrong and extra fields are malformed', () => {
  expect(readMainFrame({ ...configure, peer: 'a b' })).toBe('malformed');
  expect(readMainFrame({ ...configure, extra: 1 })).toBe('malformed');
  expect(readMainFrame({ kind: 'configure' })).toBe('malformed');
  expect(readMainFrame({ kind: 7 })).toBe('malformed');
});

test('worker frames: no value makes reading throw', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(['foreign', 'malformed']).toContain(readWorkerFrame(value));
      expect(['foreign', 'malformed']).toContain(readMainFrame(value));
    }),
  );
});
