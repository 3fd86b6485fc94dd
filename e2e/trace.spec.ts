/** One piece of work through the whole app: it failed twice, was given up, retried and done; seen as a waterfall and as a graph. */
import { writeFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { call } from './support/bridge.ts';
import { setPageSize, startWorkbench, test, type Workbench } from './support/workbench.ts';

interface Letters {
  readonly rows: readonly { readonly seq: number; readonly state: string }[];
}

async function lettersOf(page: Page): Promise<Letters['rows']> {
  return (await call<Letters>(page, 'dlq.page', { filter: '', fromIndex: 0, limit: 10 })).rows;
}

/** Fails a task twice, retries its letter, and waits until it is done. */
async function failAndRetry({ page, profile }: Workbench): Promise<void> {
  await call(page, 'swarm.start', { workers: 2 });
  const script = `test -e ${profile}/fixed || { sleep 0.2; exit 12; }`;
  await call(page, 'queues.enqueue', { queue: 'local', task: { command: ['sh', '-c', script], maxRetries: 1 } });
  await expect.poll(async () => (await lettersOf(page)).length, { timeout: 60_000 }).toBe(1);
  writeFileSync(`${profile}/fixed`, '');
  const { planId } = await call<{ planId: string }>(page, 'dlq.plan', {
    ...{ selection: { filter: 'error:exit.12' }, action: 'retry' },
  });
  await call(page, 'dlq.retry', { planId, isCanary: false, ratePerSec: 10 });
  await expect.poll(async () => (await lettersOf(page))[0]?.state, { timeout: 60_000 }).toBe('resolved');
}

/** Both themes and both sizes are clean, and nothing is cut that says what happened. */
async function lookAround(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  for (const theme of ['light', 'dark'] as const) {
    await call(page, 'settings.set', { key: 'look.theme', value: theme });
    for (const [width, height] of [
      [1024, 700],
      [1920, 1080],
    ] as const) {
      await setPageSize(workbench, width, height);
      expect(await violations(page)).toEqual([]);
    }
  }
}

test('T2 a task that failed twice, was given up, retried and done is one trace, by keyboard', async ({ profile }) => {
  test.setTimeout(180_000);
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    await failAndRetry(workbench);
    await page.keyboard.press('Control+5');
    await expect(page.getByText('No trace is shown')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    // From the dead letter.
    await page.keyboard.press('Control+4');
    await page.keyboard.press('/');
    await page.keyboard.type('error:exit.12');
    for (let count = 0; count < 3; count++) await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Task' }).click();
    await page.getByTestId('letter-show-trace').click();
    const rows = page.getByTestId('trace-rows').locator('[data-kind]');
    await expect(page.getByTestId('trace-rows').locator('[data-kind="attempt"]')).toHaveCount(3);
    await expect(page.getByTestId('trace-rows').locator('[data-kind="task"][data-state="done"]')).toHaveCount(1);
    await expect(rows.first()).toHaveAttribute('data-state', 'dead');
    await expect(rows.first().locator('.trace-bar-work')).toHaveCount(2);
    await lookAround(workbench);
    // By keys: to the last row and back, closer and back.
    await page.getByTestId('trace-rows').focus();
    const width = async () => (await rows.first().locator('.trace-bar-work').first().boundingBox())?.width ?? 0;
    const whole = await width();
    await page.keyboard.press('Home');
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(whole);
    await page.keyboard.press('0');
    await expect.poll(width).toBe(whole);
    const shownCount = await rows.count();
    await page.keyboard.press('g');
    await expect(page.getByTestId('trace-graph').getByRole('option')).toHaveCount(shownCount);
    await lookAround(workbench);
    // The chain of whoever worked on it holds; what a proof lacks is said.
    await page.keyboard.press('c');
    const sources = page.getByTestId('chains-rows').locator('[data-key]');
    await expect(sources.first()).toBeVisible();
    await page.keyboard.press('End');
    await expect(page.getByTestId('chain-verdict')).toBeVisible();
    await expect(page.getByTestId('chain-verified')).toContainText('place');
    await lookAround(workbench);
    await page.keyboard.press('c');
    await page.getByTestId('trace-graph').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page).toHaveTitle('Queues — Vak Workbench');
    // From the task back to its trace.
    await page.getByTestId('task-show-trace').click();
    await expect(page.getByTestId('trace-graph').getByRole('option')).toHaveCount(shownCount);
  } finally {
    await workbench.end();
  }
});
