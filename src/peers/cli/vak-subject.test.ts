import { expect, test } from 'vitest';
import { json, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';

const { vak } = prepareVak();

test('S4 vak subject parse: the parts, by row; what fits no row is exit 2 with the part named', async () => {
  expect(await vak(['subject', 'parse', 'vak.work.acme.builds.task', '--json'])).toEqual({
    code: 0,
    stdout:
      '{"plane":"work","workspace":"acme","entity":"builds","kind":"queue","verb":"task","type":"vak.work.task"}\n',
    stderr: '',
  });
  const shown = await vak(['subject', 'parse', 'vak.audit.acme.ada.void']);
  expect(shown.stdout).toMatch(
    /^plane +audit\nworkspace +acme\nentity +ada\nkind +peer\nverb +void\ntype +vak\.audit\.void\n$/,
  );
  for (const [subject, text] of [
    ['vak.work.acme.builds.nothing', /verb: /],
    ['vak.nothing.acme.builds.task', /plane: /],
    ['nats.work.acme.builds.task', /root: /],
    ['vak.work.acme.*.task', /queue: /],
    ['', /root: /],
  ] as const) {
    expect(await vak(['subject', 'parse', subject])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
  }
}, 60_000);

test.each([
  ['vak.events.acme.*.status', 'vak.events.acme.s-1.status', 0, 'matches'],
  ['vak.events.acme.*.status', 'vak.events.acme.s-1.tokens', 1, 'does not match'],
  ['vak.>', 'vak', 1, 'does not match'],
  ['>', 'foreign.subject', 0, 'matches'],
] as const)('S2 vak subject match %s %s is exit %d', async (pattern, subject, code, text) => {
  expect(await vak(['subject', 'match', pattern, subject])).toEqual({ code, stdout: `${text}\n`, stderr: '' });
  const { stdout } = await vak(['subject', 'match', pattern, subject, '--json']);
  expect(json(stdout)).toEqual({ matches: code === 0 });
});

test.each([
  ['vak.work.>', 'vak.*.acme.builds.task', 0, { overlaps: true, firstCoversSecond: false, secondCoversFirst: false }],
  ['vak.>', 'vak.work.>', 0, { overlaps: true, firstCoversSecond: true, secondCoversFirst: false }],
  ['vak.work.*', 'vak.work.*', 0, { overlaps: true, firstCoversSecond: true, secondCoversFirst: true }],
  ['vak.work.>', 'vak.dlq.>', 1, { overlaps: false, firstCoversSecond: false, secondCoversFirst: false }],
] as const)('S3 vak subject overlap %s %s is exit %d', async (first, second, code, value) => {
  const ran = await vak(['subject', 'overlap', first, second, '--json']);
  expect([ran.code, json(ran.stdout), ran.stderr]).toEqual([code, value, '']);
});

test.each([
  [['subject', 'match', 'a..b', 'a'], /PATTERN: pattern: /],
  [['subject', 'match', 'a.>.b', 'a'], /PATTERN: pattern: /],
  [['subject', 'match', 'a.*', 'a.*'], /SUBJECT: holds a wildcard/],
  [['subject', 'match', 'a.*', 'a b'], /SUBJECT: pattern: /],
  [['subject', 'overlap', 'a', 'x'.repeat(513)], /P2: pattern: /],
  [['subject', 'overlap', 'a'], /vak subject overlap: P2 is missing/],
] as const)('S2 vak %j is exit 2 and says which argument is wrong', async (args, text) => {
  expect(await vak([...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});

const ask = (role: string, action: string, subject: string, ...more: string[]) =>
  vak(['acl', 'explain', '--role', role, '--action', action, '--subject', subject, ...more]);

test('A29 vak acl explain answers for the server’s own subjects, of a peer that is named', async () => {
  const ask = (...more: string[]) =>
    vak(['acl', 'explain', '--role', 'worker', '--queue', 'builds', '--action', 'publish', '--subject', ...more]);
  const purge = '$JS.API.STREAM.PURGE.VAK_WORK_default';
  expect(await ask(purge, '--peer', 'w1')).toMatchObject({
    ...{ code: 1, stdout: 'denied  A1 default deny (purge stream.VAK_WORK_default)\n' },
  });
  expect((await ask('$KV.VAK_CARDS_default.w1', '--peer', 'w1')).stdout).toBe('allowed  every role: write own card\n');
  expect(await ask(purge)).toMatchObject({ code: 2, stderr: expect.stringContaining('--peer: missing') });
  expect((await ask('$JS..x', '--peer', 'w1')).code).toBe(2);
});

test('A5 vak acl explain: the answer, the rule that decided, exit 1 if denied', async () => {
  const own = ['--peer', 'w1', '--session', 's-1', '--queue', 'builds', '--workspace', 'acme'];
  expect(await ask('worker', 'publish', 'vak.events.acme.s-1.status', ...own, '--json')).toEqual({
    code: 0,
    stdout: '{"allowed":true,"rule":"worker: publish own events"}\n',
    stderr: '',
  });
  expect(await ask('worker', 'publish', 'vak.work.acme.builds.task', ...own, '--json')).toEqual({
    code: 1,
    stdout: '{"allowed":false,"rule":"worker: deny work.>"}\n',
    stderr: '',
  });
  expect(await ask('worker', 'subscribe', 'vak.approvals.>', ...own)).toEqual({
    code: 1,
    stdout: 'denied  A1 deny other workspaces\n',
    stderr: '',
  });
  expect(await ask('worker', 'publish', 'vak.events.default.s-1.status')).toMatchObject({
    code: 1,
    stdout: 'denied  A1 default deny (worker: publish own events needs --session)\n',
  });
  expect(await ask('operator', 'subscribe', 'vak.*.default.>')).toMatchObject({
    code: 0,
    stdout: 'allowed  operator: subscribe everything in its workspace\n',
  });
}, 60_000);

test.each([
  [['acl', 'explain'], /--role: missing/],
  [['acl', 'explain', '--role', 'king'], /--role: found 4 characters, allowed: worker, bot/],
  [['acl', 'explain', '--role', 'worker'], /--action: missing/],
  [
    ['acl', 'explain', '--role', 'worker', '--action', 'read'],
    /--action: found 4 characters, allowed: publish, subscribe/,
  ],
  [['acl', 'explain', '--role', 'worker', '--action', 'publish'], /--subject: missing/],
  [['acl', 'explain', '--role', 'worker', '--action', 'publish', '--subject', 'a.b'], /root: /],
  [['acl', 'explain', '--role', 'worker', '--action', 'subscribe', '--subject', 'a..b'], /pattern: /],
  [['acl', 'explain', '--role', 'worker', '--peer', '*', '--action', 'subscribe', '--subject', 'a'], /--peer: /],
] as const)('A5 vak %j is exit 2', async (args, text) => {
  expect(await vak([...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
