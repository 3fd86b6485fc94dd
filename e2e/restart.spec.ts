/** What a restart brings back: the window, its zoom, the view, what was open, typed, dragged and scrolled to. */
import { expect, type Page } from '@playwright/test';
import { burst, call } from './support/bridge.ts';
import { setPageSize, showStreams, startWorkbench, test, type Workbench } from './support/workbench.ts';

const keptScroll = (page: Page): Promise<unknown> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('view-state-v1') ?? '{}').scrollsPx?.Settings);

const zoomOf = ({ app }: Pick<Workbench, 'app'>): Promise<number | undefined> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor());

const widths = (page: Page): Promise<(string | null)[]> =>
  Promise.all(
    ['Width of the session list', 'Width of the column Subject', 'Width of the inspector'].map((name) =>
      page.getByRole('separator', { name }).getAttribute('aria-valuenow'),
    ),
  );

/** Drags the inspector and moves the other edges by key. */
async function changeWidths(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await showStreams(page);
  await burst(page, 'one', 1);
  await setPageSize(workbench, 1440, 860);
  await page.getByRole('separator', { name: 'Width of the session list' }).press('Shift+ArrowRight');
  await page.getByRole('separator', { name: 'Width of the column Subject' }).press('ArrowRight');
  const edge = await page.getByRole('separator', { name: 'Width of the inspector' }).boundingBox();
  if (edge === null) throw new Error('the inspector has no edge');
  await page.mouse.move(edge.x + edge.width / 2, edge.y + 100);
  await page.mouse.down();
  await page.mouse.move(edge.x + edge.width / 2 - 60, edge.y + 120, { steps: 3 });
  await page.mouse.up();
  expect(await widths(page)).toEqual(['272', '184', '480']);
  await page.getByTestId('message-filter').fill('type:vak.events.tokens');
}

async function openAndScroll({ page }: Workbench): Promise<void> {
  await call(page, 'queues.enqueue', { queue: 'kept', task: { command: ['true'] } });
  await page.keyboard.press('Control+3');
  await page.getByTestId('queue-table').press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('queue-detail')).toBeVisible();
  await page.keyboard.press('Control+8');
  await page.getByRole('tab', { name: /^Grants/ }).click();
  await page.keyboard.press('Control+9');
  await page.locator('.view-frame-body').evaluate((body) => body.scrollTo({ top: 640 }));
  await expect.poll(() => keptScroll(page)).toBe(640);
}

async function zoomByKeys(workbench: Workbench): Promise<void> {
  expect(await zoomOf(workbench)).toBe(1);
  for (const key of ['Control+-', 'Control+-', 'Control+0', 'Control+=', 'Control+Shift++', 'Control+=']) {
    await workbench.page.keyboard.press(key);
  }
  await expect.poll(() => zoomOf(workbench)).toBe(1.5);
}

/** However little room it leaves, everything is reached by scrolling. */
async function reachAllAtTwice(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  for (let step = 0; step < 5; step++) await page.keyboard.press('Control+=');
  await expect.poll(() => zoomOf(workbench)).toBe(2);
  await page.getByRole('button', { name: 'Settings', exact: true }).click({ timeout: 5_000 });
  await expect(page).toHaveTitle('Settings — Vak Workbench');
  await page.getByRole('button', { name: /^Theme: / }).click({ timeout: 5_000 });
}

test('a restart brings back the window, its zoom, the view, and what was open, typed, dragged and scrolled to', async ({
  profile,
}) => {
  const bounds = { x: 120, y: 64, width: 1180, height: 790 };
  const first = await startWorkbench(profile);
  try {
    await expect(first.page).toHaveTitle('Operations Center — Vak Workbench');
    await changeWidths(first);
    await first.app.evaluate(({ BrowserWindow }, wanted) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(wanted);
    }, bounds);
    await openAndScroll(first);
    await zoomByKeys(first);
    await first.page.keyboard.press('Control+5');
    await expect(first.page).toHaveTitle('Trace — Vak Workbench');
  } finally {
    await first.end();
  }
  const second = await startWorkbench(profile);
  const { app, page } = second;
  try {
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())).toEqual(bounds);
    await expect(page).toHaveTitle('Trace — Vak Workbench');
    expect(second.readLog().filter(({ event }) => event === 'app.stopped')).toHaveLength(1);
    expect(await zoomOf(second)).toBe(1.5);
    await page.keyboard.press('Control+0');
    await page.keyboard.press('Control+9');
    await expect.poll(() => page.locator('.view-frame-body').evaluate((body) => Math.round(body.scrollTop))).toBe(640);
    await page.keyboard.press('Control+3');
    await expect(page.getByTestId('queue-detail')).toContainText('kept');
    await page.keyboard.press('Control+8');
    await expect(page.getByRole('tab', { name: /^Grants/ })).toHaveAttribute('aria-selected', 'true');
    await showStreams(page);
    await expect(page.getByTestId('message-filter')).toHaveValue('type:vak.events.tokens');
    // Where it is narrower, the inspector lies over the table.
    await setPageSize(second, 1440, 860);
    expect(await widths(page)).toEqual(['272', '184', '480']);
    expect((await page.getByRole('complementary', { name: 'Sessions' }).boundingBox())?.width).toBe(272);
    await reachAllAtTwice(second);
  } finally {
    await second.end();
  }
});
