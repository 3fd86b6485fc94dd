/** 2 000 sessions in the tree (P14): what the window holds and is sent of them is bounded, and the keyboard moves through all. */
import { expect, type Page } from '@playwright/test';
import { readSnapshot } from './support/bridge.ts';
import { shareWorkbench, test } from './support/workbench.ts';

const sessionCount = 2_000;
/** Rows of a tree as high as the largest screen of the tests, and those just out of sight. */
const maxRows = 48;
const workbench = shareWorkbench();

/** Lets 2 000 sessions speak once each, sealed and signed; some hundred calls are under way at a time. */
async function speakInAll(page: Page): Promise<void> {
  await page.evaluate(async (count) => {
    const speak = async (index: number): Promise<void> => {
      const session = `many-${String(index + 1).padStart(4, '0')}`;
      const input = { session, count: 1, textLength: 16, form: 'sealed' };
      const result = await window.bridge.invoke(crypto.randomUUID(), 'developer.burst', input);
      if (!result.ok) throw new Error(result.error.message);
    };
    for (let from = 0; from < count; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, at) => speak(from + at)));
  }, sessionCount);
}

const rows = (page: Page) => page.getByTestId('tree-item');
const active = (page: Page) => page.locator('.tree-row-active');

test('P14 of 2 000 sessions the tree holds the rows in sight alone, and the keyboard moves through all of them', async () => {
  const { page } = workbench();
  await page.keyboard.press('Control+2');
  await speakInAll(page);
  await expect.poll(async () => (await readSnapshot(page, 'sessions.list')).sessions.length).toBe(sessionCount);
  await expect(page.locator('[data-id="live"]')).toContainText('2 000');
  const tree = page.getByTestId('session-tree');
  await tree.focus();
  for (const [key, place] of [
    ['End', sessionCount],
    ['k', sessionCount - 1],
    ['ArrowUp', sessionCount - 2],
  ] as const) {
    await page.keyboard.press(key);
    await expect(active(page)).toHaveAttribute('aria-posinset', String(place));
    await expect(active(page)).toBeInViewport();
    expect(await rows(page).count()).toBeLessThanOrEqual(maxRows);
  }
  await expect(active(page)).toHaveAttribute('aria-setsize', String(sessionCount));
  await page.keyboard.press('Home');
  await expect(active(page)).toHaveAttribute('data-id', 'all');
  await tree.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await expect(rows(page).first()).toHaveAttribute('aria-posinset', /^9\d\d$/);
  expect(await rows(page).count()).toBeLessThanOrEqual(maxRows);
  await page.getByTestId('session-filter').fill('many-1234');
  await expect(rows(page)).toHaveCount(4);
  await page.getByTestId('session-filter').fill('');
  await expect(page.getByTestId('status-refused')).toHaveAttribute('data-count', '0');
});
