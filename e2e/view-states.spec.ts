/**
 * Pictures of the nine views in their states: empty, read-only, being read, not readable, old, at work; in both themes.
 * Law: the data, the time and the zone are told, so that a picture changes only where the look does. After a wanted change:
 * `npm run build`, then `npx playwright test e2e/view-states.spec.ts --update-snapshots`, and look at each picture.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ownProjectRoot } from '../scripts/files.mjs';
import { approvalReport } from '../tests/support/approval-reports.ts';
import { at, connectionsState } from '../tests/support/connections-state.ts';
import { queueState } from '../tests/support/queue-states.ts';
import { call, readSnapshot } from './support/bridge.ts';
import { tellSnapshot } from './support/told-snapshot.ts';
import { setPageSize, test, type Workbench } from './support/workbench.ts';

const nowMs = at('14:03:07');
const problem = { code: 'timeout', message: 'the server did not answer within 5 s', retryable: true } as const;
const views = [
  ...['operations', 'streams', 'queues', 'dead-letters', 'trace', 'approvals', 'rooms', 'identity', 'settings'],
] as const;
/** Views whose state a snapshot says whole. */
const toldViews = [
  [3, 'queues.state'],
  [4, 'dlq.state'],
  [6, 'approvals.state'],
  [7, 'rooms.state'],
] as const;

/** Takes pictures and compares them with those that are kept, where the runtime is the one that they were taken with. */
function createCamera({ page }: Pick<Workbench, 'page'>, runtime: string) {
  const isKept = existsSync(join(ownProjectRoot, 'e2e', 'view-states.spec.ts-snapshots', runtime));
  const isWritten = ['all', 'changed'].includes(test.info().config.updateSnapshots);
  return async (view: number, state: string): Promise<void> => {
    await page.keyboard.press(`Control+${view}`);
    await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
    // Keys, paths, days and loads of its own are masked; of the views that are about what happens the state alone is looked at.
    const mask = [1, 8, 9].includes(view) ? [page.locator('main dd, main .data')] : [];
    const states = page.locator('main :is(.empty-state, .view-reading, .view-note)');
    const shown = [2, 5, 7].includes(view) ? states.filter({ visible: true }).first() : page.locator('main');
    const path = [runtime, `${views[view - 1]}-${state}.png`];
    if (!isKept && !isWritten) return;
    await expect.soft(shown).toHaveScreenshot(path, { mask, maxDiffPixelRatio: 0.01 });
  };
}

/** The day of the tests, for everything that the page reckons from now. */
function stopClock(page: Page): Promise<void> {
  return page.evaluate((ms) => {
    Date.now = () => ms;
  }, nowMs);
}

async function chooseTheme(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await call(page, 'settings.set', { key: 'look.theme', value: theme });
  await expect(page.locator(':root')).toHaveAttribute('data-theme', theme);
}

test('the nine views look as they did, in each of their states', async ({ workbench }) => {
  test.setTimeout(120_000);
  const { app, page } = workbench;
  const runtime = await app.evaluate(() => `${process.platform}-${process.versions.electron}`);
  const picture = createCamera(workbench, runtime);
  await setPageSize(workbench, 1024, 700);
  await stopClock(page);
  for (const theme of ['dark', 'light'] as const) {
    await chooseTheme(page, theme);
    for (const view of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await picture(view, `empty-${theme}`);
  }
  let turn = 0;
  for (const [view, name] of toldViews) {
    const known = { ...(await readSnapshot(page, name)), readAtMs: at('14:02:59'), problem: null };
    const count = name === 'dlq.state' ? { readCount: 40, streamCount: 100 } : {};
    for (const [state, change] of [
      ['reading', { readAtMs: null, ...count }],
      ['unread', { readAtMs: null, problem }],
      ['old', { problem }],
    ] as const) {
      await tellSnapshot(workbench, name, { ...known, ...change } as never, turn++);
      await picture(view, state);
    }
    await tellSnapshot(workbench, name, known as never, turn++);
  }
  await tellSnapshot(workbench, 'connections.state', connectionsState(), turn++);
  for (const view of [1, 2, 3, 4, 6, 7]) await picture(view, 'read-only');
  const lost = { status: { kind: 'reconnecting', sinceMs: at('14:03:00'), attempt: 3, error: problem } } as const;
  await tellSnapshot(
    workbench,
    'connections.state',
    connectionsState({ ...lost, staleSinceMs: at('14:03:00') }),
    turn++,
  );
  await picture(1, 'old');
  await tellSnapshot(workbench, 'connections.state', connectionsState(), turn++);
  const queues = [
    queueState('render', { lag: 1_204, pendingCount: 1_200, inFlightCount: 4, oldestMs: nowMs - 41_000, inPerSec: 12 }),
    queueState('encode'),
  ];
  const state = await readSnapshot(page, 'queues.state');
  await tellSnapshot(workbench, 'queues.state', { ...state, readAtMs: nowMs, problem: null, queues }, turn++);
  await picture(3, 'at-work');
  await tellSnapshot(
    workbench,
    'approvals.state',
    {
      ...{ readAtMs: nowMs, problem: null, leftOutCount: 0, refusedCount: 0, refused: [] },
      pending: [approvalReport('r1', { detail: 'Why', askedMs: nowMs - 5_000, expiresMs: nowMs + 50_000 })],
      past: [approvalReport('r2', { state: 'expired' })],
    },
    turn++,
  );
  await picture(6, 'at-work');
  await page.keyboard.press('Control+2');
});
