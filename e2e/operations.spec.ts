/** The Operations Center: the first screen, incidents of the work plane, acknowledging, muting, and what of it outlives a start. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { themes, violations } from './support/axe.ts';
import { call, readSnapshot } from './support/bridge.ts';
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
    await expect(page.getByRole('button', { name: /things? needs? attention/ })).toBeVisible();
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
    await expect(page).toHaveTitle('Queues — Vak Workbench');
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
