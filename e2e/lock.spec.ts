/** A locked key store: nothing of the workspace is shown, given or kept in the window, and the workers run on (I3). */
import { expect, type Page } from '@playwright/test';
import { appContract } from '../src/shared/contract/app-contract.ts';
import { findSecrets } from '../tests/support/secret-search.ts';
import { call, followTask, invoke, readSnapshot, runCommand } from './support/bridge.ts';
import { heapSnapshot, wholeStringsArgument } from './support/heap.ts';
import { expectGate, passGate } from './support/secret-entry.ts';
import { vak } from './support/set-up-profile.ts';
import { openSession } from './support/streams-page.ts';
import { startClosed, startWorkbench, test } from './support/workbench.ts';

/** The command prints it, and no text that goes to the worker holds it. */
const printed = 'heron-815484-';
const command = 'i=0; while :; do i=$((i + 1)); echo "heron-$((271828 * 3))-$i"; sleep 0.1; done';
/** What may not be found in a window that is locked: output, command lines, and who has which key. */
const tracesOf = (...texts: readonly string[]) => texts.map((text) => ({ name: text, bytes: Buffer.from(text) }));

const membersOf = (kind: 'call' | 'feed' | 'snapshot'): string[] =>
  Object.entries(appContract).flatMap(([feature, members]) =>
    Object.entries(members)
      .filter(([, spec]) => (spec as { kind: string }).kind === kind)
      .map(([member]) => `${feature}.${member}`),
  );

/** Opens a feed that takes all it can get, and counts in the window what comes of it. */
async function watchFeed(page: Page, name: string, params: unknown): Promise<void> {
  await page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const seen = { frames: 0, isClosed: false, error: '' };
        Object.assign(window, { feedSeen: seen });
        const feedId = crypto.randomUUID();
        const onPort = (event: MessageEvent): void => {
          if (event.data?.bridgeFeed !== feedId) return;
          window.removeEventListener('message', onPort);
          const port = event.ports[0] as MessagePort;
          port.addEventListener('close', () => {
            seen.isClosed = true;
          });
          port.onmessage = ({ data }) => {
            if ('error' in data) seen.error = data.error.code;
            else seen.frames++;
            port.postMessage({ credits: 1 });
            resolve();
          };
        };
        window.addEventListener('message', onPort);
        window.bridge.openFeed(feedId, wanted.name, wanted.params);
      }),
    { name, params },
  );
}

const seenOfFeed = (page: Page): Promise<{ frames: number; isClosed: boolean; error: string }> =>
  page.evaluate(
    () => (window as unknown as { feedSeen: { frames: number; isClosed: boolean; error: string } }).feedSeen,
  );

/** Names of all snapshots that come within a while. */
function snapshotNames(page: Page, forMs: number): Promise<string[]> {
  return page.evaluate(
    (wanted) =>
      new Promise<string[]>((resolve) => {
        const names = new Set<string>();
        const stop = window.bridge.onSnapshot(({ name }) => names.add(name));
        setTimeout(() => {
          stop();
          resolve([...names].sort());
        }, wanted);
      }),
    forMs,
  );
}

test('I3 locked by its key: every call but identity’s, every feed and every other snapshot is refused, nothing of the stream is left in the window, and the workers run on', async ({
  profile,
}) => {
  const workbench = await startClosed(profile, { after: [wholeStringsArgument] });
  const { page } = workbench;
  try {
    await passGate(workbench.app, page);
    await call(page, 'swarm.start', { workers: 1 });
    const task = await runCommand(page, 'sh', '-c', command);
    await followTask(page, task, { isFirstEnough: true });
    await workbench.rememberSessions();
    await openSession(page, task.session);
    await expect(page.locator('.xterm-rows')).toContainText(printed);
    await watchFeed(page, 'streams.rows', { pattern: '>', fromSeq: 0 });
    const self = await readSnapshot(page, 'identity.self');
    const keys = self?.workspaceGrants.map(({ sign }) => sign) ?? [];
    // The operator's, the supervisor's, the membership service's, the swarm's own, the queue worker's, the command's worker's.
    expect(keys).toHaveLength(6);
    const traces = tracesOf(printed, '271828', ...keys, self?.rootPublic ?? 'no root');
    expect((await snapshotNames(page, 300)).length).toBeGreaterThan(5);
    expect(findSecrets({ texts: { heap: await heapSnapshot(page) } }, traces)).toHaveLength(traces.length);

    await page.keyboard.press('Control+Shift+L');
    await expectGate(page, 'lock');
    await expect.poll(async () => (await seenOfFeed(page)).isClosed).toBe(true);
    const { frames } = await seenOfFeed(page);
    for (const method of membersOf('call').filter((name) => !name.startsWith('identity.')))
      expect(await invoke(page, method, {}), method).toMatchObject({ ok: false, error: { code: 'locked' } });
    for (const method of ['identity.lock', 'identity.touch'])
      expect(await invoke(page, method, {}), method).toEqual({ ok: true, value: undefined });
    expect(await invoke(page, 'identity.backup', {})).toMatchObject({ ok: false, error: { code: 'locked' } });
    // Of the work no more than two numbers, and those only when they change.
    expect(['app.status', 'identity.keyStore', 'operations.lockedNews']).toEqual(
      expect.arrayContaining(await snapshotNames(page, 1_500)),
    );
    expect((await seenOfFeed(page)).frames).toBe(frames);
    for (const feed of membersOf('feed')) {
      await watchFeed(page, feed, { pattern: '>', session: task.session, fromSeq: 0 });
      expect(await seenOfFeed(page), feed).toMatchObject({ frames: 0, error: 'locked' });
    }
    expect(findSecrets({ texts: { page: await page.content() } }, traces)).toEqual([]);
    await expect(page.getByTestId('gate-who')).toContainText('operator');
    expect(workbench.living().filter((line) => line.includes('guardian of'))).not.toEqual([]);
    expect(findSecrets({ texts: { heap: await heapSnapshot(page) } }, traces)).toEqual([]);

    await passGate(workbench.app, page);
    const state = await readSnapshot(page, 'swarm.state');
    expect(state.workers.find(({ peer }) => peer === task.peer)).toMatchObject({
      state: 'busy',
      task: { taskId: task.taskId },
    });
    const shown = await followTask(page, task, { isFirstEnough: true });
    expect(shown.droppedCount).toBe(0);
    await openSession(page, task.session);
    await expect(page.locator('.xterm-rows')).toContainText(printed);
    await call(page, 'swarm.stop', {});
  } finally {
    await workbench.end();
  }
});

test('I3 what a worker published while it was locked is there after it, in order and whole', async ({ profile }) => {
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    const lines = 'i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "line $i"; sleep 0.1; done';
    const task = await runCommand(page, 'sh', '-c', lines);
    const { receivedCount } = await readSnapshot(page, 'streams.status');
    await call(page, 'identity.lock', {});
    await expectGate(page, 'lock');
    // While it runs: the command needs four seconds.
    expect(workbench.living().some((line) => line.includes('sh -c'))).toBe(true);
    await passGate(workbench.app, page);
    const account = await followTask(page, task, { keepsChunks: true });
    const output = Buffer.concat(account.chunks.stdout.map((chunk) => Buffer.from(chunk, 'base64'))).toString();
    expect(output).toBe(Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join(''));
    expect(account).toMatchObject({ missingBytes: 0, isInOrder: true, final: { state: 'done' } });
    expect((await readSnapshot(page, 'streams.status')).receivedCount).toBeGreaterThan(receivedCount);
  } finally {
    await workbench.end();
  }
});

test('I3 when nobody was there for the idle time, the first touch finds it locked; a changed time counts at once', async ({
  profile,
}) => {
  const workbench = await startWorkbench(profile);
  const { app, page } = workbench;
  try {
    const idleMinutes = async (): Promise<number> => (await readSnapshot(page, 'identity.keyStore')).idleLockMinutes;
    expect(await idleMinutes()).toBe(15);
    expect(vak(profile, ['config', 'set', 'idleLockMinutes', '1']).code).toBe(0);
    await expect.poll(idleMinutes).toBe(1);
    // The wall clock goes on while the machine sleeps; here it jumps, as nobody waits for a minute.
    const sleep = (ms: number): Promise<void> =>
      app.evaluate((_electron, forward) => {
        const now = Date.now;
        Date.now = () => now() + forward;
      }, ms);
    await sleep(50_000);
    await call(page, 'identity.touch', {});
    await sleep(50_000);
    await call(page, 'identity.touch', {});
    expect((await readSnapshot(page, 'identity.keyStore')).kind).toBe('unlocked');
    await sleep(60_000);
    await invoke(page, 'identity.touch', {});
    await expectGate(page, 'lock');
    expect((await readSnapshot(page, 'identity.keyStore')).kind).toBe('locked');
  } finally {
    await workbench.end();
  }
});
