import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type DeafRelay, startDeafRelay } from '../../../tests/support/deaf-relay.ts';
import { damageJournal } from '../../../tests/support/journal-folder.ts';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak, type Ran } from '../../../tests/support/vak-program.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
let relay: DeafRelay | undefined;

afterEach(async () => {
  await relay?.close();
  relay = undefined;
});

interface Waiting {
  readonly destination: string;
  readonly peer: string;
  readonly waiting: number;
}

const task = '{"command":["true"]}';

/** Publishes through a relay that goes deaf in the middle, and is interrupted then. */
async function publishIntoTheVoid(queue: string, lost: 'asked' | 'answers'): Promise<{ ran: Ran; url: string[] }> {
  relay = await startDeafRelay(bus.server.port);
  relay.deafenAt(new RegExp(`vak\\.work\\.default\\.${queue}\\.task`), lost);
  const url = ['--nats-url', relay.url];
  let child: ChildProcess | undefined;
  const ended = vak(['publish', `vak.work.default.${queue}.task`, '--sealed', '--data', task, ...url], {
    onStart(started) {
      child = started;
    },
  });
  await relay.isDeaf;
  child?.kill('SIGINT');
  const ran = await ended;
  relay.cure();
  return { ran, url };
}

const subjects = async (queue: string): Promise<unknown[]> => {
  const { stdout } = await vak(['stream', 'view', 'work', '--subject', `vak.work.*.${queue}.task`, ...bus.url()]);
  return stdout === '' ? [] : jsonLines(stdout);
};

const listed = async (): Promise<Waiting[]> => jsonLines<Waiting>((await vak(['outbox', 'ls', '--json'])).stdout);

test.each([
  ['asked', 0],
  ['answers', 1],
] as const)(
  'B8 vak: a message whose answer is lost (%s) waits in the outbox, and is stored once',
  async (lost, before) => {
    await newSelf();
    await bus.provision();
    const queue = `lost-${lost}`;
    const { ran, url } = await publishIntoTheVoid(queue, lost);
    expect(ran).toMatchObject({
      ...{ code: 4, stdout: '' },
      stderr: oneLine(
        /publish vak\.work\.default\.lost-\w+\.task: .*it waits in the outbox as [0-9a-f-]{36}, .*do not/,
      ),
    });
    expect(await subjects(queue)).toHaveLength(before);
    // The task, and the checkpoint of its chain.
    expect(await listed()).toMatchObject([{ peer: 'operator', slot: 0, isInUse: false, waiting: 2, damaged: 0 }]);
    // Another address is another destination.
    const elsewhere = await vak(['outbox', 'send', '--json', ...bus.url()]);
    expect([elsewhere.code, json(elsewhere.stdout)]).toEqual([0, { sent: 0, refused: 0, waiting: 0 }]);
    const sent = await vak(['outbox', 'send', '--json', ...url]);
    expect([sent.code, json(sent.stdout)]).toEqual([0, { sent: 2, refused: 0, waiting: 0 }]);
    expect(await subjects(queue)).toHaveLength(1);
    expect(await listed()).toMatchObject([{ waiting: 0 }]);
  },
  60_000,
);

test('B8 vak: the next durable publish sends what waits first', async () => {
  await newSelf();
  await bus.provision();
  const { url } = await publishIntoTheVoid('next', 'asked');
  const { code, stderr } = await vak(['publish', 'vak.work.default.next.task', '--sealed', '--data', task, ...url]);
  expect([code, stderr]).toEqual([0, oneLine(/outbox: 2 messages of earlier commands sent/)]);
  const [first, second] = (await subjects('next')) as { envelope: { source: string; resumes?: string } }[];
  expect(second?.envelope.resumes?.startsWith(`${first?.envelope.source}#0:`)).toBe(true);
}, 60_000);

test('B8 vak: an outbox that is damaged is said by everything that would use it, with what to do', async () => {
  await newSelf();
  await bus.provision();
  const { url } = await publishIntoTheVoid('damaged', 'asked');
  const [{ destination } = { destination: '' }] = await listed();
  const folder = join(program.profile, 'outbox', 'default', destination, 'operator', '0');
  damageJournal(folder);
  const why = /outbox: nothing is published and nothing that waits is sent: the journal in .* is damaged.*restore it/;
  const ls = await vak(['outbox', 'ls', '--json']);
  expect([ls.code, json<{ problem: string }>(ls.stdout).problem]).toEqual([1, expect.stringContaining('is damaged')]);
  const call = ['publish', 'vak.work.default.damaged.task', '--sealed', '--data', task, ...url];
  expect(ls.stderr).toBe('');
  for (const args of [['outbox', 'send', ...url], call]) {
    const { code, stderr } = await vak(args);
    // No line of the log is among what is told.
    expect([code, stderr]).toEqual([1, oneLine(why)]);
  }
  expect(await subjects('damaged')).toEqual([]);
}, 60_000);

test('B8 vak: what waits for the server of a context that is taken away is said, with how to send it', async () => {
  await newSelf();
  await bus.provision();
  const { url } = await publishIntoTheVoid('left', 'asked');
  const address = url[1] ?? '';
  for (const name of ['one', 'two', 'far']) {
    await vak(['context', 'add', name, '--url', name === 'far' ? 'nats://127.0.0.1:1' : address]);
  }
  await vak(['context', 'use', 'far']);
  expect((await vak(['context', 'rm', 'far'])).stderr).toBe(
    'context far is taken away\nvak: it was the current one; that is embedded now\n',
  );
  const said = 'vak: outbox of operator: 2 messages wait for the server of context';
  expect((await vak(['context', 'rm', 'one'])).stderr).toMatch(
    new RegExp(`^context one is taken away\n${said} one; vak outbox send --identity operator --context two sends them`),
  );
  expect((await vak(['context', 'rm', 'two'])).stderr).toContain(
    `${said} two; vak outbox send --identity operator --nats-url ${address} sends them`,
  );
  const sent = await vak(['outbox', 'send', '--json', '--identity', 'operator', '--nats-url', address]);
  expect(json(sent.stdout)).toEqual({ sent: 2, refused: 0, waiting: 0 });
  // Nothing waits any more; and an outbox that cannot be read keeps no context.
  await vak(['context', 'add', 'two', '--url', address]);
  expect((await vak(['context', 'rm', 'two'])).stderr).toBe('context two is taken away\n');
  rmSync(join(program.profile, 'outbox'), { recursive: true });
  writeFileSync(join(program.profile, 'outbox'), '');
  await vak(['context', 'add', 'two', '--url', address]);
  const odd = await vak(['context', 'rm', 'two']);
  expect([odd.code, odd.stderr]).toEqual([
    0,
    expect.stringMatching(/outbox: whether something waits .* is not known: /),
  ]);
}, 60_000);

test('B8 vak: a server that is not there keeps nothing, and that is said', async () => {
  await newSelf();
  const call = ['publish', 'vak.work.default.q.task', '--sealed', '--data', task, '--nats-url', 'nats://127.0.0.1:1'];
  expect(await vak(call)).toEqual({
    code: 3,
    stdout: '',
    stderr: oneLine(/.*; nothing was published, and nothing kept: publish it again/),
  });
  expect((await vak(['outbox', 'ls'])).stdout).toBe('');
}, 60_000);

test('B8 vak: where there is no stream nothing is put into the outbox', async () => {
  await newSelf();
  const call = ['publish', 'vak.work.nowhere.q.task', '--workspace', 'nowhere', '--sealed', '--data', task];
  await newSelf('--workspace', 'nowhere', '--identity', 'other');
  const ran = await vak([...call, '--identity', 'other', ...bus.url()]);
  expect(ran).toMatchObject({
    code: 1,
    stdout: '',
    stderr: oneLine(/publish vak\.work\.nowhere\.q\.task: .*no stream VAK_WORK_nowhere; .*vak provision/),
  });
  expect((await vak(['outbox', 'ls', '--workspace', 'nowhere'])).stdout).toBe('');
}, 60_000);

test('B8 vak: a read-only context publishes nothing, and keeps nothing', async () => {
  await newSelf();
  await bus.provision();
  await vak(['context', 'add', 'look', '--url', bus.server.url, '--read-only']);
  const ran = await vak(['publish', 'vak.work.default.q.task', '--sealed', '--data', task, '--context', 'look']);
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: oneLine(/publish: the context "look" is read-only/) });
  expect((await vak(['outbox', 'ls'])).stdout).toBe('');
}, 60_000);
