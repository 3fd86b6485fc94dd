import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type OpenedLine, prepareServer, startListener } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak, type Ran, type Self } from '../../../tests/support/vak-program.ts';

const program = prepareVak();
const { vak, newSelf, secretFile } = program;
const bus = prepareServer();

const page = readFileSync(fileURLToPath(new URL('../../../docs/join-a-workspace.md', import.meta.url)), 'utf8');
/** The commands of the page, a step each, in their order. */
const steps = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);

type Machine = 'first' | 'second';
const homeOf = (machine: Machine): string => join(program.folder, machine);

/** Runs a step of the page on one of two machines, as it stands there; the server asks for no credentials. */
function run(machine: Machine, step: number, variables: Record<string, string> = {}): Promise<Ran> {
  program.switchProfile(machine);
  const call = (path: string): string => `'${process.execPath}' '${path}' --profile '${program.profile}' "$@"`;
  const commands = `set -e
vak() { ${call(program.programs.vak)}; }
worker() { ${call(program.programs.worker)}; }
${steps[step]?.replaceAll(' --creds ~/nats.creds', '')}`;
  const environment = { HOME: homeOf(machine), NATS_URL: bus.server.url, ...variables };
  return program.start('/bin/sh', ['-c', commands], { environment });
}

const bring = (name: string, from: Machine, to: Machine): Promise<void> =>
  copyFile(join(homeOf(from), name), join(homeOf(to), name));

async function selfOf(machine: Machine, ...more: string[]): Promise<Self> {
  program.switchProfile(machine);
  return json<Self>((await vak(['id', 'show', '--json', ...more])).stdout);
}

/** Both machines up to where the second has its identity and no grant. */
async function prepareBoth(): Promise<{ readonly rootPublic: string; readonly sign: string }> {
  for (const machine of ['first', 'second'] as const) mkdirSync(homeOf(machine));
  const made = await run('first', 0);
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('as secret s2 of workspace default')]);
  await bring('workspace.secret', 'first', 'second');
  const { rootPublic } = await selfOf('first');
  expect(made.stdout).toMatch(new RegExp(`^root +${rootPublic} `, 'm'));
  const joined = await run('second', 1, { ROOT: rootPublic });
  expect(joined.code, joined.stderr).toBe(0);
  const self = await selfOf('second', '--identity', 'builder');
  expect(self).toMatchObject({ peer: 'builder', rootPublic, holdsRoot: false, grants: [], secrets: [{ id: 's2' }] });
  return { rootPublic, sign: self.sign };
}

test('I4 vak: a second machine joins as docs/join-a-workspace.md says, and its worker is heard as valid on the first', async () => {
  expect(steps).toHaveLength(4);
  const { sign } = await prepareBoth();
  program.switchProfile('second');
  const early = await program.start(process.execPath, [
    ...[program.programs.worker, '--profile', program.profile, ...bus.url(), '--identity', 'builder', '--', 'true'],
  ]);
  expect([early.code, early.stderr]).toEqual([
    1,
    expect.stringMatching(/does not hold the root key.*vak grant import/),
  ]);
  const granted = await run('first', 2, { SIGN: sign });
  expect(granted).toMatchObject({ code: 0, stderr: 'vak: published (context prod)\n' });
  program.switchProfile('first');
  const listener = await startListener(program, [
    'vak.events.default.>',
    '--open',
    '--count',
    '3',
    '--context',
    'prod',
  ]);
  const worked = await run('second', 3);
  expect([worked.code, worked.stderr]).toEqual([0, '']);
  const heard = jsonLines<OpenedLine>((await listener.ended).stdout);
  expect(heard.map(({ trust }) => trust)).toEqual(
    Array.from({ length: 3 }, () => ({ signature: 'valid', seal: 'opens', chain: 'ok' })),
  );
  expect(heard[0]?.envelope.keyid).toMatch(/^s2\.builder\./);
  program.switchProfile('second');
  expect(await vak(['worker', '--queue', 'other', '--identity', 'builder', '--context', 'prod'])).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      /vak: builder: is not granted the role worker of queue other; grant it where the root is/,
    ),
  });
  // What was taken over once is nothing new; what is older than what was seen stays out.
  program.switchProfile('first');
  const before = (await vak(['grant', 'export'])).stdout;
  const revoked = await vak(['grant', 'revoke', 'builder']);
  expect(revoked.stderr).toMatch(/^vak: it stands in this profile, and goes out with .*give --context\n$/);
  writeFileSync(join(program.folder, 'after'), (await vak(['grant', 'export'])).stdout);
  writeFileSync(join(program.folder, 'before'), before);
  program.switchProfile('second');
  const outcomes = async (name: string): Promise<string[]> => {
    const { stdout } = await vak(['grant', 'import', join(program.folder, name), '--json']);
    return jsonLines<{ outcome: string }>(stdout).map(({ outcome }) => outcome);
  };
  expect(await outcomes('before')).toEqual(['unchanged', 'unchanged']);
  expect(await outcomes('after')).toEqual(['added', 'unchanged']);
  // Taken over once, and older by now: neither said to be as it was, nor shown with the role that was taken away.
  const again = await vak(['grant', 'import', join(program.folder, 'before')]);
  expect(again.stdout).toMatch(/^older {6}builder {2}-\nunchanged {2}operator /);
  expect(jsonLines((await vak(['grant', 'import', join(program.folder, 'before'), '--json'])).stdout)).toEqual([
    { peer: 'builder', roles: [], outcome: 'older' },
    { peer: 'operator', roles: ['operator', 'human', 'provisioner'], outcome: 'unchanged' },
  ]);
  expect((await run('second', 3)).stderr).toMatch(/worker: builder was revoked/);
}, 120_000);

test('I4 vak: what another root signed is not taken over, and a root that is pinned is not exchanged', async () => {
  const { rootPublic, sign } = await prepareBoth();
  await run('first', 2, { SIGN: sign });
  program.switchProfile('first');
  const good = (await vak(['grant', 'export'])).stdout;
  program.switchProfile('other');
  const other = await newSelf();
  const foreign = (await vak(['grant', 'export'])).stdout;
  expect(await vak(['id', 'new', '--identity', 'b', '--root', rootPublic])).toEqual({
    ...{ code: 1, stdout: '', stderr: oneLine(/workspace default: this profile holds a root of its own/) },
  });
  program.switchProfile('second');
  expect(await vak(['id', 'new', '--identity', 'b', '--root', other.rootPublic])).toEqual({
    ...{ code: 1, stdout: '', stderr: oneLine(/workspace default: another root is pinned/) },
  });
  const file = secretFile('mixed', `${good}${foreign}`);
  expect(await vak(['grant', 'import', file])).toEqual({
    ...{
      code: 2,
      stdout: '',
      stderr: oneLine(
        new RegExp(`FILE: line 3: .*pins the root ${rootPublic} .*another root did, or .*nothing was taken over`),
      ),
    },
  });
  expect((await vak(['grant', 'ls'])).stdout).toBe('');
  for (const text of ['no JSON\n', '[]\n', `${'['.repeat(10_000)}\n`, `${'x'.repeat(20_000)}\n`]) {
    const { code, stderr } = await vak(['grant', 'import', secretFile('bad', text)]);
    expect([code, stderr]).toEqual([2, oneLine(/FILE: line 1: /)]);
  }
  for (const text of ['', ' \n\t\n\n']) {
    const { code, stdout, stderr } = await vak(['grant', 'import', secretFile('empty', text)]);
    expect([code, stdout, stderr]).toEqual([2, '', oneLine(/FILE: there is no grant in it/)]);
  }
  expect(await vak(['id', 'new', '--identity', 'c', '--role', 'observer'])).toMatchObject({
    ...{ code: 2, stderr: oneLine(/--role: roles are granted where the root of the workspace is held/) },
  });
  expect((await newSelf('--identity', 'c')).grants).toEqual([]);
}, 120_000);

test.each([
  [['--root', `U${'A'.repeat(55)}`], /--root: expected a user nkey, public: U and 55 characters/],
  [['--root', 'canary'], /--root: found 6 characters, allowed: U and 55/],
  [['--kind', 'bot'], /--kind, --role: the first identity/],
  [['--name', 'n'.repeat(65)], /name: expected 1–64 characters/],
])('I1 vak: id new that fails for %j names no seed and leaves no key store', async (args, text) => {
  const ran = await vak(['id', 'new', ...args]);
  expect(ran).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
  expect(ran.stderr).not.toMatch(/seed|SU/);
  expect(existsSync(program.profile) ? readdirSync(program.profile) : []).toEqual([]);
});

test.each([
  [['VAK_WORKSPACE_SECRET', '--id', 'a b'], /--id: /],
  [['VAK_WORKSPACE_SECRET', '--id', 'env'], /--id: env is the one of the environment/],
  [['VAK_BUS_NATS_NKEY_SEED', '--id', 's2'], /--id: VAK_BUS_NATS_NKEY_SEED has none/],
  [['natsUrl', 'nats://h', '--id', 's2'], /--id: natsUrl has none/],
])('vak: config bus set %j is bad usage', async (args, text) => {
  await newSelf();
  expect(await vak(['config', 'bus', 'set', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});

test('vak: publish makes the identity of --identity at its first use, as a worker does', async () => {
  await newSelf();
  const call = ['publish', 'vak.events.default.self.status', '--data', '{"state":"started"}', '--sealed', ...bus.url()];
  const listener = await startListener(program, ['vak.events.default.>', '--open', '--count', '2', ...bus.url()]);
  expect(await vak([...call, '--identity', 'fresh'])).toMatchObject({
    ...{ code: 0, stderr: oneLine(/identity fresh is made, with the role worker of the queue local/) },
  });
  expect(await vak([...call, '--identity', 'fresh'])).toMatchObject({ code: 0, stderr: '' });
  const heard = jsonLines<OpenedLine>((await listener.ended).stdout);
  expect(heard.map(({ trust }) => trust.signature)).toEqual(['valid', 'valid']);
  expect(json((await vak(['id', 'show', '--identity', 'fresh', '--json'])).stdout)).toMatchObject({
    ...{ kind: 'process', grants: [{ roles: ['worker'], queues: ['local'] }] },
  });
}, 60_000);
