import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type NatsServer, startNatsServer } from '../../tests/support/nats-server.ts';
import { json, jsonLines, prepareVak, type Self } from '../../tests/support/vak-program.ts';
import { prepareServices, type VakService } from '../../tests/support/vak-service.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const patience = { timeout: 30_000, interval: 50 };
const slow = { timeout: 120_000 };

let server: NatsServer;
const url = (): string[] => ['--nats-url', server.url];

async function done(...args: string[]): Promise<string> {
  const ran = await vak(args);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  return ran.stdout;
}

/** A process of the profile with its grant. */
const granted = (peer: string, ...rights: string[]): Promise<string> =>
  done('id', 'new', '--identity', peer, '--kind', 'process', ...rights);

beforeEach(async () => {
  await newSelf();
});
afterEach(async () => {
  await server?.stop();
});

const startService = prepareServices(program);
const serve = (args: readonly string[]): Promise<VakService> => startService([...args, ...url()]);

/** What the server did not let anybody do, as it logged it. */
const violations = (): string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => /violation/i.test(line));

async function submit(...command: string[]): Promise<string> {
  const ran = await done(
    'task',
    'submit',
    '--queue',
    'build',
    '--identity',
    'boss',
    '--json',
    ...url(),
    '--',
    ...command,
  );
  return json<{ id: string }>(ran).id;
}

const exported = (format: string): Promise<string> => done('acl', 'export', '--format', format);

async function waitFor(id: string): Promise<void> {
  const ran = await vak(['task', 'wait', id, '--timeout', '30', ...url()]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
}

test(
  'A4 I4 every peer does its work on a server that enforces the export, and the server has nothing to refuse',
  slow,
  async () => {
    await granted('w1', '--role', 'worker', '--queue', 'build');
    await granted('boss', '--role', 'coordinator');
    await granted('undertaker', '--role', 'dlq-supervisor');
    await granted('maker', '--role', 'provisioner');
    server = await startNatsServer({ config: await exported('jwt') });
    const parts = jsonLines<{ kind: string }>(await done('provision', '--identity', 'maker', '--json', ...url()));
    expect(parts.filter(({ kind }) => kind === 'objects').length).toBe(5);
    const worker = await serve(['worker', '--queue', 'build', '--identity', 'w1', '--approve', 'echo']);
    await serve(['dlq-supervisor', '--identity', 'undertaker']);

    await waitFor(await submit('true'));
    const asking = await submit('echo', 'hello');
    const ls = ['approvals', 'ls', '--json', ...url()];
    await expect.poll(async () => (await vak(ls)).stdout, patience).toContain('"id"');
    const [{ id = '' } = {}] = jsonLines<{ id: string }>(await done(...ls));
    await done('approvals', 'approve', id, ...url());
    await waitFor(asking);
    await done('queues', 'pause', 'build', ...url());
    await expect.poll(() => worker.events('paused').length, patience).toBe(1);
    expect(await done('queues', '--json', ...url())).toContain('"build"');
    await done('metrics', ...url());
    await done('stream', 'view', 'receipts', ...url());
    expect(violations()).toEqual([]);

    // What a peer may not, it is told with its rule and by whom.
    const rule = /; refused by the (server|engine), rule: (A1|worker|coordinator)\b.*; see vak acl explain/;
    const tries = [
      ['boss', 'coordinator', 'subscribe', 'vak.approvals.default.>'],
      ['w1', 'worker', 'stream', 'view', 'audit'],
      ['w1', 'worker', 'publish', 'vak.work.default.build.task', '--no-check'],
    ] as const;
    await Promise.all(
      tries.map(async ([who, roles, ...args]) => {
        const { code, stderr } = await vak([...args, '--identity', who, ...url()]);
        expect([code, stderr], args.join(' ')).toEqual([1, expect.stringMatching(rule)]);
        expect(stderr).toContain(`: ${who} may not, its roles are ${roles}; refused`);
      }),
    );
  },
);

test(
  'A28 A30 a given grant keeps end and breadth; provisioning asks for who is granted now, and goes on past a refusal',
  slow,
  async () => {
    await granted('w1', '--role', 'worker', '--queue', 'build');
    await granted('boss', '--role', 'coordinator');
    await granted('maker', '--role', 'provisioner');
    server = await startNatsServer({ config: await exported('nats-conf') });
    await done('provision', '--identity', 'maker', ...url());

    // A grant that somebody gave keeps its end and its breadth.
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const grantOf = async (peer: string) =>
      jsonLines<{ peer: string; notAfter: number }>(await done('grant', 'ls', '--json')).find(
        (one) => one.peer === peer,
      );
    await done('grant', 'add', 'w1', '--role', 'worker', '--queue', 'build', '--until', until);
    const given = await grantOf('w1');
    await serve(['worker', '--queue', 'build', '--identity', 'w1']);
    for (const args of [['worker', '--queue', 'secretq'], ['dlq-supervisor']]) {
      const refused = await vak([...args, '--identity', 'w1', ...url()]);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('vak grant add w1 --role worker') });
    }
    expect(await grantOf('w1')).toEqual(given);

    // Who was revoked has no bucket in the next export; and one that the server was not told of keeps no other from being made.
    await done('grant', 'revoke', 'boss');
    await server.config(await exported('nats-conf'));
    await granted('anna', '--role', 'observer');
    const next = await vak(['provision', '--identity', 'maker', '--json', ...url()]);
    expect(next.code, next.stderr).toBe(1);
    const refused = next.stderr.split('\n').filter((line) => line.includes('objects VAK_MEDIA_7_default_'));
    expect(refused.map((line) => /default_(\w+): is not made/.exec(line)?.[1])).toEqual(['anna']);
    const made = jsonLines<{ kind: string; name: string }>(next.stdout).filter(({ kind }) => kind === 'objects');
    const owners = made.map(({ name }) => name.slice('VAK_MEDIA_7_default_'.length));
    expect(owners).toEqual(expect.arrayContaining(['maker', 'w1']));
    expect(owners).not.toContain('boss');
    await server.config(await exported('nats-conf'));
    expect(await done('provision', '--identity', 'maker', ...url())).toContain('VAK_MEDIA_7_default_anna');
  },
);

/** A second profile with an identity under the root of the first, and the secret of both; `vak` works on the first afterwards. */
async function joined(peer: string): Promise<{ readonly sign: string; use(): void }> {
  const first = program.profile;
  const { rootPublic } = json<Self>(await done('id', 'show', '--json'));
  const secret = program.secretFile('workspace-secret', 'a secret of both machines, of 32 bytes');
  await done('config', 'bus', 'set', 'VAK_WORKSPACE_SECRET', '--file', secret);
  const use = (): void => program.switchProfile('second');
  use();
  await done('id', 'new', '--root', rootPublic, '--identity', peer, '--kind', 'process');
  await done('config', 'bus', 'set', 'VAK_WORKSPACE_SECRET', '--file', secret, '--id', 's2');
  const { sign } = json<Self>(await done('id', 'show', '--identity', peer, '--json'));
  program.switchProfile(basename(first));
  return { sign, use };
}

test(
  'I4 A19 a worker of another machine begins by a grant and ends by a revocation that only the bus has carried, and before the server knows',
  slow,
  async () => {
    const w2 = await joined('w2');
    const rights = ['--role', 'worker', '--queue', 'build', '--queue', 'local'];
    const early = await vak(['grant', 'add', 'w2', '--sign', w2.sign, ...rights, '--nats-url', 'nats://127.0.0.1:9']);
    expect(early).toMatchObject({ code: 0, stderr: expect.stringContaining('it stands in this profile') });
    server = await startNatsServer({ config: await exported('nats-conf') });
    await done('provision', ...url());

    w2.use();
    const worker = await serve(['worker', '--queue', 'build', '--identity', 'w2']);
    const line = [program.programs.worker, '--profile', program.profile, ...url(), '--identity', 'w2'];
    let said = '';
    const byHand = program.start(process.execPath, [...line, '--', 'sleep', '60'], {
      onStart: ({ stdout }) => stdout?.on('data', (chunk) => (said += String(chunk))),
    });
    await expect.poll(() => said, patience).toContain('"claimed"');
    program.switchProfile('profile');

    const revoked = await vak(['grant', 'revoke', 'w2', ...url()]);
    const startMs = performance.now();
    expect(revoked).toMatchObject({ code: 0, stderr: 'vak: published (--nats-url)\n' });
    expect(await worker.ended).toMatchObject({ code: 1 });
    expect(await byHand).toMatchObject({ code: 1, stderr: expect.stringContaining('w2: its grant was revoked') });
    expect(performance.now() - startMs).toBeLessThan(5_000);
    expect(worker.events('revoked')).toMatchObject([{ why: 'its grant was revoked' }]);
    expect(violations()).toEqual([]);
  },
);

test('A37 a peer of another machine comes in by its JWT alone, which its own key proves', slow, async () => {
  const w2 = await joined('w2');
  await done('grant', 'add', 'w2', '--sign', w2.sign, '--role', 'worker', '--queue', 'build');
  const text = await exported('jwt');
  server = await startNatsServer({ config: text });
  await done('provision', ...url());
  const jwt = program.secretFile('w2.jwt', /# user JWT of w2\n# (\S+)/.exec(text)?.[1] ?? '');
  const ofOther = program.secretFile('operator.jwt', /# user JWT of operator\n# (\S+)/.exec(text)?.[1] ?? '');
  w2.use();
  const list = ['stream', 'ls', '--json', '--identity', 'w2', ...url()];
  expect(await vak(list)).toMatchObject({ code: 1 });
  expect(jsonLines(await done(...list, '--creds', jwt)).length).toBe(6);
  expect(await vak([...list, '--creds', ofOther])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`and the peer has ${w2.sign}`),
  });
  await done('context', 'add', 'there', ...url().map((one) => (one === '--nats-url' ? '--url' : one)), '--creds', jwt);
  expect(jsonLines(await done(...list.slice(0, 5), '--context', 'there')).length).toBe(6);
});

test(
  'A4 I3 the credentials of a peer are written for its owner alone, and nothing that is printed is secret',
  slow,
  async () => {
    const { rootPublic } = await newSelf(
      '--identity',
      'w1',
      '--kind',
      'process',
      '--role',
      'worker',
      '--queue',
      'build',
    );
    const path = join(program.folder, 'w1.creds');
    expect(await done('acl', 'export', '--format', 'jwt', '--peer', 'w1', '--creds-out', path)).toContain(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/BEGIN NATS USER JWT[\s\S]+BEGIN USER NKEY SEED-----\nSU[A-Z2-7]{56}\n/);
    const ending = ['--role', 'worker', '--queue', 'build', '--until', '2099-12-31'];
    const ran = await vak(['acl', 'export', '--format', 'nats-conf', '--peer', 'w1', ...ending]);
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/1 of these grants end \(w1\), and this format knows no end/),
    });
    const printed = (await exported('jwt')) + (await exported('nats-conf'));
    expect(printed).not.toMatch(/\bS[OAU][A-Z2-7]{56}\b/);
    expect(printed).not.toContain(rootPublic);
    server = await startNatsServer({ config: await exported('nats-conf') });
    await done('provision', ...url());
    const seen = jsonLines<{ stream: string }>(
      await done('stream', 'ls', '--json', '--creds', path, '--identity', 'w1', ...url()),
    );
    expect(seen.map(({ stream }) => stream)).toEqual(
      ['APPROVALS', 'CHAIN', 'DLQ', 'INBOX', 'RECEIPTS', 'WORK'].map((kind) => `VAK_${kind}_default`),
    );
    for (const args of [
      ['--format', 'yaml'],
      ['--format', 'jwt', '--creds-out', path],
      ['--format', 'nats-conf', '--peer', 'nobody'],
      ['--format', 'nats-conf', '--role', 'worker'],
    ])
      expect((await vak(['acl', 'export', ...args])).code).not.toBe(0);
  },
);
