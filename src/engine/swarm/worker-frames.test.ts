import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cardWith, grantWith, root } from '../../../tests/support/identity-fixture.ts';
import { readMainFrame, readWorkerFrame, shownCommand } from './worker-frames.ts';

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(1);
const credentials = {
  ...{ signSeed: bytes(58), boxSecret: bytes(32), card: cardWith(), grant: grantWith(), rootPublic: root.nkey },
  secrets: [{ id: 's1', secret: bytes(32), state: 'active', openOnlyUntilMs: null }],
  ended: [{ id: 's0', state: 'revoked', openOnlyUntilMs: null }],
};
const head = { source: 'vak://default/worker-1/worker-1-abc-e', seq: 12, leaf: 'a'.repeat(64) };
const configure = {
  ...{ kind: 'configure', workspace: 'default', peer: 'worker-1', session: 'worker-1-abc-e', credentials },
  ...{ commanders: [grantWith()], queue: null, policy: { acceptPlain: false, acceptUnsigned: false } },
};
const work = {
  ...{ kind: 'work', lane: 1, destination: 'embedded' },
  ...{ outbox: '/p/outbox', directory: '/p/workspaces/default.json', serials: '/p/serials.json' },
};

test('worker frames: each kind is read on its own side only', () => {
  expect(readMainFrame(configure)).toEqual(configure);
  const resuming = { ...configure, commanders: [], resumes: head };
  expect(readMainFrame(resuming)).toEqual(resuming);
  const others = [{ kind: 'drain' }, { kind: 'exit' }, { kind: 'leave', lane: 1 }];
  for (const frame of [
    ...others,
    work,
    { kind: 'policy', policy: configure.policy },
    { kind: 'secrets', secrets: credentials.secrets, ended: credentials.ended },
  ]) {
    expect(readMainFrame(frame)).toEqual(frame);
    expect(readWorkerFrame(frame)).toBe('foreign');
  }
  const own = [
    { kind: 'ready', pid: 77 },
    { kind: 'group-started', pgid: 77 },
    { kind: 'group-ended', pgid: 77 },
    { kind: 'refused', reason: 'x' },
    { kind: 'task-started', taskId: 't1', command: ['true'], isWaiting: false },
    { kind: 'task-ended', taskId: 't1', outcome: 'failed' },
    { kind: 'task-ended', taskId: 't1', outcome: 'returned' },
    { kind: 'work-state', lane: 1, problem: 'it is away' },
    { kind: 'work-state', lane: 1, problem: null },
    { kind: 'left', lane: 1 },
    { kind: 'head', ...head },
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
  expect(readMainFrame({ ...configure, session: 'worker-1-abc' })).toBe('malformed');
  expect(readMainFrame({ ...configure, extra: 1 })).toBe('malformed');
  expect(readMainFrame({ kind: 'configure' })).toBe('malformed');
  const { credentials: _, ...bare } = configure;
  expect(readMainFrame(bare)).toBe('malformed');
  expect(readMainFrame({ kind: 7 })).toBe('malformed');
  expect(readMainFrame({ ...work, lane: 0 })).toBe('malformed');
  expect(readMainFrame({ ...work, outbox: '' })).toBe('malformed');
  expect(readWorkerFrame({ kind: 'left', lane: 'x' })).toBe('malformed');
});

test('worker frames: of a command of the queue as much is told as a frame holds', () => {
  const command = shownCommand(new Array(100).fill('x'.repeat(100_000)));
  const frame = { kind: 'task-started', taskId: 't1', command, isWaiting: false };
  expect(readWorkerFrame(frame)).toEqual(frame);
  expect([command.length, command[0]?.length]).toEqual([32, 1024]);
  expect(readWorkerFrame({ ...frame, command: ['x'.repeat(1025)] })).toBe('malformed');
});

test.each<readonly [string, object]>([
  ['a negative number', { seq: -1 }],
  ['a number that is none', { seq: 1.5 }],
  ['a leaf in upper case', { leaf: 'A'.repeat(64) }],
  ['a leaf that is too short', { leaf: 'a'.repeat(63) }],
  ['no source', { source: '' }],
  ['a source that is too long', { source: 'x'.repeat(257) }],
  ['more beside', { kinds: 'e' }],
])('E12 worker frames: a head with %s is malformed, both ways', (_, change) => {
  expect(readWorkerFrame({ kind: 'head', ...head, ...change })).toBe('malformed');
  expect(readMainFrame({ ...configure, resumes: { ...head, ...change } })).toBe('malformed');
});

test('I4 worker frames: nine commanders, or one without a signature, are malformed', () => {
  expect(readMainFrame({ ...configure, commanders: new Array(8).fill(grantWith()) })).toBeTypeOf('object');
  expect(readMainFrame({ ...configure, commanders: new Array(9).fill(grantWith()) })).toBe('malformed');
  expect(readMainFrame({ ...configure, commanders: [{ ...grantWith(), signature: undefined }] })).toBe('malformed');
  expect(readMainFrame({ ...configure, commanders: undefined })).toBe('malformed');
});

const [secret] = credentials.secrets;
test.each<readonly [string, object]>([
  ['no seed', { signSeed: undefined }],
  ['an empty seed', { signSeed: bytes(0) }],
  ['a seed that is too long', { signSeed: bytes(129) }],
  ['a seed as text', { signSeed: 'SUAM5GQ2' }],
  ['a box key that is too long', { boxSecret: bytes(33) }],
  ['a box key as a plain array', { boxSecret: Array.from(bytes(32)) }],
  ['a card without a signature', { card: { ...cardWith(), signature: undefined } }],
  ['a card with more in it', { card: { ...cardWith(), extra: 1 } }],
  ['a grant of an unknown role', { grant: { ...grantWith(), roles: ['king'] } }],
  ['no grant', { grant: null }],
  ['a root that is no text', { rootPublic: bytes(32) }],
  ['a secret without an id', { secrets: [{ ...secret, id: '' }] }],
  ['a revoked secret', { secrets: [{ ...secret, state: 'revoked' }] }],
  ['a secret that is too long', { secrets: [{ ...secret, secret: bytes(1025) }] }],
  ['65 secrets', { secrets: new Array(65).fill(secret) }],
  ['no word on what has ended', { ended: undefined }],
  ['the bytes of what has ended', { ended: [{ ...secret, state: 'revoked' }] }],
  ['a time that is no whole number', { secrets: [{ ...secret, state: 'open-only', openOnlyUntilMs: 1.5 }] }],
  ['more beside', { rootSeed: bytes(58) }],
])('I3 worker frames: credentials with %s are malformed', (_, change) => {
  expect(readMainFrame({ ...configure, credentials: { ...credentials, ...change } })).toBe('malformed');
});

test('E7 worker frames: other secrets are a frame of their own, as strict as the first', () => {
  const { secrets, ended } = credentials;
  expect(readMainFrame({ kind: 'secrets', secrets, ended })).toEqual({ kind: 'secrets', secrets, ended });
  expect(readMainFrame({ kind: 'secrets', secrets })).toBe('malformed');
  expect(readMainFrame({ kind: 'secrets', secrets, ended, rootSeed: bytes(58) })).toBe('malformed');
});

test('worker frames: no value makes reading throw', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(['foreign', 'malformed']).toContain(readWorkerFrame(value));
      expect(['foreign', 'malformed']).toContain(readMainFrame(value));
    }),
  );
});
