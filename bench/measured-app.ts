/** The built app under a load of peers: started, looked at in its views as an operator does, and ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright';
import { readSnapshot } from '../e2e/support/bridge.ts';
import { passGate } from '../e2e/support/secret-entry.ts';
import { setPageSize, startClosed, type Workbench } from '../e2e/support/workbench.ts';
import type { LoadReport } from './load-frames.ts';
import { createMainWatch, type MainWatch } from './main-watch.ts';
import type { PeerLoad } from './peer-load.ts';
import { p95Of } from './rounds.ts';
import { countFrames, longTasks, timeKeys } from './window-probe.ts';

/** What one look at the app gave; times in ms, CPU in percent of a core. */
export interface AppFigures {
  readonly tableFps: number;
  readonly chartFps: number;
  readonly longestFrame: number;
  readonly tableKey: number;
  readonly treeKey: number;
  readonly filterKey: number;
  readonly mainDelay: number;
  readonly mainCpu: number;
  readonly windowCpu: number;
  readonly drawingCpu: number;
}

/** What is told beside the figures. */
export interface AppAccount {
  readonly figures: AppFigures;
  readonly report: LoadReport;
  readonly longTasks: { readonly count: number; readonly longestMs: number };
  readonly droppedCount: number;
}

const framesMs = 5_000;
const keyPauseMs = 40;
/** Until all have come and the table has caught up. */
const settleMs = 6_000;

/** Keys that walk down and up again. */
const walk = Array.from({ length: 32 }, (_, at) => (at < 16 ? 'j' : 'k'));
const typed = [
  ...'peer-0001',
  ...Array<string>(9).fill('Backspace'),
  ...'peer-001',
  ...Array<string>(8).fill('Backspace'),
];

async function measureKeys(page: Page): Promise<Pick<AppFigures, 'tableKey' | 'treeKey' | 'filterKey'>> {
  await page.getByTestId('live-table').focus();
  const table = await timeKeys(page, walk, keyPauseMs);
  await page.keyboard.press('End');
  await page.getByTestId('session-tree').focus();
  const tree = await timeKeys(page, walk, keyPauseMs);
  await page.getByTestId('session-filter').focus();
  const filter = await timeKeys(page, typed, keyPauseMs);
  return { tableKey: p95Of(table), treeKey: p95Of(tree), filterKey: p95Of(filter) };
}

/** Opens the charts of one session, found by its peer's name. */
async function openCharts(page: Page, peer: string): Promise<void> {
  await page.getByTestId('session-filter').fill(peer);
  await page.locator(`[data-testid="tree-item"][data-id^="session:${peer}-"]`).dblclick();
  await page.getByTestId('telemetry-readout').waitFor();
}

/** Every message that was sent is one that was received: then the account is whole. */
async function expectAllReceived(page: Page, sentCount: number): Promise<{ droppedCount: number }> {
  for (const endMs = performance.now() + 10_000; ; await sleep(100)) {
    const { receivedCount, droppedCount } = await readSnapshot(page, 'streams.status');
    if (receivedCount === sentCount) return { droppedCount };
    if (performance.now() > endMs) throw new Error(`the app received ${receivedCount} of ${sentCount} messages`);
  }
}

interface Measured {
  readonly workbench: Workbench;
  readonly watch: MainWatch;
  readonly load: PeerLoad;
}

/** Table, keys, charts: what is looked at while all speak. */
async function look({ workbench, watch }: Measured): Promise<AppFigures> {
  const { app, page } = workbench;
  const pid = app.process().pid ?? 0;
  watch.begin(pid);
  const table = await countFrames(page, framesMs);
  const keys = await measureKeys(page);
  await openCharts(page, 'peer-0001');
  const charts = await countFrames(page, framesMs);
  const { delayMs, mainCpu, windowCpu, drawingCpu } = await watch.end(pid);
  return {
    ...{ tableFps: table.perSecond, chartFps: charts.perSecond, ...keys },
    longestFrame: Math.max(table.longestMs, charts.longestMs),
    ...{ mainDelay: delayMs, mainCpu, windowCpu, drawingCpu },
  };
}

async function measure(measured: Measured, peers: number): Promise<AppAccount> {
  const { workbench, load } = measured;
  const { app, page } = workbench;
  await setPageSize({ app, page }, 1440, 900);
  await page.keyboard.press('Control+2');
  await load.play(peers);
  await sleep(settleMs);
  await longTasks(page);
  const figures = await look(measured);
  const tasks = await longTasks(page);
  const report = await load.stop();
  const { droppedCount } = await expectAllReceived(page, report.sentCount);
  const { sessions } = await readSnapshot(page, 'sessions.list');
  const quarantine = await readSnapshot(page, 'streams.quarantine');
  if (sessions.length !== peers) throw new Error(`the app knows ${sessions.length} of ${peers} sessions`);
  if (quarantine.refusedCount !== 0) throw new Error(`the app refused ${quarantine.refusedCount} messages`);
  return { figures, report, longTasks: tasks, droppedCount };
}

/** Starts the app over a profile, measures it while so many peers speak, and ends it. */
export async function measureApp(profile: string, load: PeerLoad, peers: number): Promise<AppAccount> {
  const watch = createMainWatch(profile);
  const workbench = await startClosed(profile, { before: watch.args });
  try {
    await passGate(workbench.app, workbench.page);
    const account = await measure({ workbench, watch, load }, peers);
    await workbench.quit();
    return account;
  } finally {
    await workbench.kill();
  }
}
