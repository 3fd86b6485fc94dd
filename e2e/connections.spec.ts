import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
/** Connections: the app on a real nats-server and on the managed one; the server is pulled under it and put back. */
import { expect, type Page } from '@playwright/test';
import { type NatsServer, startNatsServer } from '../tests/support/nats-server.ts';
import { call, followTask, invoke, readMessages, readSnapshot, runCommand } from './support/bridge.ts';
import { tabTo } from './support/keyboard.ts';
import { mustRun } from './support/other-peer.ts';
import { type StartedProgram, startWorker, vak, worker } from './support/set-up-profile.ts';
import { openSession } from './support/streams-page.ts';
import { test, type Workbench } from './support/workbench.ts';

const mark = (page: Page) => page.getByTestId('connection-mark');

async function addRemote(page: Page, server: NatsServer, isReadOnly = false): Promise<void> {
  const context = { name: 'prod', kind: 'remote', url: server.url, colour: 'red', isReadOnly };
  await call(page, 'connections.save', context);
}

/**
 * Runs with the app judging all the time by the grants that it knows, so that its last look at them is never long past when another
 * process grants something: what it read then it believes for 100 ms.
 */
async function whileJudging(page: Page, run: () => Promise<void>): Promise<void> {
  const seqs = (await readMessages(page)).slice(0, 1).map(({ seq }) => seq);
  const timer = await page.evaluate(
    (asked) =>
      window.setInterval(
        () => void window.bridge.invoke(crypto.randomUUID(), 'streams.check', { seqs: asked }).catch(() => {}),
        10,
      ),
    seqs,
  );
  try {
    await run();
  } finally {
    await page.evaluate((id) => window.clearInterval(id), timer);
  }
}

/**
 * A worker that the app did not start, as an identity that is made with its start: its grant is written by another process a moment
 * before its first words, and all of those end unrefused, sealed, signed and chained.
 */
async function expectNewWorker(
  { page, profile }: Workbench,
  name: string,
  connection: readonly string[],
): Promise<void> {
  const said = worker(profile, [...connection, '--identity', name, '--', 'echo', 'from outside']);
  expect([said.code, said.stderr]).toEqual([0, '']);
  const printedCount = said.stdout.trim().split('\n').length;
  const heard = async () => (await readMessages(page)).filter(({ peer }) => peer === name);
  await expect.poll(async () => (await heard()).length).toBe(printedCount);
  const all = await heard();
  for (const { trust } of all) {
    expect(trust.refusal).toBeNull();
    expect(trust.marks).toEqual({ seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false });
  }
  expect(all.map(({ trust }) => trust.chain?.chainSeq)).toEqual(all.map((_, index) => index));
  const own = async () => (await readSnapshot(page, 'sessions.list')).sessions.filter(({ peer }) => peer === name);
  await expect.poll(own).toMatchObject([{ state: 'ended', messageCount: printedCount }]);
}

/** A worker that the app did not start, in the middle of a command. */
async function startLongCommand({ page, profile }: Workbench, name: string, connection: readonly string[]) {
  const started = startWorker(profile, [...connection, '--identity', name, '--', 'sleep', '4331']);
  const own = async () => (await readSnapshot(page, 'sessions.list')).sessions.find(({ peer }) => peer === name);
  await expect.poll(async () => (await own())?.note, { timeout: 20_000 }).toContain('claimed');
  return { ...started, session: (await own())?.session ?? '' };
}

/** The operator asks by name, in the window; the worker obeys, and the window shows what it says of that. */
async function expectCancelled({ page }: Workbench, { ended, session }: StartedProgram & { session: string }) {
  await page.keyboard.press('Control+2');
  await openSession(page, session);
  await page.getByTestId('cancel-command').click();
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('worker: operator cancels the command')]);
  await expect(page.getByTestId('session-state')).toHaveText('ended');
}

async function expectWorkersFromOutside(workbench: Workbench, connection: readonly string[]): Promise<void> {
  const { page } = workbench;
  await whileJudging(page, async () => {
    for (const name of ['builder', 'tester']) await expectNewWorker(workbench, name, connection);
  });
  expect((await readSnapshot(page, 'streams.quarantine')).refusedCount).toBe(0);
}

/** The newest row lies above whatever is said. */
async function expectNoRowCovered(page: Page): Promise<void> {
  const [marker, notices] = await Promise.all([
    page.getByTestId('outage-marker').boundingBox(),
    page.getByTestId('notices').boundingBox(),
  ]);
  expect((marker?.y ?? Infinity) + (marker?.height ?? 0)).toBeLessThanOrEqual(notices?.y ?? 0);
}

/** An outage that is over leads to its gap in the table, and goes by its key when it was read. */
async function expectOutageAcknowledged(page: Page): Promise<void> {
  await page.keyboard.press('Control+1');
  const problem = page.locator('[data-problem="outage"]');
  await problem.getByTestId('problem-open').click();
  await expect(page.getByTestId('outage-marker').last()).toBeInViewport();
  await expect(page.getByTestId('live-table')).toBeFocused();
  await page.keyboard.press('Control+1');
  await problem.getByTestId('problem-acknowledge').focus();
  await page.keyboard.press('a');
  await expect(problem).toHaveCount(0);
}

/** Attempts of the local swarm that are over. */
async function triedCount(page: Page): Promise<number> {
  const { workers } = await readSnapshot(page, 'swarm.state');
  return workers.reduce((sum, { doneCount, failedCount }) => sum + doneCount + failedCount, 0);
}

/** The server begins to enforce access under the running app: each of its peers works on by its own key; one that the server was not told of is kept out until it is. */
async function expectEnforced({ page, profile }: Workbench, server: NatsServer): Promise<void> {
  const exported = (): string => mustRun(profile, ['acl', 'export', '--format', 'nats-conf']).stdout;
  // As docs/spec/access.md has it for a server whose streams lie in its one account.
  await server.kill('SIGTERM');
  const accounts = join(server.storeFolder, 'jetstream');
  renameSync(join(accounts, '$G'), join(accounts, 'VAK_STREAMS_default'));
  mkdirSync(join(accounts, 'VAK_QUEUES_default', 'streams'), { recursive: true });
  for (const stream of ['VAK_WORK_default', 'VAK_INBOX_default', 'VAK_ADV_default']) {
    const place = join('streams', stream);
    renameSync(join(accounts, 'VAK_STREAMS_default', place), join(accounts, 'VAK_QUEUES_default', place));
  }
  await server.config(exported());
  await server.restart();
  const before = await triedCount(page);
  await expect.poll(() => triedCount(page), { timeout: 30_000 }).toBeGreaterThan(before);
  await call(page, 'swarm.stop', {});
  await call(page, 'swarm.start', { workers: 2 });
  await page.keyboard.press('Control+1');
  const problem = page.locator('[data-problem="kept-out"]');
  await expect(problem).toContainText('The server does not let in 1 peer of the local swarm');
  await expect(problem).toContainText('worker-2: the server was not told of the grant; export the access anew');
  await server.config(exported());
  await expect(problem).toHaveCount(0);
  // What the app itself looks at is no more than the server lets an operator.
  await page.keyboard.press('Control+9');
  await expect(page.getByTestId('stream-DLQ')).toBeVisible();
  expect(server.log().match(/.*violation.*/gi)).toBeNull();
}

/** Another connection takes the output of the swarm along: that is said before and after. */
async function expectMoveAsked(page: Page): Promise<void> {
  await page.keyboard.press('Control+9');
  await page.getByTestId('connection-use-embedded').click();
  await expect(page.getByRole('alertdialog')).toContainText('2 workers of the local swarm will publish to embedded.');
  await expect(mark(page)).toContainText('prod');
  await page.getByTestId('connection-move').click();
  await expect(page.getByTestId('notices')).toContainText('2 workers of the local swarm publish to embedded now.');
}

test.describe('on a nats-server', () => {
  let server: NatsServer;
  test.beforeEach(async () => {
    server = await startNatsServer();
  });
  test.afterEach(async () => {
    await server.stop();
  });

  test('B8 a context is tested and used in Settings; workers and other programs talk with the app over the server', async ({
    workbench,
  }) => {
    const { page } = workbench;
    await addRemote(page, server);
    await page.keyboard.press('Control+9');
    await page.getByTestId('connection-test-prod').click();
    await expect(page.getByTestId('connection-outcome')).toContainText('2.9');
    await expect(page.getByTestId('connection-outcome')).toContainText('storage no limit');
    await page.getByTestId('connection-use-prod').click();
    await expect(mark(page)).toContainText('prod');
    await expect(mark(page)).toContainText('connected');
    const task = await runCommand(page, 'echo', 'over the server');
    const { final } = await followTask(page, task);
    expect(final.state).toBe('done');
    const connection = ['--nats-url', server.url];
    await expectWorkersFromOutside(workbench, connection);
    const provisioned = vak(workbench.profile, ['provision', ...connection]);
    expect(provisioned.code, provisioned.stderr).toBe(0);
    await expectCancelled(workbench, await startLongCommand(workbench, 'sleeper', connection));
  });

  test('B8 the server is pulled under the running app and put back: one change each way, nothing durable is lost; A18 told of the access, it lets each peer do its work', async ({
    workbench,
  }) => {
    test.setTimeout(120_000);
    const { page, profile } = workbench;
    await addRemote(page, server);
    await call(page, 'connections.use', { name: 'prod' });
    const address = ['--nats-url', server.url, '--json'];
    const provisioned = vak(profile, ['provision', ...address]);
    expect(provisioned.code, provisioned.stderr).toBe(0);
    const stored = vak(profile, [
      'publish',
      'vak.audit.default.operator.action',
      '--sealed',
      '--data',
      JSON.stringify({
        ...{ operationId: '0197a3c0-0000-7000-8000-000000000001', action: 'queue.pause', target: 'build' },
        ...{ scope: 'queue', count: 1, outcome: 'done' },
      }),
      ...address,
    ]);
    expect(stored.code, stored.stderr).toBe(0);
    const { stream, seq, id } = JSON.parse(stored.stdout);
    await page.keyboard.press('Control+2');
    const sleeper = await startLongCommand(workbench, 'sleeper', ['--nats-url', server.url]);
    await call(page, 'swarm.start', { workers: 1 });
    await expect(page.getByTestId('live-row').first()).toBeVisible();

    await server.kill('SIGKILL');
    await expect(mark(page)).toContainText('reconnecting');
    await expect(page.getByTestId('streams-stale')).toBeVisible();
    await expect(page.getByTestId('outage-marker')).toHaveAttribute('data-lasting', 'true');
    await expect(page.getByTestId('notices')).toContainText('was lost at');
    await expectNoRowCovered(page);
    const lost = await readSnapshot(page, 'connections.state');
    expect(lost.staleSinceMs).not.toBeNull();
    // What the operator says meanwhile waits, and that is shown.
    const asked = await call(page, 'sessions.signal', { session: sleeper.session, signal: 'cancel' });
    expect(asked).toMatchObject({ isStored: false });
    const { outbox } = await readSnapshot(page, 'connections.state');
    expect(outbox?.waitingCount).toBe(1);
    await mark(page).hover();
    await expect(page.getByRole('tooltip')).toContainText('1 message waits in the outbox since');

    await server.restart();
    await expect(mark(page)).toContainText('connected', { timeout: 20_000 });
    await expect(page.getByTestId('streams-stale')).toBeHidden();
    const { outages } = await readSnapshot(page, 'connections.state');
    expect(outages).toHaveLength(1);
    expect(outages[0]?.toMs).not.toBeNull();
    const { receivedCount } = await readSnapshot(page, 'streams.status');
    await expect
      .poll(async () => (await readSnapshot(page, 'streams.status')).receivedCount)
      .toBeGreaterThan(receivedCount);
    const kept = vak(profile, ['stream', 'get', stream, '--seq', String(seq), ...address]);
    expect(kept.code, kept.stderr).toBe(0);
    expect(kept.stdout).toContain(id);
    const { code, stderr } = await sleeper.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('worker: operator cancels the command')]);
    await expect.poll(async () => (await readSnapshot(page, 'connections.state')).outbox?.waitingCount).toBe(0);
    await expectOutageAcknowledged(page);
    await expectEnforced(workbench, server);
    await expectMoveAsked(page);
    await call(page, 'swarm.stop', {});
  });

  test('B8 a server that is not there is told with what to do, and the connection before stays', async ({
    workbench,
  }) => {
    const { page } = workbench;
    await addRemote(page, server);
    await server.stop();
    const refused = await invoke(page, 'connections.use', { name: 'prod' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'disconnected' } });
    await expect(mark(page)).toContainText('embedded');
    await expect(mark(page)).toContainText('connected');
  });
});

test('B9 a connection is added, refused, edited and removed by keys alone; what is refused leaves nothing behind', async ({
  workbench: { page },
}) => {
  const { keyboard } = page;
  const name = page.getByTestId('connection-name');
  const url = page.getByTestId('connection-url');
  const row = page.getByTestId('connection-prod');
  await keyboard.press('Control+9');
  await tabTo(page, page.getByRole('button', { name: 'Add…' }));
  await keyboard.press('Enter');
  await expect(name).toBeFocused();
  await keyboard.type('prod eu!');
  await keyboard.press('Enter');
  await expect(name).toBeFocused();
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await expect(url).toHaveAttribute('aria-invalid', 'true');
  await name.press('Control+a');
  await keyboard.type('prod');
  await tabTo(page, url);
  await keyboard.type('http://nowhere');
  await keyboard.press('Enter');
  await expect(url).toHaveAttribute('aria-invalid', 'true');
  await expect(url).toBeFocused();
  const { contexts } = await readSnapshot(page, 'connections.state');
  expect(contexts.map((context) => context.name)).toEqual(['embedded']);
  await url.press('Control+a');
  await keyboard.type('nats://127.0.0.1:1');
  await keyboard.press('Enter');
  await expect(url).toBeHidden();
  await expect(row).toBeVisible();

  await tabTo(page, page.getByTestId('connection-embedded'));
  await keyboard.press('j');
  await expect(row).toBeFocused();
  await keyboard.press('t');
  await expect(page.getByTestId('connection-outcome')).toContainText('check that it runs');
  await keyboard.press('Enter');
  await tabTo(page, page.getByTestId('connection-read-only-box'));
  await keyboard.press('Space');
  await keyboard.press('Enter');
  await expect(row).toContainText('read-only');
  await expect(row).toBeFocused();
  await keyboard.press('Delete');
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await tabTo(page, page.getByRole('textbox', { name: 'Type prod to confirm' }));
  await keyboard.type('prod');
  await keyboard.press('Enter');
  await expect(row).toBeHidden();
});

test('B8 the managed server is started, joined by the app, and gone with it', async ({ workbench }) => {
  const { page } = workbench;
  await call(page, 'connections.save', {
    name: 'own',
    kind: 'managed',
    url: null,
    colour: 'violet',
    isReadOnly: false,
  });
  await call(page, 'connections.use', { name: 'own' });
  await expect(mark(page)).toContainText('managed');
  await expect(mark(page)).toContainText('connected');
  const task = await runCommand(page, 'echo', 'over the managed server');
  expect((await followTask(page, task)).final.state).toBe('done');
  await expectWorkersFromOutside(workbench, ['--context', 'own']);
  await expectCancelled(workbench, await startLongCommand(workbench, 'sleeper', ['--context', 'own']));
  await call(page, 'connections.use', { name: 'embedded' });
  await expect(mark(page)).toContainText('embedded');
});

test('B8 vak: what a managed context says while the app does not use it brings its server', async ({ workbench }) => {
  const { page, profile } = workbench;
  expect(vak(profile, ['context', 'add', 'own', '--managed']).code).toBe(0);
  const before = vak(profile, ['context', 'test', 'own']);
  expect([before.code, before.stderr]).toEqual([3, expect.stringContaining('vak context use own, with the app open')]);
  expect(vak(profile, ['context', 'use', 'own']).code).toBe(0);
  await expect(mark(page)).toContainText('own');
  await expect(mark(page)).toContainText('connected');
  const after = vak(profile, ['context', 'test', 'own']);
  expect(after.code, after.stderr).toBe(0);
});
