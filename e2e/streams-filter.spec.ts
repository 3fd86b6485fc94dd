/** The filter of messages in Streams: typed in the window, decided in the engine. */
import { expect } from '@playwright/test';
import { burstSealed } from './support/bridge.ts';
import { expectSum } from './support/streams-page.ts';
import { test } from './support/workbench.ts';

test('V1 V2 / filters the messages in the engine: rows that match alone come, and a fault is marked in its place', async ({
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
});
