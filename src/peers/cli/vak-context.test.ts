import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { startManagedServer } from '../../engine/connections/managed-server.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf, secretFile } = program;
const password = 'canary-password-of-ada';
const bus = prepareServer({ users: [{ user: 'ada', password }] });

interface Row {
  readonly name: string;
  readonly isCurrent: boolean;
}

const rows = async (): Promise<Row[]> => jsonLines<Row>((await vak(['context', 'ls', '--json'])).stdout);
const addWithPassword = (name: string, ...more: string[]) =>
  vak([
    ...['context', 'add', name, '--url', bus.server.url, '--user', 'ada'],
    ...['--password-file', secretFile('password', `${password}\n`), ...more],
  ]);

test('vak: a context is added with its credentials, used, tested and taken away', async () => {
  await newSelf();
  const added = await addWithPassword('prod', '--colour', 'red', '--json');
  expect(json(added.stdout)).toEqual({
    ...{ name: 'prod', kind: 'remote', url: bus.server.url, colour: 'red', readOnly: false, isCurrent: false },
  });
  expect(await rows()).toMatchObject([
    { name: 'embedded', isCurrent: true },
    { name: 'prod', isCurrent: false },
  ]);
  const report = json<object>((await vak(['context', 'test', 'prod', '--json'])).stdout);
  expect(report).toMatchObject({
    ...{ connection: 'context prod', kind: 'nats', rttMs: expect.any(Number), durable: { kind: 'on' } },
    server: { version: expect.stringMatching(/^2\.\d+\.\d+/) },
    missing: expect.any(Array),
  });
  expect((await vak(['context', 'use', 'prod'])).code).toBe(0);
  expect(await rows()).toMatchObject([{ isCurrent: false }, { name: 'prod', isCurrent: true }]);
  expect((await vak(['stream', 'ls'])).code).toBe(0);
  // Its own credentials are for its own server, not for another address.
  expect((await vak(['stream', 'ls', '--nats-url', bus.server.url])).code).toBe(1);
  expect((await vak(['context', 'rm', 'prod', '--json'])).stdout).toBe('{"name":"prod"}\n');
  expect(await rows()).toMatchObject([{ name: 'embedded', isCurrent: true }]);
  await vak(['config', 'set', 'contexts.prod.url', bus.server.url]);
  expect((await vak(['context', 'test', 'prod'])).code).toBe(1);
  expect(program.printed()).not.toContain('canary');
}, 90_000);

test('vak: through a read-only context nothing is made or published', async () => {
  await newSelf();
  expect((await addWithPassword('look', '--read-only')).code).toBe(0);
  const at = ['--context', 'look'];
  expect((await vak(['provision', '--dry-run', ...at])).code).toBe(0);
  const refusal = { code: 1, stdout: '', stderr: oneLine(/.*the context "look" is read-only/) };
  expect(await vak(['provision', ...at])).toEqual(refusal);
  const data = ['--sealed', '--data', '{"state":"started"}', ...at];
  expect(await vak(['publish', 'vak.events.default.self.status', ...data])).toEqual(refusal);
  expect(await vak(['publish', 'vak.audit.default.operator.action', '--no-check', ...data, '--quiet'])).toEqual(
    refusal,
  );
  expect((await vak(['stream', 'ls', ...at])).code).toBe(0);
}, 90_000);

test('vak: contexts of the nats command line are taken over, those that cannot be are said', async () => {
  await newSelf();
  const folder = join(program.folder, 'home', '.config', 'nats', 'context');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
  write('local', { description: 'mine', url: bus.server.url, user: 'ada', password });
  write('hidden', { url: bus.server.url, creds: '/no/such.creds' });
  write('embedded', { url: bus.server.url });
  const { code, stdout } = await vak(['context', 'import-nats', '--json']);
  expect(code).toBe(1);
  expect(jsonLines(stdout)).toEqual([
    { name: 'local', outcome: 'added', url: bus.server.url, notes: [] },
    { name: 'embedded', outcome: 'skipped', why: expect.stringMatching(/its name cannot be a name of ours/) },
    { name: 'hidden', outcome: 'skipped', why: expect.stringMatching(/creds: /) },
  ]);
  expect((await vak(['context', 'test', 'local'])).code).toBe(0);
  expect((await vak(['context', 'import-nats', folder])).stdout).toMatch(
    /skipped {2}local: context local: there is one/,
  );
  expect(program.printed()).not.toContain('canary');
}, 90_000);

test('B8 vak: a server that cannot be reached is named, by context and address', async () => {
  expect((await vak(['context', 'add', 'gone', '--url', 'nats://127.0.0.1:1,nats://localhost:2'])).code).toBe(0);
  expect(await vak(['context', 'test', 'gone'])).toEqual({
    ...{ code: 3, stdout: '', stderr: oneLine(/connect: .*\(context gone, 127\.0\.0\.1:1, localhost:2\)/) },
  });
}, 30_000);

test('vak: a managed context whose server does not run is exit 3', async () => {
  expect((await vak(['context', 'add', 'here', '--managed'])).code).toBe(0);
  expect(await vak(['context', 'test', 'here'])).toEqual({
    code: 3,
    stdout: '',
    stderr: oneLine(
      /context here: its server is not running; the app runs it only while it uses this connection: vak context use here, with the app open/,
    ),
  });
  await vak(['context', 'use', 'here']);
  expect((await vak(['context', 'test'])).stderr).toMatch(/context here: its server is not running; start the app/);
  await vak(['config', 'bus', 'set', 'natsUrl', 'nats://127.0.0.1:1']);
  expect((await vak(['context', 'test', 'here'])).stderr).toMatch(
    /vak config bus delete natsUrl, vak context use here/,
  );
}, 30_000);

test('vak: a managed context takes no credentials from the line', async () => {
  await vak(['context', 'add', 'here', '--managed']);
  const ran = await vak(['stream', 'ls', '--context', 'here', '--creds', secretFile('x.creds', 'x')]);
  expect(ran).toEqual({ code: 2, stdout: '', stderr: oneLine(/context here: its server is managed and has its own/) });
}, 30_000);

test('vak: the managed server of the app is joined while it runs', async () => {
  await vak(['context', 'add', 'here', '--managed']);
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
  const places = (process.env['PATH'] ?? '').split(':').map((folder) => join(folder, 'nats-server'));
  const server = await startManagedServer({
    ...{ ...ports, folder: profileFiles(program.profile).managedServer },
    findOnPath: () => places.find((path) => existsSync(path)),
  });
  try {
    expect((await vak(['context', 'use', 'here'])).code).toBe(0);
    expect((await vak(['provision'])).code).toBe(0);
    expect((await vak(['stream', 'ls'])).stdout).toContain('VAK_WORK_default');
  } finally {
    await server.stop();
  }
}, 60_000);

test.each([
  [['add', 'x'], 2, /--url, --managed: give the address/],
  [['add', 'x', '--url', 'canary'], 2, /--url: found 6 characters, allowed: nats:/],
  [['add', 'x', '--url', 'nats://h', '--colour', 'pink'], 2, /--colour: found 4 characters, allowed: grey/],
  [['add', 'embedded', '--managed'], 2, /NAME: found 8 characters/],
  [['add', 'x', '--url', 'nats://h', '--user', 'ada'], 2, /.*--user with --password-file.*: give one of them/],
  [['use', 'x'], 2, /NAME: there is none of this name; see vak context ls/],
  [['rm', 'x'], 2, /NAME: there is none of this name/],
  [['rm', 'embedded'], 2, /NAME: embedded is always there/],
  [['test', 'x'], 2, /--context: there is none of this name/],
  [['test', 'x', '--context', 'y'], 2, /NAME, --context, --nats-url: give one/],
  [['import-nats', '/no/such'], 2, /FOLDER: there is no such folder/],
])('vak: context %j is exit %i and one line', async (args, code, text) => {
  expect(await vak(['context', ...args])).toEqual({ code, stdout: '', stderr: oneLine(text) });
});

test('vak: secrets of a context need a key store', async () => {
  const { code, stderr } = await addWithPassword('prod');
  expect([code, stderr]).toEqual([1, oneLine(/there is no key store in this profile; make one with vak id new/)]);
  expect((await rows()).map(({ name }) => name)).toEqual(['embedded']);
}, 30_000);
