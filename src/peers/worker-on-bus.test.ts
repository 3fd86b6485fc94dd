import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { livingProcesses } from '../../tests/support/living-processes.ts';
import { startNatsServer } from '../../tests/support/nats-server.ts';
import { type OpenedLine, prepareServer, startListener } from '../../tests/support/vak-bus.ts';
import { json, jsonLines, prepareVak, type Ran, type RunOptions } from '../../tests/support/vak-program.ts';
import { connectNats } from '../engine/bus/nats/nats-fabric.ts';
import { createFindOnPath } from '../engine/connections/find-on-path.ts';
import { startManagedServer } from '../engine/connections/managed-server.ts';
import { leafOf } from '../engine/envelope/hashing.ts';
import { createNkeySeed, createNkeySigner } from '../engine/identity/nkey.ts';
import { createSystemClock } from '../engine/ports/clock.ts';
import { createSilentLogger } from '../engine/ports/logger.ts';
import { createSystemRandomness } from '../engine/ports/randomness.ts';
import { profileFiles } from '../engine/settings/profile-files.ts';
import { toText } from '../shared/base/bytes.ts';
import type { Envelope } from '../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../shared/protocol/envelope-codec.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf, secretFile } = program;
const bus = prepareServer({ jetStream: false });
const patience = { timeout: 15_000, interval: 20 };

const randomness = createSystemRandomness();
const newSeed = (): { readonly text: string; readonly nkey: string } => {
  const seed = createNkeySeed(randomness);
  return { text: toText(seed.reveal()), nkey: createNkeySigner(seed).nkey };
};
const known = newSeed();
const guarded = prepareServer({
  jetStream: false,
  users: [{ nkey: known.nkey, permissions: { publish: { deny: ['vak.events.default.>'] } } }],
});

interface Line {
  readonly subject: string;
  readonly payload: { readonly state?: string; readonly bytes?: string };
}

/** A worker under way; what it prints grows. */
interface Started {
  readonly ended: Promise<Ran>;
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
}

function start(args: readonly string[], environment: RunOptions['environment'] = {}): Started {
  const said = { stdout: '', stderr: '' };
  let child: ChildProcess | undefined;
  const line = [program.programs.worker, '--profile', program.profile, ...args];
  const ended = program.start(process.execPath, line, {
    environment,
    onStart(started) {
      child = started;
      for (const name of ['stdout', 'stderr'] as const) {
        started[name]?.on('data', (text: string) => {
          said[name] += text;
        });
      }
    },
  });
  if (child === undefined) throw new Error('the program did not start');
  return { ended, child, said };
}

const worker = (args: readonly string[], environment?: RunOptions['environment']): Promise<Ran> =>
  start(args, environment).ended;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const said = (text: RegExp): unknown => expect.stringMatching(new RegExp(`^worker: (?:${text.source})[^\\n]*\\n$`));
const statesOf = (stdout: string): string[] => jsonLines<Line>(stdout).flatMap(({ payload }) => payload.state ?? []);
const waits = (file: string): string => `while [ ! -e '${file}' ]; do sleep 0.05; done`;

/** What comes to a client of the server, decoded. */
async function listen(pattern: string) {
  const fabric = await bus.connect();
  const envelopes: Envelope[] = [];
  fabric.bus.subscribe(pattern, {
    kind: 'inline',
    onMessage: ({ subject, data }) => {
      const envelope = decodeEnvelope(data);
      expect(envelope.subject).toBe(subject);
      envelopes.push(envelope);
    },
  });
  await fabric.ping();
  return { envelopes, close: () => fabric.close() };
}

test('E8 E12 worker: on a bus it publishes sealed, signed, chained envelopes, and its next run resumes the chain', async () => {
  await newSelf();
  const heard = await listen('vak.events.default.>');
  const opened = await startListener(program, ['vak.events.default.>', '--open', ...bus.url()]);
  const run = [
    ...bus.url(),
    '--identity',
    'builder',
    '--',
    'sh',
    '-c',
    'echo canary-output; echo $VAK_PASSPHRASE_FILE',
  ];
  const first = await worker(run);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(statesOf(first.stdout)).toEqual(['started', 'claimed', 'done', 'ended']);
  const count = jsonLines(first.stdout).length;
  await expect.poll(() => heard.envelopes.length, patience).toBe(count);
  const second = await worker(run);
  const all = count + jsonLines(second.stdout).length;
  await expect.poll(() => heard.envelopes.length, patience).toBe(all);
  await expect.poll(() => opened.stdout().split('\n').length - 1, patience).toBe(all);
  opened.child.kill('SIGINT');
  await opened.ended;
  await heard.close();

  const { envelopes } = heard;
  expect(envelopes.map(({ seqnum }) => seqnum)).toEqual([...Array(count).keys(), ...Array(all - count).keys()]);
  for (const [index, { prevhash, seqnum }] of envelopes.entries()) {
    if (seqnum > 0) expect(prevhash).toBe(leafOf(envelopes[index - 1] as Envelope));
  }
  const last = envelopes[count - 1] as Envelope;
  expect(envelopes[0]?.resumes).toBeUndefined();
  expect(envelopes[count]?.resumes).toBe(`${last.source}#${last.seqnum}:${leafOf(last)}`);
  expect(last.source).toMatch(/^vak:\/\/default\/builder\/builder-[a-z2-7]{8}-e$/);

  const lines = jsonLines<OpenedLine>(opened.stdout());
  expect(lines.map(({ payload }) => payload)).toEqual(
    [...jsonLines<Line>(first.stdout), ...jsonLines<Line>(second.stdout)].map(({ payload }) => payload),
  );
  for (const { trust } of lines) expect(trust).toMatchObject({ signature: 'valid', seal: 'opens', chain: 'ok' });
  const output = lines.flatMap(({ payload }) => (payload as Line['payload']).bytes ?? []).join();
  expect(Buffer.from(output, 'base64').toString()).toContain('canary-output\n\n');
}, 120_000);

test('I4 worker: its identity is made once, a process with the role worker of the queue local', async () => {
  await newSelf();
  const run = [...bus.url(), '--', 'true'];
  expect((await worker(run)).code).toBe(0);
  const shown = async (): Promise<{ sign: string; grants: { roles: string[]; queues: string[] }[] }> =>
    json((await vak(['id', 'show', '--json', '--identity', 'worker'])).stdout);
  const made = await shown();
  expect(made.grants).toMatchObject([{ roles: ['worker'], queues: ['local'] }]);
  expect((await worker(run)).code).toBe(0);
  expect(await shown()).toMatchObject({ sign: made.sign, grants: [{ roles: ['worker'] }] });
  const person = await worker([...bus.url(), '--identity', 'operator', '--', 'true']);
  expect(person).toEqual({ code: 1, stdout: '', stderr: said(/operator is the name of a human/) });
}, 120_000);

test('worker: a command that fails, a signal, and a reader that has gone end it as without a bus', async () => {
  await newSelf();
  const failed = await worker([...bus.url(), '--', 'sh', '-c', 'exit 7']);
  expect([failed.code, failed.stderr]).toEqual([1, 'worker: exit code 7\n']);
  const heard = await listen('vak.events.default.*.status');
  const drained = start([...bus.url(), '--', 'sh', '-c', 'echo up; sleep 300']);
  await expect.poll(() => drained.said.stdout, patience).toContain(base64('up\n'));
  drained.child.kill('SIGTERM');
  const { code, stdout, stderr } = await drained.ended;
  expect([code, stderr, statesOf(stdout).at(-1)]).toEqual([4, '', 'ended']);
  await expect.poll(() => heard.envelopes.length, patience).toBe(statesOf(stdout).length);
  const { source, seqnum } = heard.envelopes.at(-1) as Envelope;
  const heads = readFileSync(profileFiles(program.profile).heads, 'utf8');
  expect(json(heads)).toMatchObject({ heads: { 'worker.e': { source, seq: seqnum } } });
  await heard.close();
  const session = jsonLines<Line>(stdout)[0]?.subject.split('.')[3] ?? '';
  expect(await livingProcesses(session)).toEqual([]);
  const cut = start([...bus.url(), '--', 'yes']);
  await expect.poll(() => cut.said.stdout, patience).toContain('"stdout"');
  cut.child.stdout?.destroy();
  expect((await cut.ended).code).toBe(0);
}, 120_000);

test('B8 worker: a server that dies is said once each way, the command runs on, and what was lost is counted', async () => {
  const server = await startNatsServer({ jetStream: false });
  const [goOn, finish] = [join(program.folder, 'go-on'), join(program.folder, 'finish')];
  const clock = createSystemClock();
  try {
    await newSelf();
    const fabric = await connectNats({
      ...{ clock, randomness, logger: createSilentLogger(), servers: [server.url], name: 'test' },
      inboxPrefix: '_INBOX.test',
    });
    const seqs: number[] = [];
    fabric.bus.subscribe('vak.events.>', {
      kind: 'inline',
      onMessage: ({ data }) => void seqs.push(decodeEnvelope(data).seqnum),
    });
    await fabric.ping();
    const script = `echo before; ${waits(goOn)}; echo meanwhile; ${waits(finish)}; echo after`;
    const run = start(['--nats-url', server.url, '--', 'sh', '-c', script]);
    await expect.poll(() => run.said.stdout, patience).toContain(base64('before\n'));
    await server.kill();
    await expect.poll(() => run.said.stderr, patience).toContain('the connection is lost');
    writeFileSync(goOn, '');
    await expect.poll(() => run.said.stdout, patience).toContain(base64('meanwhile\n'));
    await server.restart();
    await expect.poll(() => run.said.stderr, patience).toContain('the connection is back');
    await expect.poll(() => fabric.status().kind, patience).toBe('connected');
    writeFileSync(finish, '');
    const { code, stdout, stderr } = await run.ended;
    expect([code, statesOf(stdout).at(-1)]).toEqual([0, 'ended']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^worker: the connection is lost; .* the command runs on$/),
      expect.stringMatching(/^worker: the connection is back after [\d.]+ s; /),
      expect.stringMatching(/^worker: [1-9]\d* messages or more did not reach the bus$/),
    ]);
    await expect.poll(() => seqs.at(-1), patience).toBe(jsonLines(stdout).length - 1);
    expect(seqs.length).toBeLessThan(jsonLines(stdout).length);
    await fabric.close();
  } finally {
    await server.stop();
  }
}, 90_000);

test('B8 worker: a server that does not come back keeps neither the command nor the end from coming', async () => {
  const server = await startNatsServer({ jetStream: false });
  const goOn = join(program.folder, 'go-on');
  try {
    await newSelf();
    const run = start(['--nats-url', server.url, '--', 'sh', '-c', `echo before; ${waits(goOn)}; exit 5`]);
    await expect.poll(() => run.said.stdout, patience).toContain(base64('before\n'));
    await server.kill();
    await expect.poll(() => run.said.stderr, patience).toContain('the connection is lost');
    writeFileSync(goOn, '');
    const { code, stdout, stderr } = await run.ended;
    expect([code, statesOf(stdout).at(-1)]).toEqual([1, 'ended']);
    expect(stderr).toMatch(
      /^worker: the connection is lost.*\nworker: exit code 5\nworker: \d+ messages or more did not .*\n$/,
    );
    const { seq } = json<{ heads: Record<string, { seq: number }> }>(
      readFileSync(profileFiles(program.profile).heads, 'utf8'),
    ).heads['worker.e'] ?? { seq: -1 };
    expect(seq).toBe(jsonLines(stdout).length - 1);
  } finally {
    await server.stop();
  }
}, 60_000);

test('worker: a server that is not there is exit 3, one that refuses is exit 1, and nothing has run', async () => {
  await newSelf();
  const made = join(program.folder, 'made');
  const command = ['--', 'touch', made];
  const gone = await worker(['--nats-url', 'nats://127.0.0.1:1', ...command]);
  expect(gone).toEqual({ code: 3, stdout: '', stderr: said(/connect: the server cannot be reached.*; \w+/) });
  const wrong = await worker([...guarded.url(), '--nkey-file', secretFile('wrong', newSeed().text), ...command]);
  expect(wrong).toEqual({ code: 1, stdout: '', stderr: said(/connect: the server refuses these credentials/) });
  const denied = await worker([...guarded.url(), '--nkey-file', secretFile('known', known.text), ...command]);
  expect([denied.code, statesOf(denied.stdout)]).toEqual([1, ['started', 'ended']]);
  const how =
    /worker may not, its roles are worker; refused by the server, rule: worker: publish own events: the grant/;
  expect(denied.stderr).toEqual(
    said(new RegExp(String.raw`publish vak\.events\.default\.worker-\S+\.status: ${how.source}`)),
  );
  const embedded = await worker(['--context', 'embedded', ...command]);
  expect(embedded).toEqual({ code: 3, stdout: '', stderr: said(/context embedded: its bus is embedded/) });
  expect(() => readFileSync(made)).toThrow();
}, 120_000);

test('I3 worker: only files open its key store, and a secret in a variable is refused', async () => {
  await newSelf();
  const run = [...bus.url(), '--', 'true'];
  const wrong = await worker(run, { VAK_PASSPHRASE_FILE: secretFile('other', 'canary: another passphrase') });
  expect(wrong).toEqual({ code: 1, stdout: '', stderr: said(/.*passphrase/) });
  const none = await worker(run, { VAK_PASSPHRASE_FILE: undefined });
  expect(none).toEqual({ code: 2, stdout: '', stderr: said(/VAK_PASSPHRASE_FILE: is not set; let it name a file/) });
  for (const name of ['VAK_WORKSPACE_SECRET', 'VAK_BUS_NATS_NKEY_SEED', 'VAK_BUS_NATS_CREDENTIALS_JWT']) {
    const refused = await worker(run, { [name]: 'canary-in-a-variable' });
    expect(refused).toEqual({ code: 2, stdout: '', stderr: said(new RegExp(`${name}: a worker takes no secret`)) });
  }
  await vak(['config', 'set', 'workspaceSecretEnv', 'MY_OWN_SECRET']);
  const own = await worker(run, { MY_OWN_SECRET: 'canary-in-a-variable' });
  expect([own.code, own.stderr]).toEqual([2, said(/MY_OWN_SECRET: a worker takes no secret/)]);
  expect(program.printed()).not.toContain('canary');
}, 120_000);

test('worker: of a profile without a key store, or of another workspace, it says what to do', async () => {
  const run = [...bus.url(), '--', 'true'];
  const missing = await worker(run);
  expect(missing).toEqual({ code: 2, stdout: '', stderr: said(/--profile: there is no such folder.*vak id new/) });
  await newSelf();
  const foreign = await worker(['--workspace', 'other', ...run]);
  expect(foreign).toEqual({ code: 1, stdout: '', stderr: said(/.*workspace other; make one with vak id new/) });
}, 60_000);

test.each([
  [['--identity', 'a', '--', 'ls'], /--identity: is for a bus; give --nats-url or --context too/],
  [['--creds', 'a', '--', 'ls'], /--creds: is for a bus/],
  [['--nats-url', 'nats://h', '--peer', 'a', '--', 'ls'], /--peer: .*give --identity/],
  [['--nats-url', 'http://h', '--', 'ls'], /--nats-url: found 8 characters/],
  [['--nats-url', 'nats://u:canary@h', '--', 'ls'], /argument 2 holds a password in an address/],
  [['--nats-url', 'nats://h', '--context', 'c', '--', 'ls'], /--nats-url, --context: give one/],
  [['--nats-url', 'nats://h', '--identity', 'a b', '--', 'ls'], /--identity: expected 1–64/],
])(
  'worker: bad usage %j of a bus ends it with 2',
  async (args, text) => {
    const child = spawn(process.execPath, [program.programs.worker, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += String(data);
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
    expect(stderr).toEqual(said(text));
    expect(stderr).not.toContain('canary');
  },
  30_000,
);

test('B9 worker: through a managed context it joins the server that the app runs, and says so if it does not run', async () => {
  await newSelf();
  expect((await vak(['context', 'add', 'own', '--managed'])).code).toBe(0);
  const run = ['--context', 'own', '--', 'true'];
  const off = await worker(run);
  expect(off).toEqual({
    code: 3,
    stdout: '',
    stderr: said(
      /context own: its server is not running; the app runs it only while it uses this connection: vak context use own,/,
    ),
  });
  const folder = profileFiles(program.profile).managedServer;
  const clock = createSystemClock();
  const findOnPath = createFindOnPath(process.env['PATH'] ?? '');
  const server = await startManagedServer({ folder, clock, randomness, findOnPath, logger: createSilentLogger() });
  try {
    expect(await worker(run)).toMatchObject({ code: 0, stderr: '' });
  } finally {
    await server.stop();
  }
}, 60_000);
