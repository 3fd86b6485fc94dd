import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSecrets, type KnownSecret } from '../../../tests/support/secret-search.ts';
import {
  backupPassphrase,
  json,
  jsonLines,
  oneLine,
  passphrase,
  prepareVak,
  type RunOptions,
  type Self,
  sampleJwt,
} from '../../../tests/support/vak-program.ts';
import { createFileKeyStore } from '../../engine/identity/file-key-store.ts';
import { openLocalDirectory } from '../../engine/identity/local-directory.ts';
import { createNkeySeed, decodeNkeySeed } from '../../engine/identity/nkey.ts';
import { secretFromText } from '../../engine/identity/secret.ts';
import { openSerialFloor } from '../../engine/identity/serial-floor.ts';
import { createRecordChecks } from '../../engine/identity/signed-record.ts';
import { createSignerResolution } from '../../engine/identity/signer-resolution.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { createNoVault } from '../../engine/ports/vault.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';
import { toText } from '../../shared/base/bytes.ts';

const clock = createSystemClock();
const randomness = createSystemRandomness();
const ports = { clock, randomness };
const program = prepareVak();
const { vak, newSelf, secretFile } = program;

test('vak: id new makes program.profile, key store, workspace and operator; a second start asks for nothing', async () => {
  const self = await newSelf('--name', 'Ada');
  expect(self).toMatchObject({
    workspace: 'default',
    peer: 'operator',
    kind: 'human',
    name: 'Ada',
    holdsRoot: true,
    grants: [{ peer: 'operator', sign: self.sign, roles: ['operator', 'human', 'provisioner'], notAfter: 0 }],
    secrets: [{ id: 's1', state: 'active' }],
  });
  const before = readFileSync(profileFiles(program.profile).keyStore);
  const again = await vak(['id', 'new', '--name', 'Bob']);
  expect(again).toEqual({ code: 1, stdout: '', stderr: oneLine(/there is an identity operator already/) });
  expect(readFileSync(profileFiles(program.profile).keyStore).equals(before)).toBe(true);
  const shown = await vak(['id', 'show', '--json', '--quiet']);
  expect([shown.code, json(shown.stdout), shown.stderr]).toEqual([0, self, '']);
  expect((await vak(['id', 'show'])).stdout).toMatch(/^workspace +default\npeer +operator\nname +Ada\n/);
  expect(statSync(program.profile).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(program.profile, { recursive: true, encoding: 'utf8' })) {
    expect(statSync(join(program.profile, name)).mode & 0o077, name).toBe(0);
  }
}, 60_000);

test('I1 vak: id card prints the signed card, the same each time', async () => {
  const self = await newSelf();
  const first = await vak(['id', 'card']);
  const second = await vak(['id', 'card', '--json']);
  expect(first.stdout).toBe(second.stdout);
  expect(json(first.stdout)).toMatchObject({ v: 1, ws: 'default', peer: 'operator', sign: self.sign });
}, 60_000);

test('vak: a later identity is a peer of the workspace; the only person is meant unless one is named', async () => {
  await newSelf();
  const builder = await newSelf(
    ...['--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'builds'],
  );
  expect(builder.grants).toMatchObject([{ roles: ['worker'], queues: ['builds'] }]);
  const shown = await vak(['id', 'show', '--json']);
  expect(json(shown.stdout)).toMatchObject({ peer: 'operator' });
  await newSelf('--identity', 'second');
  expect(await vak(['id', 'show'])).toMatchObject({
    code: 2,
    stderr: oneLine(/--identity: .*operator, builder, second/),
  });
  expect(await vak(['id', 'show', '--identity', 'nobody'])).toMatchObject({ code: 1, stderr: oneLine(/identity: /) });
  expect((await vak(['id', 'show', '--identity', 'builder', '--json'])).code).toBe(0);
}, 60_000);

test('I4 vak: a grant counts, is listed and replaced; revoked, resolveSigner says wrong-role', async () => {
  const { rootPublic } = await newSelf();
  const { sign } = await newSelf('--identity', 'builder', '--kind', 'process');
  const right = ['--role', 'worker', '--queue', 'builds'];
  // The key of an identity of the same key store is known.
  expect(await vak(['grant', 'add', 'stranger', ...right])).toEqual({
    ...{ code: 2, stdout: '', stderr: oneLine(/--sign: missing, and this key store has no identity of that name/) },
  });
  const added = await vak(['grant', 'add', 'builder', ...right, '--until', '2099-01-31', '--json']);
  const [granted] = jsonLines<{ serial: number }>(added.stdout);
  expect(granted).toMatchObject({ peer: 'builder', sign, roles: ['worker'], notAfter: 4073500800, state: 'in-force' });

  const report = (error: Error): void => expect.fail(error.message);
  const files = profileFiles(program.profile);
  const directory = await openLocalDirectory({
    ...ports,
    path: files.directory('default'),
    workspace: 'default',
    report,
  });
  const floor = await openSerialFloor({ ...ports, path: files.serials, report });
  const resolution = createSignerResolution({
    ws: 'default',
    rootPublic,
    directory,
    floor,
    checks: createRecordChecks(),
  });
  const verdict = () =>
    resolution.resolveSigner({
      ...{ ws: 'default', peer: 'builder', signer: sign, roles: ['worker'], queue: 'builds', at: clock.now() },
    }).kind;
  await expect.poll(verdict).toBe('granted');

  const revoked = await vak(['grant', 'revoke', 'builder', '--json']);
  expect(revoked.code).toBe(0);
  expect(json<{ serial: number }>(revoked.stdout).serial).toBeGreaterThan(granted?.serial as number);
  await expect.poll(verdict, { timeout: 5000 }).toBe('wrong-role');
  directory.dispose();
  floor.dispose();
  const listed = await vak(['grant', 'ls', '--json']);
  expect(jsonLines(listed.stdout)).toMatchObject([
    { peer: 'builder', roles: [], state: 'revoked' },
    { peer: 'operator', state: 'in-force' },
  ]);
  expect(await vak(['grant', 'revoke', 'nobody'])).toMatchObject({ code: 1, stderr: oneLine(/nobody: has no grant/) });
}, 60_000);

test('I3 vak: backup and restore into a fresh profile give the same identity', async () => {
  const self = await newSelf();
  const card = (await vak(['id', 'card'])).stdout;
  const file = join(program.folder, 'a.backup');
  const saved = await vak(['id', 'backup', file, '--json']);
  expect(json(saved.stdout)).toEqual({ path: file, sizeBytes: statSync(file).size });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(self.backup).toEqual({ last: null, changed: [] });
  expect((await vak(['id', 'show'])).stdout).toMatch(/^backup +\d{4}-\d\d-\d\dT\S+Z$/m);
  const kept = program.secretFile('new-secret', 'canary: added after the backup');
  expect(await vak(['config', 'bus', 'set', 'VAK_WORKSPACE_SECRET', '--file', kept])).toMatchObject({ code: 0 });
  expect((await vak(['id', 'show'])).stdout).toMatch(/^backup .*Z\. Not in it yet.*: 1 workspace secret\./m);
  expect(await vak(['id', 'backup', file])).toMatchObject({ code: 1, stderr: oneLine(/.*a\.backup is there already/) });

  program.switchProfile('fresh');
  secretFile('pass', 'a passphrase of the new place');
  const wrong = await vak(['id', 'restore', file], {
    environment: { VAK_BACKUP_PASSPHRASE_FILE: join(program.folder, 'pass') },
  });
  expect([wrong.code, existsSync(profileFiles(program.profile).keyStore)]).toEqual([1, false]);
  const restored = await vak(['id', 'restore', file, '--json']);
  expect([restored.code, json(restored.stdout)]).toEqual([0, { path: file, identities: ['operator'] }]);
  expect((await vak(['id', 'card'])).stdout).toBe(card);
  const shown = json<Self>((await vak(['id', 'show', '--json'])).stdout);
  expect(shown.backup).toMatchObject({ last: { how: 'restored' }, changed: [] });
  const rest = { grants: [], workspaceGrants: [], backup: null };
  expect({ ...shown, ...rest }).toEqual({ ...self, ...rest });
  expect(shown.grants[0]?.roles).toEqual(self.grants[0]?.roles);

  writeFileSync(file, 'no backup');
  expect(await vak(['id', 'restore', file])).toMatchObject({ code: 1, stderr: oneLine(/.*/) });
  expect((await vak(['id', 'card'])).stdout).toBe(card);
}, 60_000);

test('I3 vak: a wrong passphrase opens nothing and changes nothing; the right one still works', async () => {
  await newSelf();
  const before = readFileSync(profileFiles(program.profile).keyStore);
  const wrong = { VAK_PASSPHRASE_FILE: secretFile('wrong', 'canary: not the right one') };
  expect(await vak(['id', 'show'], { environment: wrong })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: oneLine(/.*passphrase/),
  });
  expect(await vak(['id', 'new', '--identity', 'b'], { environment: wrong })).toMatchObject({ code: 1, stdout: '' });
  expect(readFileSync(profileFiles(program.profile).keyStore).equals(before)).toBe(true);
  expect((await vak(['id', 'show'])).code).toBe(0);
  const none = { VAK_PASSPHRASE_FILE: undefined };
  expect(await vak(['id', 'show'], { environment: none })).toMatchObject({
    code: 2,
    stderr: oneLine(/VAK_PASSPHRASE_FILE: is not set; let it name a file/),
  });
  chmodSync(join(program.folder, 'pass'), 0o644);
  expect(await vak(['id', 'show'])).toMatchObject({ code: 2, stderr: oneLine(/VAK_PASSPHRASE_FILE: .*mode 0644/) });
}, 60_000);

test('I3 vak: the canary: no secret of any flow is in an output or a file in the clear', async () => {
  const seed = toText(createNkeySeed(randomness).reveal());
  const team = 'canary: secret of the team 4711';
  await newSelf('--name', 'Ada');
  const calls: readonly (readonly [readonly string[], RunOptions?])[] = [
    [['id', 'new', '--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'q']],
    [['config', 'bus', 'set', 'VAK_BUS_NATS_NKEY_SEED'], { stdin: `${seed}\n` }],
    [['config', 'bus', 'set', 'VAK_BUS_NATS_CREDENTIALS_JWT', '--file', secretFile('jwt', sampleJwt)]],
    [['config', 'bus', 'set', 'VAK_WORKSPACE_SECRET'], { stdin: team }],
    [['config', 'bus', 'get', '--json'], { environment: { VAK_WORKSPACE_SECRET: team } }],
    [['config', 'set', 'look.theme', 'dark']],
    [['config', 'get', '--json']],
    [['id', 'show', '--identity', 'builder', '--json']],
    [['id', 'card', '--identity', 'operator']],
    [['grant', 'ls', '--json']],
    [['id', 'backup', join(program.profile, 'a.backup')]],
    [['id', 'restore', join(program.profile, 'a.backup')]],
    [['grant', 'ls']],
  ];
  for (const [args, options] of calls) expect((await vak(args, options)).code, args.join(' ')).toBe(0);

  const store = createFileKeyStore({
    ...{ ...ports, file: profileFiles(program.profile).keyStore, vault: createNoVault(), logger: createSilentLogger() },
    idleLockMinutes: 0,
  });
  await store.unlock({ passphrase: secretFromText(passphrase) });
  const { identities, workspaces, credentials } = store.read();
  const known: KnownSecret[] = [
    ...Object.entries({ passphrase, backupPassphrase, seed, jwt: sampleJwt, team }).map(([name, text]) => ({
      name,
      bytes: Buffer.from(text),
    })),
  ];
  const seeds = [
    ...identities.map(({ signSeed }) => signSeed),
    ...workspaces.flatMap(({ rootSeed }) => rootSeed ?? []),
  ];
  for (const one of [...seeds, ...credentials.values()])
    known.push({ name: 'stored text', bytes: one.reveal().slice() });
  for (const one of seeds) known.push({ name: 'raw seed', bytes: decodeNkeySeed(one.reveal(), 'seed') });
  const raw = [...identities.flatMap(({ boxKeys }) => boxKeys), ...workspaces.flatMap(({ secrets }) => secrets)];
  for (const { secret } of raw) known.push({ name: 'box key or workspace secret', bytes: secret.reveal().slice() });
  store.dispose();
  expect(known.length).toBeGreaterThan(12);
  expect(findSecrets({ texts: { output: program.printed() }, folders: [program.profile] }, known)).toEqual([]);
  // The search itself finds what is there.
  const bait = [seed, Buffer.from(`xy${seed}`).toString('base64url'), Buffer.from(seed).toString('hex')];
  for (const text of bait) expect(findSecrets({ texts: { bait: text } }, known)).toContain('bait: seed');
}, 120_000);
