/** Dead letters as an operator works through them: by keyboard alone, on the real embedded engine. */
import { expect, type Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { call, readSnapshot } from './support/bridge.ts';
import { vak } from './support/set-up-profile.ts';
import { tellSnapshot } from './support/told-snapshot.ts';
import { setPageSize, startWorkbench, test } from './support/workbench.ts';

/** Fails until the file is there; five of one cause, and one of another. */
async function bury(page: Page, profile: string): Promise<void> {
  await call(page, 'swarm.start', { workers: 2 });
  const task = (command: string) => ({ command: ['sh', '-c', command], maxRetries: 0 });
  const render = `test -e ${profile}/fixed || { echo "no frames in the folder" >&2; exit 12; }`;
  for (let at = 0; at < 5; at++) await call(page, 'queues.enqueue', { queue: 'local', task: task(render) });
  await call(page, 'queues.enqueue', { queue: 'local', task: task('exit 9') });
  await expect
    .poll(async () => (await lettersOf(page, 'error:exit.12')).length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(5);
}

async function lettersOf(
  page: Page,
  filter: string,
): Promise<readonly { readonly seq: number; readonly state: string }[]> {
  const { rows } = await call<{ rows: readonly { seq: number; state: string }[] }>(page, 'dlq.page', {
    ...{ filter, fromIndex: 0, limit: 200 },
  });
  return rows;
}

test('W5 the largest group is found, one letter is edited, a canary proves the fix and the rest is retried, in under 20 key presses', async ({
  workbench,
}) => {
  test.setTimeout(180_000);
  const { page, profile } = workbench;
  await bury(page, profile);
  let presses = 0;
  const press = async (key: string): Promise<void> => {
    presses++;
    await page.keyboard.press(key);
  };
  await press('Control+4');
  await expect(page).toHaveTitle('Dead letters — Vak Workbench');
  const groups = page.getByTestId('letter-groups');
  await press('/');
  await page.keyboard.type('error:exit.12');
  await press('Enter');
  await expect(groups.getByRole('row', { selected: true })).toHaveAttribute('data-open', '5');
  await press('Enter');
  await press('Enter');
  await expect(page.getByTestId('letter-reason-text')).toContainText('exit');
  expect(await violations(page)).toEqual([]);

  // One is edited: what is typed stands in the payload, and is compared.
  await press('e');
  const editor = page.getByTestId('edit-text');
  await expect(editor).toBeFocused();
  await expect(editor).toHaveValue(/no frames in the folder/);
  await editor.fill((await editor.inputValue()).replace('exit 12', 'exit 0'));
  await expect(page.getByTestId('edit-diff')).toContainText('exit 0');
  expect(await violations(page)).toEqual([]);
  await press('Control+Enter');
  await expect(page.getByTestId('campaign')).toHaveAttribute('data-state', 'done', { timeout: 60_000 });
  await expect(page.getByTestId('campaign-done')).toHaveAttribute('data-count', '1');

  await workbench.app.evaluate(({ app }) => {
    process.getBuiltinModule('node:fs').writeFileSync(`${app.getPath('userData')}/fixed`, '');
  });
  // Back to the group, and all of it: the letter that was edited is left out, and the dialog says why.
  await press('Escape');
  await press('Escape');
  await expect(page.getByTestId('bulk-words')).toContainText(/^5 matching of \d+ letters in embedded$/);
  await press('r');
  await expect(page.getByTestId('plan-facts')).toHaveAttribute('data-count', '4');
  await expect(page.getByTestId('plan-left-out')).toContainText('1 letter left out: it is resolved');
  await expect(page.getByTestId('retry-canary-canary')).toHaveAttribute('data-state', 'on');
  expect(await violations(page)).toEqual([]);
  await press('Enter');
  const campaign = page.getByTestId('campaign').first();
  await expect(campaign.getByTestId('campaign-done')).toHaveAttribute('data-count', '4', { timeout: 90_000 });
  await expect(campaign).toHaveAttribute('data-state', 'done', { timeout: 60_000 });
  // All of it as one signed file, which anybody can check.
  const bundle = `${profile}/incident.vakbundle`;
  await workbench.app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
  }, bundle);
  await press('b');
  await expect(page.getByTestId('plan-facts')).toHaveAttribute('data-count', '5');
  expect(await violations(page)).toEqual([]);
  await press('Enter');
  await expect(page.getByTestId('notices')).toContainText('incident.vakbundle', { timeout: 30_000 });
  expect(presses).toBeLessThan(20);
  expect(vak(profile, ['bundle', 'verify', bundle]).code).toBe(0);
  expect((await lettersOf(page, 'error:exit.12')).map(({ state }) => state)).toEqual(new Array(5).fill('resolved'));

  // The audit tells it: opened, edited, done.
  await press('Enter');
  await press('Enter');
  const detail = page.getByTestId('letter-detail');
  await detail.getByRole('tab', { name: 'History' }).click();
  await expect(detail.getByTestId('letter-audit')).toContainText('dlq.edit done');
  await expect(detail.getByTestId('letter-audit')).toContainText('dlq.read done');
  await expect(detail.getByTestId('letter-retries')).toContainText('edited, into local');
  await page.keyboard.press('j');
  await expect(detail.getByTestId('letter-audit')).toContainText('dlq.retry done');
  for (const theme of ['light', 'dark'] as const) {
    await call(page, 'settings.set', { key: 'look.theme', value: theme });
    await setPageSize(workbench, 1024, 700);
    expect(await violations(page)).toEqual([]);
    await setPageSize(workbench, 1920, 1080);
  }
  await call(page, 'swarm.stop', {});
});

test('W5 what a connection forbids stands at every action before it is pressed', async ({ workbench }) => {
  test.setTimeout(120_000);
  const { page, profile } = workbench;
  await bury(page, profile);
  await page.keyboard.press('Control+4');
  await expect(page.getByTestId('bulk-bar')).toBeVisible();
  const state = await readSnapshot(page, 'connections.state');
  await tellSnapshot(workbench, 'connections.state', {
    ...state,
    contexts: state.contexts.map((one) => (one.name === state.current ? { ...one, isReadOnly: true } : one)),
  });
  await expect(page.getByTestId('bulk-fault')).toHaveText('the connection embedded is read-only');
  for (const id of ['retry', 'edit', 'archive', 'restore', 'export', 'acknowledge', 'say']) {
    await expect(page.getByTestId('bulk-bar').getByTestId(`action-letters.${id}`)).toHaveAttribute(
      'aria-disabled',
      'true',
    );
  }
  await page.keyboard.press('r');
  await expect(page.getByTestId('notices')).toContainText('the connection embedded is read-only');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await call(page, 'swarm.stop', {});
});

test('W5 a retry that the app was ended in the midst of goes on after a start, and retries nothing twice', async ({
  profile,
}) => {
  test.setTimeout(180_000);
  const first = await startWorkbench(profile);
  let operationId: string;
  try {
    const { page } = first;
    await bury(page, profile);
    await call(page, 'swarm.stop', {});
    const { planId } = await call<{ planId: string }>(page, 'dlq.plan', {
      ...{ selection: { filter: 'error:exit.12' }, action: 'retry' },
    });
    ({ operationId } = await call<{ operationId: string }>(page, 'dlq.retry', {
      ...{ planId, isCanary: false, ratePerSec: 0.5 },
    }));
    await page.keyboard.press('Control+4');
    await expect(page.getByTestId('campaign-stop')).toBeVisible();
    await expect(page.getByTestId('campaign-published')).toBeVisible({ timeout: 30_000 });
  } finally {
    await first.end();
  }
  const second = await startWorkbench(profile);
  try {
    const { page } = second;
    await page.keyboard.press('Control+4');
    const campaign = page.locator(`[data-operation="${operationId}"]`);
    await expect(campaign).toHaveAttribute('data-state', 'running', { timeout: 60_000 });
    await expect(campaign.getByTestId('campaign-published')).toHaveAttribute('data-count', '5', { timeout: 60_000 });
    const waiting = await call<{ count: number }>(page, 'queues.standing', { queue: 'local' });
    expect(waiting.count).toBeGreaterThanOrEqual(5);
    await campaign.getByTestId('campaign-stop').click();
    await expect(campaign).not.toHaveAttribute('data-state', 'running', { timeout: 30_000 });
  } finally {
    await second.end();
  }
});
