/** The Streams view as an operator sees it. */
import { expect, type Locator, type Page } from '@playwright/test';

/** The two numbers above the table. */
export async function shownCounters(page: Page): Promise<{ received: number; dropped: number }> {
  const read = async (id: string): Promise<number> => Number(await page.getByTestId(id).getAttribute('data-count'));
  return { received: await read('received-count'), dropped: await read('dropped-count') };
}

/** Waits until what was received and what was dropped make up `total`, and gives both. */
export async function expectSum(page: Page, total: number): Promise<{ received: number; dropped: number }> {
  await expect
    .poll(
      async () => {
        const { received, dropped } = await shownCounters(page);
        return received + dropped;
      },
      { message: 'received + dropped', timeout: 20_000 },
    )
    .toBe(total);
  return await shownCounters(page);
}

/** The row of one message, if it is in sight. */
export function rowOf(page: Page, seq: number): Locator {
  return page.locator(`[data-testid="live-row"][data-seq="${seq}"]`);
}

/** Seqs of the rows in sight, top to bottom. */
export async function seqsInSight(page: Page): Promise<number[]> {
  return await page.getByTestId('live-row').evaluateAll((rows) =>
    rows
      .map((row) => ({ seq: Number(row.getAttribute('data-seq')), top: row.getBoundingClientRect().top }))
      .sort((a, b) => a.top - b.top)
      .map(({ seq }) => seq),
  );
}

/** Shows one session in Streams, whatever is in sight. */
export async function openSession(page: Page, session: string): Promise<void> {
  await page.keyboard.press('Control+2');
  await page.locator(`[data-testid="tree-item"][data-id="session:${session}"]`).click();
  await page.getByTestId('mode-session').click();
  await expect(page.getByTestId('session-view')).toBeVisible();
}

/** The task of the session view that began last. */
export function newestTask(page: Page): Locator {
  return page.getByTestId('session-tasks').getByRole('listitem').first();
}
