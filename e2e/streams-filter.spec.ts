/** The filter of messages in Streams: typed in the window, decided in the engine. */
import { expect, type Page } from '@playwright/test';
import { burstSealed, call, readSnapshot } from './support/bridge.ts';
import { expectSum, rowOf, seqsInSight } from './support/streams-page.ts';
import { test } from './support/workbench.ts';

/** Puts tasks into a queue where nobody claims them; a window may have 256 calls under way. */
async function enqueue(page: Page, count: number): Promise<void> {
  const input = { queue: 'render', task: { command: ['true'] } };
  for (let left = count; left > 0; left -= 100)
    await Promise.all(Array.from({ length: Math.min(left, 100) }, () => call(page, 'queues.enqueue', input)));
}

/** V4: history and what comes stand in one table, by keys alone, and the row that is read stays where it is. */
async function showsStream(page: Page): Promise<void> {
  await enqueue(page, 300);
  await page.keyboard.press('o');
  await expect(page.getByTestId('stream-picker')).toBeFocused();
  await expect(page.locator('[data-key="VAK_WORK_default"]')).toContainText('300');
  await page.keyboard.type('VAK_WORK');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('stored-place')).toHaveText('following');
  await expect.poll(async () => (await seqsInSight(page)).at(-1)).toBe(300);
  await page.getByTestId('live-table').focus();
  await page.keyboard.press('Home');
  await expect(rowOf(page, 1)).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('inspector-overview')).toContainText('VAK_WORK_default');
  await page.keyboard.press('PageDown');
  const before = await seqsInSight(page);
  const top = (await rowOf(page, before[3] as number).boundingBox())?.y;
  await enqueue(page, 40);
  await expect(page.getByTestId('stored-counters')).toContainText('340');
  expect(await seqsInSight(page)).toEqual(before);
  expect((await rowOf(page, before[3] as number).boundingBox())?.y).toBe(top);
  await page.keyboard.press('End');
  await expect.poll(async () => (await seqsInSight(page)).at(-1)).toBe(340);
}

/** V9 A filter is kept under a name, called by it from the palette, renamed and deleted, by keyboard alone. */
async function savesFilter(page: Page, alpha: string): Promise<void> {
  const filter = page.getByTestId('message-filter');
  await page.keyboard.press('/');
  await page.keyboard.type(`session:${alpha} `);
  await expectSum(page, 123);
  const run = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  };
  await run('save the filter of messages');
  await expect(page.getByTestId('saved-filter-name')).toBeFocused();
  await page.keyboard.type('alpha alone');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await filter.fill('');
  await expectSum(page, 253);
  await run('filter messages: alpha alone');
  await expect(filter).toHaveValue(`session:${alpha}`);
  await expectSum(page, 123);
  await run('rename or delete saved filters of messages');
  const name = page.getByRole('textbox', { name: 'Name of alpha alone' });
  await name.fill('beta');
  await name.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name of beta' })).toHaveValue('beta');
  const kept = await readSnapshot(page, 'settings.current');
  expect(kept.values.find(({ key }) => key === 'filters.messages')?.value).toBe(`{"beta":"session:${alpha}"}`);
  await page.getByRole('button', { name: 'Delete beta' }).press('Enter');
  await expect(page.getByTestId('saved-filters-list')).toContainText('None is saved');
  await page.keyboard.press('Escape');
  await filter.fill('');
  await expectSum(page, 253);
  await filter.press('Enter');
}

test('V1 V2 V4 V9 / filters the messages in the engine: rows that match alone come, and a fault is marked in its place', async ({
  workbench,
}) => {
  const { page } = workbench;
  const alpha = await burstSealed(page, 'alpha', 120);
  await burstSealed(page, 'beta', 80);
  await expectSum(page, 200);
  await page.keyboard.press('/');
  const filter = page.getByTestId('message-filter');
  await expect(filter).toBeFocused();
  await page.keyboard.type('sess');
  await page.keyboard.press('Tab');
  await expect(filter).toHaveValue('session:');
  await page.keyboard.type(`${alpha} trust:accepted `);
  await expectSum(page, 120);
  const subjects = await page.getByTestId('live-row').locator('.live-subject').allTextContents();
  expect(subjects.length).toBeGreaterThan(10);
  expect(subjects.filter((subject) => !subject.includes('alpha'))).toEqual([]);
  // What does not match is not sent: it comes later than what was asked for, and the count stays.
  await burstSealed(page, 'beta', 50);
  await burstSealed(page, 'alpha', 3);
  await expectSum(page, 123);
  await page.keyboard.type('size>big');
  await expect(page.getByTestId('message-filter-fault')).toContainText('size is a whole number');
  await expect(filter).toHaveAttribute('aria-invalid', 'true');
  await filter.fill('words-of-nobody');
  await expect(page.getByTestId('streams-empty')).toContainText('No message matches');
  await filter.press('Escape');
  await expect(filter).toHaveValue('');
  await expectSum(page, 253);
  await filter.press('Enter');
  await expect(page.getByTestId('live-table')).toBeFocused();
  await savesFilter(page, alpha);
  await showsStream(page);
});
