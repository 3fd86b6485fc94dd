/** The Operations Center: the first screen, incidents of the work plane, acknowledging, muting, and what of it outlives a start. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { Incident } from '../src/shared/contract/operations-contract.ts';
import { themes, violations } from './support/axe.ts';
import { call, readSnapshot } from './support/bridge.ts';
import { tellSnapshot } from './support/told-snapshot.ts';
import { startWorkbench, test, type Workbench } from './support/workbench.ts';

const lineOf = (page: Page, id: string) => page.locator(`[data-problem="incident ${id}"]`);
const settingsOf = (profile: string): unknown => JSON.parse(readFileSync(join(profile, 'settings.json'), 'utf8'));
const titleOf = ({ app }: Workbench): Promise<string | undefined> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle());
const failed = 'dead-letters:local:exit.7';

async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const theme of themes) {
    await call(page, 'settings.set', { key: 'look.theme', value: theme });
    await expect(page.locator(':root')).toHaveAttribute('data-theme', theme);
    expect.soft(await violations(page), `${what}, ${theme}`).toEqual([]);
  }
}

test('W3 product.md a task that fails for good is an incident, on the badge, acknowledged by its key, and so after a start; what is muted is only listed', async ({
  profile,
}) => {
  test.setTimeout(120_000);
  const first = await startWorkbench(profile);
  try {
    const { page } = first;
    await expect(page).toHaveTitle('Operations Center — Vak Workbench');
    await expect(page.getByRole('button', { name: 'Start the local swarm' })).toBeVisible();
    await call(page, 'swarm.start', { workers: 2 });
    await call(page, 'queues.enqueue', { queue: 'local', task: { command: ['sh', '-c', 'exit 7'], maxRetries: 0 } });
    const line = lineOf(page, failed);
    await expect(line).toContainText('1 task of local failed for good: exit.7', { timeout: 40_000 });
    await expect(line).toContainText('exit code 7');
    await expect.poll(() => titleOf(first)).toMatch(/^\(\d+\) Operations Center — Vak Workbench$/);
    await expect(page.getByRole('button', { name: /things? needs? an operator: \d+ incidents?/ })).toBeVisible();
    // The window's title counts what the flag does.
    await expect
      .poll(async () =>
        (await titleOf(first))?.startsWith(`(${await page.getByTestId('attention-flag').textContent()}) `),
      )
      .toBe(true);
    await call(page, 'swarm.stop', {});
    await expectAccessible(page, 'incidents');

    await line.getByTestId('problem-mute').click();
    await expectAccessible(page, 'the menu of an incident');
    await page.getByTestId('menu-mute-queue').click();
    await expect(line).toHaveAttribute('data-muted', 'true');
    expect(settingsOf(profile)).toMatchObject({ notifications: { mutedQueues: 'local' } });
    await expect.poll(() => titleOf(first)).toBe('Operations Center — Vak Workbench');

    await line.getByTestId('problem-acknowledge').focus();
    await page.keyboard.press('a');
    await expect(line).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);
  } finally {
    await first.end();
  }
  const second = await startWorkbench(profile);
  try {
    const { page } = second;
    await expect
      .poll(async () => (await readSnapshot(page, 'operations.state')).incidents.find(({ id }) => id === failed))
      .toMatchObject({ count: 1, acknowledged: { atMs: expect.any(Number) }, isMuted: true });
    await expect(lineOf(page, failed)).toHaveCount(0);
    await page.getByTestId('problems-show-acknowledged').click();
    await lineOf(page, failed).getByTestId('problem-take-back').click();
    await expect(lineOf(page, failed)).toHaveAttribute('data-acknowledged', 'false');
    await lineOf(page, failed).getByTestId('problem-open').click();
    await expect(page).toHaveTitle('Dead letters — Vak Workbench');
    await expect(page.getByTestId('letter-filter')).toHaveValue('queue:local error:exit.7');
  } finally {
    await second.end();
  }
});

test('W9 a queue that nobody works on is a problem that stands: it leads to the queue, and is over when nothing waits', async ({
  workbench,
}) => {
  const { page } = workbench;
  await page.keyboard.press('Control+1');
  await call(page, 'settings.set', { key: 'alerts.noConsumerSec', value: 1 });
  await call(page, 'queues.enqueue', { queue: 'builds', task: { command: ['true'] } });
  const line = lineOf(page, 'no-consumer:builds');
  await expect(line).toContainText('1 task waits, and no worker claims it.', { timeout: 30_000 });
  await expect(line).toContainText('stands until it is over');
  await expect(page.getByTestId('status-lag')).toHaveAttribute('data-count', '1');
  await expect(page.getByTestId('work-panel')).toContainText('builds');
  await line.getByTestId('problem-open').focus();
  await page.keyboard.press('a');
  await expect(line).toBeVisible();
  await line.getByTestId('problem-open').click();
  await expect(page).toHaveTitle('Queues — Vak Workbench');
  const { lastSeq } = await call<{ lastSeq: number }>(page, 'queues.standing', { queue: 'builds' });
  await call(page, 'queues.purge', { queue: 'builds', confirmedName: 'builds', lastSeq });
  await page.keyboard.press('Control+1');
  await expect(line).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByTestId('problems-none')).toBeVisible();
});

test('W9 look.md 187 queues without a worker are one line that unfolds, gone through and searched by keys alone; the streams of a workspace are shown before they are made', async ({
  workbench,
}) => {
  const { page } = workbench;
  const { keyboard } = page;
  const state = await readSnapshot(page, 'operations.state');
  const incidents = Array.from({ length: 187 }, (_, at): Incident => {
    const queue = `q${at}`;
    return {
      ...{ id: `no-consumer:${queue}`, kind: 'no-consumer', tone: 'wait', title: `Nobody works on ${queue}` },
      ...{ why: `${at} tasks wait.`, next: 'Start a worker for this queue.', queue, place: { kind: 'queue', queue } },
      ...{
        firstMs: 1,
        lastMs: 1,
        count: at,
        weight: at,
        isStanding: true,
        acknowledged: null,
        isMuted: false,
        records: [],
      },
    };
  });
  // Records that no other list has unfold below their incident.
  const records = [1204, 1203].map((seq): Incident['records'][number] => {
    return { stream: 'VAK_DLQ_default', seq, atMs: seq, from: 'worker-1', why: 'It is signed by nobody.' };
  });
  const forged: Incident = {
    ...{ id: 'refused:dead-letter', kind: 'refused-record', tone: 'bad', title: '40 dead letters do not count' },
    ...{ why: 'The latest: It is signed by nobody.', next: 'Find out who wrote it.', queue: null, records },
    ...{ place: { kind: 'records' }, firstMs: 1, lastMs: 2, count: 40, weight: 40, isStanding: false },
    ...{ acknowledged: null, isMuted: false },
  };
  await keyboard.press('Control+3');
  await keyboard.press('Control+1');
  await tellSnapshot(workbench, 'operations.state', { ...state, incidents: [forged, ...incidents] });
  await expect(page.getByTestId('problem')).toHaveCount(2);
  await expect(page.getByTestId('problem').last()).toContainText('Nobody works on 187 queues');
  // No Tab before it: the list has the focus.
  await keyboard.press('j');
  await keyboard.press('ArrowRight');
  await expect(page.getByTestId('problem-record')).toHaveCount(2);
  await expect(page.getByTestId('problem-records')).toContainText('The latest 2 of 40.');
  await expectAccessible(page, 'records that do not count');
  await keyboard.press('ArrowLeft');
  await expect(page.getByTestId('problem-records')).toHaveCount(0);
  await keyboard.press('j');
  await keyboard.press('ArrowRight');
  await expect(page.getByTestId('problem-member').first()).toContainText('Nobody works on q186');
  await keyboard.press('j');
  await expect(page.getByTestId('problem-members')).toBeFocused();
  await keyboard.type('q42');
  await expect(page.locator('[data-testid="problem-member"][aria-selected="true"]')).toContainText('q42');
  expect(await page.getByTestId('problem-member').count()).toBeLessThan(20);
  await expectAccessible(page, 'a group of problems');
  await keyboard.press('Escape');
  await expect(page.getByTestId('problem-members')).toHaveCount(0);
  await expect(page.getByTestId('problem-fold').last()).toBeFocused();

  await keyboard.press('Control+k');
  await keyboard.type('Create the streams');
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create the streams of this workspace on embedded' });
  await expect(dialog.getByRole('row', { name: 'VAK_WORK_default' })).toContainText('is there');
  await expect(dialog).toContainText('All 13 are there');
  await expectAccessible(page, 'streams of the workspace');
  await keyboard.press('Escape');
});
