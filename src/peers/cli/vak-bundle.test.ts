import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { failedResult, openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
let builder: ProfilePeer | undefined;
afterEach(async () => await builder?.close());

const secret = 'hunter2hunter2';
const key = signerOf(1).nkey;
const patience = { timeout: 20_000, interval: 50 };
const file = (name: string): string => join(program.folder, name);

/** A task with a secret in it that fails for good. */
async function failOne(): Promise<void> {
  await newSelf('--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'q');
  await bus.provision();
  const worker = await openProfilePeer(program.profile, 'builder', bus.server.url);
  builder = worker;
  await worker.work('q', async () => ({ ...failedResult, reason: `login failed: password=${secret}` }));
  const submit = ['task', 'submit', '--queue', 'q', '--json-task', '-', ...bus.url()];
  const task = JSON.stringify({ command: ['login', '--auth', `password=${secret}`] });
  expect((await vak(submit, { stdin: task })).code).toBe(0);
  const stream = worker.fabric.durable.stream('VAK_DLQ_default');
  await expect.poll(async () => (await stream.state()).lastSeq, patience).toBe(1);
}

/** Changes one byte of a file. */
function flip(from: string, to: string): void {
  const bytes = readFileSync(from);
  const at = bytes.indexOf('"reasonText"') + 20;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(to, bytes);
}

test('D11 vak: a bundle is exported without its secrets, verified, opened elsewhere, and a change in it is named', async () => {
  const { rootPublic } = await newSelf();
  await failOne();
  const out = file('one.vakbundle');
  const exported = await vak([
    'dlq',
    'export',
    '1',
    '--out',
    out,
    '--reason',
    'for the vendor',
    '--json',
    ...bus.url(),
  ]);
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('1 letter in')]);
  expect(json(exported.stdout)).toMatchObject({
    path: out,
    letterCount: 1,
    redacted: { named: expect.any(Number) },
    leftOut: [],
  });
  expect(readFileSync(out).includes(secret)).toBe(false);
  expect(await vak(['dlq', 'export', '1', '--out', out, ...bus.url()])).toMatchObject({
    ...{ code: 1, stdout: '', stderr: expect.stringContaining('is there already; give another name') },
  });
  const verified = await vak(['bundle', 'verify', out, '--json']);
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  const lines = jsonLines<Record<string, unknown>>(verified.stdout);
  expect(lines.at(-1)).toMatchObject({ ok: true, bad: 0, signature: 'valid', ws: 'default', unknownSigner: 0 });
  expect(lines.filter(({ envelope }) => envelope !== undefined).length).toBeGreaterThanOrEqual(4);
  // Where nothing may be put on record none is made.
  expect((await vak(['context', 'add', 'look', '--url', bus.server.url, '--read-only'])).code).toBe(0);
  const refused = await vak(['dlq', 'export', '1', '--out', file('two'), '--context', 'look']);
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(/.*the context "look" is read-only; use another one/),
  });
  expect(() => readFileSync(file('two'))).toThrow();
  const nowhere = await vak(['dlq', 'export', '1', '--out', file('none/two'), ...bus.url()]);
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringContaining('a part of the path is not there: check the path'),
  ]);
  program.switchProfile('elsewhere');
  mkdirSync(program.profile);
  const unknown = await vak(['bundle', 'verify', out]);
  expect([unknown.code, unknown.stdout]).toEqual([
    1,
    expect.stringContaining('signature sound, signer unknown here: give --root'),
  ]);
  const opened = await vak(['bundle', 'open', out, '--root', rootPublic]);
  expect([opened.code, opened.stderr]).toEqual([0, expect.stringMatching(/^ok {2}workspace default/)]);
  expect(opened.stdout).toContain('login failed: password=[redacted: named]');
  writeFileSync(file('words'), 'no bundle\n');
  const words = await vak(['bundle', 'open', file('words'), '--root', rootPublic]);
  expect([words.code, words.stderr]).toEqual([
    1,
    expect.stringMatching(/^vak: line 1: [^↵]+\nnot ok {2}no manifest[^↵]+\n[^↵]+$/),
  ]);
  flip(out, file('changed'));
  const changed = await vak(['bundle', 'open', file('changed'), '--root', rootPublic, '--json']);
  expect([changed.code, changed.stderr]).toEqual([
    1,
    expect.stringContaining('vak: line 3: It is not the line that was signed.'),
  ]);
  expect(jsonLines<{ kind: string; ok: boolean }>(changed.stdout)[2]).toMatchObject({
    line: 3,
    kind: 'letter',
    ok: false,
  });
}, 120_000);

test('D11 vak: a name that is taken is refused before anything is read or put on record', async () => {
  const nowhere = ['--nats-url', 'nats://127.0.0.1:9'];
  expect(await vak(['dlq', 'export', '1', '--out', process.execPath, ...nowhere])).toEqual({
    ...{ code: 1, stdout: '', stderr: oneLine(/.* is there already; give another name/) },
  });
});

test.each([
  [['dlq', 'export', '1'], /--out: missing; give the name of a new file/],
  [['bundle', 'verify', '/nowhere/x', '--root', key], /FILE: cannot read \/nowhere\/x: there is no such file/],
  [['bundle', 'verify', '/dev/null', '--root', key], /FILE: cannot read \/dev\/null: it is no ordinary file/],
  [['bundle', 'open', 'x', '--root', 'UX'], /--root: found 2 characters, allowed: a public nkey/],
])('D11 vak: %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(args)).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
