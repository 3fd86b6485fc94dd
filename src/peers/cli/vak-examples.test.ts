import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { plainFields } from '../../../tests/support/golden-message.ts';
import { cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { createTestOperator } from '../../../tests/support/nats-jwt.ts';
import { doneResult, failedResult, openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { type Listener, prepareServer, startListener, startUntil } from '../../../tests/support/vak-bus.ts';
import { passphrase, prepareVak, type Ran } from '../../../tests/support/vak-program.ts';
import { createNkeySeed } from '../../engine/identity/nkey.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { toText } from '../../shared/base/bytes.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { commandTable } from './command-table.ts';

const program = prepareVak();
const bus = prepareServer();
let builder: ProfilePeer | undefined;
let membership: Listener | undefined;
const asking = new AbortController();

afterEach(async () => {
  asking.abort();
  await builder?.close();
  membership?.child.kill('SIGKILL');
  await membership?.ended;
});

/** They listen until somebody speaks: vak-engines.test.ts runs such ones. Services run until a signal: vak-worker.test.ts. */
const listening: ReadonlySet<string> = new Set(['subscribe']);
/** They need a checkpoint, which comes after 256 envelopes or a minute: vak-chain.test.ts runs such ones. */
const proving: ReadonlySet<string> = new Set(['chain prove', 'chain check']);
/** They need somebody else in the room: vak-rooms.test.ts runs such ones. */
const joining: ReadonlySet<string> = new Set(['room join', 'room leave', 'room role']);
/** What the others use stands before them, what they use is taken away after them; the rest runs in the order of the help. */
const order: Readonly<Record<string, number>> = {
  'context add': 0,
  'id backup': 1,
  // Before a key that the backup lacks is made.
  doctor: 2,
  provision: 3,
  publish: 3,
  'grant revoke': 8,
  'context rm': 9,
};

const nameOf = (words: readonly string[]): string => words.join(' ');
const placeOf = (words: readonly string[]): number => order[nameOf(words)] ?? 4;

const home = (): string => join(program.folder, 'home');

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(home(), name), content);
  chmodSync(join(home(), name), 0o600);
}

/** Runs lines of a shell as somebody types them in a folder; server addresses are those of the test's own. */
function type(lines: string): Promise<Ran> {
  const text = lines.replaceAll(/(?:tls:\/\/nats\.example\.com|nats:\/\/127\.0\.0\.1):4222/g, bus.server.url);
  const { programs } = program;
  const commands = `cd '${home()}'
vak() { '${process.execPath}' '${programs.vak}' "$@"; }
worker() { '${process.execPath}' '${programs.worker}' "$@"; }
${text}`;
  const environment = {
    HOME: home(),
    VAK_PASSPHRASE_FILE: join(home(), 'pass'),
    VAK_BACKUP_PASSPHRASE_FILE: undefined,
  };
  return program.start('/bin/sh', ['-c', commands], { environment });
}

async function succeeds(line: string): Promise<void> {
  const { code, stderr } = await type(line);
  expect(code, `${line}\n${stderr}`).toBe(0);
}

/** The files that the helps say their examples need. */
function writeNeeded(): void {
  mkdirSync(join(home(), 'backup', 'nats', 'context'), { recursive: true });
  write('pass', `${passphrase}\n`);
  write('backup-pass', 'canary: a horse for the backup\n');
  write('secret', 'canary: a secret to share\n');
  write('seed', toText(createNkeySeed(createSystemRandomness()).reveal()));
  write('prod.creds', createTestOperator().createUser().creds);
  write('notes.txt', 'what changed');
  write('bob.card.json', JSON.stringify(cardWith({ ws: 'default', peer: 'bob' }, signerOf(2))));
  write('plain.json', JSON.stringify({ ...plainFields, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }));
}

/** Messages of the workspace, as `vak subscribe` prints them. */
async function writeMessages(): Promise<void> {
  const publish = `vak publish vak.events.default.self.status --sealed --data '{"state":"started"}' --nats-url ${bus.server.url}`;
  const listener = await startListener(program, ['vak.events.default.>', '--count', '1', ...bus.url()]);
  await succeeds(publish);
  const { stdout } = await listener.ended;
  write('message.json', stdout);
  write('messages.ndjson', stdout);
  write('messages.ndjson.gz', gzipSync(stdout));
}

/** The worker that the examples about tasks need. */
async function startBuilder(): Promise<void> {
  builder = await openProfilePeer(join(home(), '.config', 'Vak Workbench'), 'builder', bus.server.url);
  await builder.work('builds', async ({ task }) => (task.command?.[0] === 'false' ? failedResult : doneResult));
}

/** The service that the examples about rooms need. */
async function startMembership(): Promise<void> {
  program.switchProfile(join('home', '.config', 'Vak Workbench'));
  membership = await startUntil(program, ['membershipd', ...bus.url()], { text: /"started"/ });
}

/** The dead letter that the examples about dead letters need. */
async function failForGood(): Promise<void> {
  await succeeds('vak task submit --queue builds --context prod -- false');
  const stream = builder?.fabric.durable.stream('VAK_DLQ_default');
  await expect.poll(async () => (await stream?.state())?.messageCount, { timeout: 15_000 }).toBe(1);
}

/** A retry that is under way until somebody cancels it: no worker takes its task. */
async function beginRetry(): Promise<{ readonly ended: Promise<Ran> }> {
  await succeeds('vak task submit --queue builds --context prod -- false');
  const countOf = async (plane: string, subject: string): Promise<number | undefined> =>
    (await builder?.fabric.durable.stream(`VAK_${plane}_default`).read({ subject, limit: 9 }))?.messages.length;
  await expect.poll(() => countOf('DLQ', 'vak.dlq.default.*.failed'), { timeout: 15_000 }).toBe(2);
  const ended = type('vak dlq retry 2 --queue nobody --context prod');
  await expect.poll(() => countOf('WORK', 'vak.work.default.nobody.task'), { timeout: 15_000 }).toBe(1);
  return { ended };
}

/** A request that waits for its answer, for longer than the test takes. */
async function askForApproval(): Promise<void> {
  if (builder === undefined) throw new Error('the worker has not started');
  const { approvals, fabric } = builder;
  const stream = fabric.durable.stream('VAK_APPROVALS_default');
  const { lastSeq } = await stream.state();
  const trace = startTrace(createSystemRandomness().bytes);
  const question = { title: 'May I?', detail: 'all of it', expiresInMs: 600_000, taskId: randomUUID(), trace };
  const answered = approvals.ask({ ...question, signal: asking.signal });
  answered.catch(() => {});
  await expect.poll(async () => (await stream.state()).lastSeq, { timeout: 15_000 }).toBeGreaterThan(lastSeq);
}

test('vak: each example of each help runs as it stands, where what it says it needs is there', async () => {
  mkdirSync(home());
  writeNeeded();
  for (const line of commandTable[0]?.example.split('\n') ?? []) await succeeds(line);
  await writeMessages();
  const rest = commandTable
    .slice(1)
    .filter(({ words, isService }) => !isService && words[0] !== 'room')
    .filter(({ words }) => !(listening.has(nameOf(words)) || proving.has(nameOf(words))));
  for (const { words, example } of rest.toSorted((a, b) => placeOf(a.words) - placeOf(b.words))) {
    if (nameOf(words) === 'publish') await succeeds('worker --context prod --identity builder -- true');
    if (nameOf(words) === 'task submit') await startBuilder();
    if (nameOf(words) === 'dlq ls') await failForGood();
    if (words[0] === 'approvals' && words[1] !== 'ls') await askForApproval();
    const retry = nameOf(words) === 'dlq cancel' ? await beginRetry() : undefined;
    for (const line of example.split('\n')) await succeeds(line);
    await retry?.ended;
    if (nameOf(words) === 'publish')
      await succeeds(`vak publish vak.work.default.builds.task --sealed --data '{"command":["true"]}' --context prod`);
  }
}, 240_000);

/** What they need of the others: an identity, the context prod, its streams. */
const before: readonly string[] = ['id new', 'context add', 'provision'];

test('vak room: each example of each help runs as it stands, where what it says it needs is there', async () => {
  mkdirSync(home());
  writeNeeded();
  const rooms = commandTable.filter(({ words }) => words[0] === 'room' && !joining.has(nameOf(words)));
  const needed = before.flatMap((name) => commandTable.filter(({ words }) => nameOf(words) === name));
  for (const { example } of needed) for (const line of example.split('\n')) await succeeds(line);
  await startMembership();
  for (const { example } of rooms) for (const line of example.split('\n')) await succeeds(line);
}, 240_000);
