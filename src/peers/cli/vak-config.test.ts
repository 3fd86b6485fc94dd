import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { json, jsonLines, oneLine, prepareVak, sampleJwt } from '../../../tests/support/vak-program.ts';
import { createFileLock } from '../../engine/identity/file-lock.ts';
import { createNkeySeed } from '../../engine/identity/nkey.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';
import { toText } from '../../shared/base/bytes.ts';

const clock = createSystemClock();
const randomness = createSystemRandomness();
const ports = { clock, randomness };
const program = prepareVak({ isSelfShared: true });
const { vak, newSelf, secretFile } = program;

test('vak: settings are set, shown and deleted by key', async () => {
  const set = await vak(['config', 'set', 'look.theme', 'dark', '--json']);
  expect(set).toEqual({
    code: 0,
    stdout: '{"key":"look.theme","value":"dark","isSet":true}\n',
    stderr: 'look.theme = dark\n',
  });
  expect(await vak(['config', 'set', 'policy.acceptPlain', 'true', '--quiet'])).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
  expect((await vak(['config', 'set', 'idleLockMinutes', '5'])).code).toBe(0);
  expect(await vak(['config', 'get', 'idleLockMinutes'])).toEqual({ code: 0, stdout: '5\n', stderr: '' });
  const all = jsonLines<{ key: string }>((await vak(['config', 'get', '--json'])).stdout);
  expect(all).toContainEqual({ key: 'policy.acceptPlain', value: true, isSet: true });
  expect(all).toContainEqual({ key: 'natsUrl', value: null, isSet: false });
  expect(await vak(['config', 'delete', 'look.theme', '--json'])).toMatchObject({
    stdout: '{"key":"look.theme","wasSet":true}\n',
  });
  expect((await vak(['config', 'delete', 'look.theme'])).code).toBe(0);
  expect((await vak(['config', 'get', 'look.theme'])).stdout).toBe('system\n');
}, 60_000);

test('vak: what in the settings is not used is said, and a secret in them stops all that would use them', async () => {
  await newSelf();
  const { settings } = profileFiles(program.profile);
  writeFileSync(settings, '{"look": {"theme": "pink-unicorn"}, "future": 1}');
  expect(await vak(['config', 'get', 'look.theme'])).toEqual({
    code: 1,
    stdout: 'system\n',
    stderr: oneLine(/settings: look\.theme: found string of 12 characters, allowed: system, dark, light/),
  });
  expect((await vak(['id', 'show'])).code).toBe(0);
  writeFileSync(settings, JSON.stringify({ deep: { VAK_BUS_NATS_CREDENTIALS_JWT: sampleJwt } }));
  const refused = await vak(['id', 'show', '--quiet']);
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: oneLine(/settings: deep\.VAK_BUS_NATS_CREDENTIALS_JWT: /),
  });
  expect((await vak(['config', 'set', 'look.theme', 'dark'])).code).toBe(2);
  expect((await vak(['config', 'delete', 'deep.VAK_BUS_NATS_CREDENTIALS_JWT'])).code).toBe(0);
  expect((await vak(['id', 'show'])).code).toBe(0);
  writeFileSync(settings, '{{');
  const damaged = await vak(['config', 'get', 'look.theme']);
  expect(damaged).toMatchObject({
    code: 0,
    stdout: 'system\n',
    stderr: oneLine(/settings: .*set aside as settings\.json\.damaged-/),
  });
  expect(program.printed()).not.toContain('unicorn');
}, 60_000);

test('I3 vak: bus settings show where a secret comes from, never the secret', async () => {
  await newSelf();
  const seed = toText(createNkeySeed(randomness).reveal());
  const seedName = 'VAK_BUS_NATS_NKEY_SEED';
  const put = await vak(['config', 'bus', 'set', seedName, '--json'], { stdin: `${seed}\n` });
  expect(json(put.stdout)).toEqual({ key: seedName, set: true, source: 'key-store' });
  const team = await vak([
    'config',
    'bus',
    'set',
    'VAK_WORKSPACE_SECRET',
    '--file',
    secretFile('team', 'canary: team secret'),
    '--json',
  ]);
  expect(json(team.stdout)).toEqual({ key: 'VAK_WORKSPACE_SECRET', set: true, source: 'key-store', id: 's2' });
  expect((await vak(['config', 'bus', 'set', 'natsUrl', 'tls://nats.example'])).code).toBe(0);
  const environment = { VAK_BUS_NATS_CREDENTIALS_JWT: sampleJwt };
  const shown = await vak(['config', 'bus', 'get', '--json'], { environment });
  expect(jsonLines(shown.stdout)).toEqual([
    { key: 'natsUrl', value: 'tls://nats.example', isSet: true },
    { key: 'workspaceSecretEnv', value: 'VAK_WORKSPACE_SECRET', isSet: false },
    { key: 'VAK_BUS_NATS_CREDENTIALS_JWT', set: true, source: 'environment' },
    { key: seedName, set: true, source: 'key-store' },
    { key: 'VAK_WORKSPACE_SECRET', set: true, source: 'key-store' },
  ]);
  const fromEnvironment = await vak(['config', 'bus', 'get', 'VAK_WORKSPACE_SECRET', '--json'], {
    environment: { VAK_WORKSPACE_SECRET: 'canary: team secret' },
  });
  expect(json(fromEnvironment.stdout)).toEqual({
    ...{ key: 'VAK_WORKSPACE_SECRET', set: true, source: 'environment', id: 'env' },
  });
  const locked = await vak(['config', 'bus', 'get', seedName, '--json'], {
    environment: { VAK_PASSPHRASE_FILE: undefined },
  });
  expect(json(locked.stdout)).toEqual({ key: seedName, set: null, source: null });
  expect((await vak(['config', 'bus', 'delete', seedName, '--json'])).stdout).toBe(
    `{"key":"${seedName}","wasSet":true}\n`,
  );
  expect((await vak(['config', 'bus', 'get', seedName])).stdout).toBe('not set\n');
  expect((await vak(['config', 'bus', 'delete', 'natsUrl'])).code).toBe(0);
  expect((await vak(['config', 'bus', 'delete', 'VAK_WORKSPACE_SECRET'])).code).toBe(2);
  expect(await vak(['config', 'bus', 'set', seedName], { stdin: 'no seed' })).toMatchObject({
    code: 2,
    stderr: oneLine(/VAK_BUS_NATS_NKEY_SEED: /),
  });
  expect(await vak(['config', 'bus', 'set', seedName], { stdin: '' })).toMatchObject({
    code: 2,
    stderr: oneLine(/.*it is empty/),
  });
  expect((await vak(['config', 'bus', 'set', seedName], { stdin: 'x'.repeat(70_000) })).code).toBe(2);
}, 90_000);

test('vak: a secret set without a key store says how to make one', async () => {
  const { code, stderr } = await vak(['config', 'bus', 'set', 'VAK_BUS_NATS_NKEY_SEED'], { stdin: 'x' });
  expect([code, stderr]).toEqual([1, oneLine(/there is no key store in this profile; make one with vak id new/)]);
});

test('vak: commands that ask no bus run whatever the context is', async () => {
  await newSelf();
  await vak(['config', 'set', 'contexts.prod.url', 'tls://nats.example']);
  expect((await vak(['id', 'show', '--context', 'prod'])).code).toBe(0);
}, 30_000);

test('vak: a profile that another process holds is exit 3', async () => {
  const { settings } = profileFiles(program.profile);
  const lock = createFileLock({ ...ports, path: `${settings}.lock`, waitMs: 1000 });
  const held = await lock.run(() => vak(['config', 'set', 'look.theme', 'dark']));
  expect(held).toEqual({ code: 3, stdout: '', stderr: oneLine(/.*is held by another process/) });
}, 30_000);

test('vak: eight at once lose no setting of each other', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `c${index}`);
  const ran = await Promise.all(names.map((name) => vak(['config', 'set', `contexts.${name}.kind`, 'managed'])));
  expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { contexts } = json<{ contexts: object }>(readFileSync(profileFiles(program.profile).settings, 'utf8'));
  expect(Object.keys(contexts).sort()).toEqual(names);
}, 60_000);
