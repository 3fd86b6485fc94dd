/** The session view: one time cursor over terminal, text, figures and tasks; many sessions open at once; both survive a restart. */
import { expect, type Page } from '@playwright/test';
import { burstSealed, call } from './support/bridge.ts';
import { newestTask, openSession } from './support/streams-page.ts';
import { showStreams, startWorkbench, test } from './support/workbench.ts';

const shownTime = (page: Page) => page.getByTestId('session-time');
const screenText = (page: Page) => page.locator('.xterm-rows').textContent();

test('one time cursor moves terminal and tasks to the error and back to now, by keyboard alone', async ({
  workbench,
}) => {
  const { page } = workbench;
  const { session } = await call<{ session: string }>(page, 'swarm.run', {
    command: ['sh', '-c', 'echo before the error; exit 3'],
  });
  await openSession(page, session);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'failed');
  await call(page, 'swarm.run', { command: ['sh', '-c', 'echo after the error'] });
  const tree = page.getByTestId('session-tree');
  await tree.focus();
  await page.keyboard.press('e');
  await expect(shownTime(page)).toHaveAttribute('data-at', /^\d+$/);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'failed');
  await expect.poll(() => screenText(page)).toContain('before the error');
  await page.keyboard.press(',');
  await expect(newestTask(page)).toHaveAttribute('data-state', 'running');
  await page.keyboard.press('Shift+E');
  await expect(page.getByText('no earlier task has failed')).toBeVisible();
  await page.keyboard.press('p');
  await expect(shownTime(page)).toHaveText('live');
  await page.keyboard.press(',');
  await page.keyboard.press('l');
  await expect(shownTime(page)).toHaveText('live');
});

test('tokens are put together into text, with how they came', async ({ workbench }) => {
  const { page } = workbench;
  await openSession(page, await burstSealed(page, 'tokens', 40));
  await expect(page.getByTestId('token-times')).toHaveAttribute('data-count', '40');
  await expect(page.getByTestId('said-assistant').first()).toBeVisible();
  await page.getByTestId('panes-both').click();
  await expect(page.getByTestId('session-terminal')).toBeVisible();
});

test('forty sessions stand open and one terminal exists; tabs and time cursors survive a restart', async ({
  profile,
}) => {
  let workbench = await startWorkbench(profile);
  try {
    const { page } = workbench;
    await showStreams(page);
    const sessions: string[] = [];
    for (let at = 0; at < 40; at++) {
      const session = await burstSealed(page, `open-${at}`, 3);
      sessions.push(session);
      await openSession(page, session);
    }
    const before = (of: Page) => of.locator(`[data-testid="session-tab"][data-session="${sessions.at(-2)}"]`);
    await expect(page.getByTestId('session-tab')).toHaveCount(40);
    await expect(page.locator('.xterm')).toHaveCount(1);
    await page.keyboard.press('[');
    await expect(before(page)).toHaveAttribute('data-shown', 'true');
    await expect(page.locator('.xterm')).toHaveCount(1);
    await expect(page.getByTestId('token-times')).toHaveAttribute('data-count', '3');
    await page.keyboard.press(',');
    const atMs = (await shownTime(page).getAttribute('data-at')) ?? '';
    expect(Number(atMs)).toBeGreaterThan(0);
    await workbench.quit();
    workbench = await startWorkbench(profile);
    await expect(workbench.page).toHaveTitle('Streams — Vak Workbench');
    await expect(workbench.page.getByTestId('session-tab')).toHaveCount(40);
    await expect(before(workbench.page)).toHaveAttribute('data-shown', 'true');
    await expect(shownTime(workbench.page)).toHaveAttribute('data-at', atMs);
    await workbench.page.keyboard.press('Shift+W');
    await expect(workbench.page.getByTestId('session-tab')).toHaveCount(39);
  } finally {
    await workbench.end();
  }
});
