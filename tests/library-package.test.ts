import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../scripts/build.mjs';
import { packageCommand } from '../scripts/child-process.mjs';
import { provision } from '../src/engine/bus/provision.ts';
import type { Receipt } from '../src/peers/library/queue-api.ts';
import { connect } from '../src/peers/library.ts';
import { failure } from './support/expected-failure.ts';
import { type LibraryProfile, makeLibraryProfile } from './support/library-profile.ts';
import { type NatsServer, startNatsServer } from './support/nats-server.ts';
import { projectRoot } from './support/scratch-tree.ts';
import { connectForTest } from './support/vak-bus.ts';
import { passphrase } from './support/vak-program.ts';

const example = 'docs/examples/echo-peer.mjs';
const patience = { timeout: 20_000, interval: 50 };
const slow = { timeout: 120_000 };
let server: NatsServer;
let home: LibraryProfile;

beforeAll(async () => {
  await ensureBuilt({ projectRoot });
  server = await startNatsServer();
  home = await makeLibraryProfile();
  const fabric = await connectForTest(server.url);
  await provision(fabric.durable, 'default');
  await fabric.close();
}, 240_000);
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the tree, so that the package finds itself by its name. */
function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const { PATH = '' } = process.env;
  const child: ChildProcess = spawn(command, args, { cwd: projectRoot, env: { PATH, ...env }, stdio: 'pipe' });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...said })));
}

test('C9 the example has fewer than 40 lines, and is nothing but the package', () => {
  const text = readFileSync(join(projectRoot, example), 'utf8');
  expect(text.split('\n').length - 1).toBeLessThan(40);
  expect([...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name)).toEqual(['vak-workbench']);
});

test('C9 the example runs against a server as it stands, and ends by itself', slow, async () => {
  const env = { VAK_PASSPHRASE_FILE: home.passphraseFile };
  const { code, stdout, stderr } = await run(process.execPath, [example, server.url, home.profile], env);
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => /^(\S+) (\S+) (.*)$/.exec(line) ?? []);
  expect(lines.map(([, kind]) => kind)).toEqual(['done', 'done']);
  const receipts = lines.map(([, , , receipts = '']) => JSON.parse(receipts) as Receipt[]);
  expect(receipts).toMatchObject(
    ['hello', 'world'].map((word, at) => [
      {
        workerId: 'echo-peer',
        queue: 'echo',
        outcome: 'done',
        taskId: lines[at]?.[2],
        output: { echo: { word }, attempt: 1 },
      },
    ]),
  );
});

test('C9 the types that are built are whole in themselves, and exact', slow, async () => {
  const { command, args } = await packageCommand(projectRoot, 'typescript', 'tsc');
  const flags = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--allowJs',
    '--checkJs',
  ];
  const target = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--skipLibCheck', 'false'];
  const files = [example, 'tests/support/library-usage.ts', 'out/peers/library.d.ts'];
  expect(await run(command, [...args, ...flags, ...target, ...files])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(join(projectRoot, 'out/peers/library.d.ts'), 'utf8')).not.toMatch(/^(?:import |\} from )/m);
});

test('C9 the package offers what its types say, and nothing deeper', slow, async () => {
  const program = `
    import * as library from 'vak-workbench';
    const deeper = await import('vak-workbench/out/peers/vak.js').catch(({ code }) => code);
    console.log(JSON.stringify([Object.keys(library), deeper]));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program]);
  const names = ['TaskFailure', 'VakError', 'connect', 'openEmbedded'];
  expect([stderr, JSON.parse(stdout)]).toEqual(['', [names, 'ERR_PACKAGE_PATH_NOT_EXPORTED']]);
});

test('C2 a connection keeps its process alive until it is closed, whatever else does not', slow, async () => {
  const program = `
    import { connect, openEmbedded } from 'vak-workbench';
    const embedded = await openEmbedded();
    const vak = await connect({ embedded, identity: 'operator' });
    const end = async () => {
      await vak.close();
      await embedded.close();
      console.log('closed');
    };
    setTimeout(end, 50).unref();`;
  const ran = await run(process.execPath, ['--input-type=module', '-e', program]);
  expect(ran).toEqual({ code: 0, stdout: 'closed\n', stderr: '' });
});

test('I3 C1 the passphrase comes from a file or a function, and is told in no error', slow, async () => {
  const join = (more: object) => connect({ natsUrl: server.url, profile: home.profile, identity: 'operator', ...more });
  const wrong = 'canary of another passphrase';
  const open = home.file('open', passphrase, 0o644);
  const refused: [object, string, RegExp][] = [
    [{}, 'invalid-input', /^passphrase: missing; give one, or let VAK_PASSPHRASE_FILE/],
    [{ passphrase: { file: open } }, 'invalid-input', /^passphrase: the file has mode 0644/],
    [{ passphrase: { file: '/nowhere' } }, 'invalid-input', /^passphrase: there is no such file/],
    [{ passphrase: () => '' }, 'invalid-input', /^passphrase: the function gave nothing/],
    [{ passphrase: () => 7 }, 'invalid-input', /^passphrase: the function gave number/],
    [{ passphrase: async () => wrong }, 'wrong-passphrase', /^passphrase: /],
    [{ passphrase: { file: home.passphraseFile }, profile: `${home.profile}-none` }, 'not-found', /vak id new/],
    [{ passphrase: { file: home.passphraseFile }, creds: '/nowhere' }, 'invalid-input', /^creds: /],
    [
      { passphrase: { file: home.passphraseFile }, context: 'nowhere', natsUrl: undefined },
      'invalid-input',
      /^context: /,
    ],
    [
      { passphrase: { file: home.passphraseFile }, natsUrl: 'nats://127.0.0.1:1' },
      'disconnected',
      /natsUrl, 127\.0\.0\.1:1/,
    ],
  ];
  for (const [more, code, message] of refused) {
    const error = await failure(join(more));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain('canary');
  }
  const bytes = Buffer.from(passphrase);
  const vak = await join({ passphrase: () => bytes });
  expect([vak.peer, bytes.every((byte) => byte === 0)]).toEqual(['operator', true]);
  await vak.close();
});

test('B8 C5 an outage is sat out: who waits is told afterwards, and what is durable arrives', slow, async () => {
  const place = { natsUrl: server.url, profile: home.profile, passphrase: { file: home.passphraseFile } };
  const boss = await connect({ ...place, identity: 'boss', roles: ['coordinator'] });
  const hand = await connect({ ...place, identity: 'hand', roles: ['worker'], queues: ['outage'] });
  const statuses: string[] = [];
  boss.onStatus(({ kind }) => statuses.push(kind));
  const queue = boss.queue('outage');
  const first = queue.wait(await queue.submit({ input: 1 }));
  await server.kill('SIGKILL');
  await expect.poll(() => boss.status.kind, patience).toBe('reconnecting');
  const live = failure(boss.publish('vak.events.default.self.status', { state: 'progress' }));
  expect(await live).toMatchObject({ code: 'disconnected', retryable: true });
  const submitting = queue.submit({ input: 2 });
  await server.restart();
  const second = await submitting;
  await hand.queue('outage').work(({ input }) => input, { concurrency: 2 });
  expect(await first).toMatchObject({ kind: 'done', output: 1 });
  expect(await queue.wait(second)).toMatchObject({ kind: 'done', output: 2 });
  expect([statuses[0], boss.status.kind]).toEqual(['reconnecting', 'connected']);
  await hand.close();
  await boss.close();
});
