/** Dead letters as an operator works through them: by keyboard alone, on the real embedded engine. */
import { writeFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { call, readSnapshot } from './support/bridge.ts';
import { type BuriedCause, buryLetters } from './support/buried-letters.ts';
import { vak } from './support/set-up-profile.ts';
import { tellSnapshot } from './support/told-snapshot.ts';
import { setPageSize, startWorkbench, test, type Workbench } from './support/workbench.ts';

async function lettersOf(
  page: Page,
  filter: string,
): Promise<readonly { readonly seq: number; readonly state: string }[]> {
  const { rows } = await call<{ rows: readonly { seq: number; state: string }[] }>(page, 'dlq.page', {
    ...{ filter, fromIndex: 0, limit: 200 },
  });
  return rows;
}

/** Causes whose tasks belong to queues that nobody works on. */
const idleCauses: readonly BuriedCause[] = [
  ...['TypeError', 'KeyError', 'TimeoutError', 'OSError', 'SqlException', 'ConnectionRefused'],
].map((errorClass, at) => ({
  ...{ count: 500, queue: ['render', 'encode', 'mail'][at % 3] ?? 'mail', errorClass },
  reason: (number) => `cannot take frame ${number} of stage ${'ABCDEF'[at]}`,
  stack: `${errorClass}: no frame\n    at take${at} (/srv/app/frames.js:${at}1:7)\n    at run (/srv/app/run.js:4:5)`,
  command: ['true'],
}));

const exits = (code: number, script: string, count: number): BuriedCause => ({
  ...{ count, queue: 'local', errorClass: `exit.${code}`, reason: () => `exit code ${code}` },
  command: ['sh', '-c', script],
});

/** Runs over a profile in which workers have left letters. */
async function withLetters(
  profile: string,
  causes: readonly BuriedCause[],
  work: (workbench: Workbench) => Promise<void>,
): Promise<void> {
  await buryLetters(profile, causes);
  const workbench = await startWorkbench(profile);
  try {
    await work(workbench);
  } finally {
    await workbench.end();
  }
}

test('W5 the largest group is found, one letter is edited, a canary proves the fix and the rest is retried, in under 20 key presses', async ({
  profile,
}) => {
  test.setTimeout(180_000);
  const fixed = `test -e ${profile}/fixed || { echo "no frames in the folder" >&2; exit 12; }`;
  await withLetters(profile, [exits(9, 'exit 9', 1), exits(12, fixed, 5)], triageByKeys);
});

async function triageByKeys(workbench: Workbench): Promise<void> {
  const { page, profile } = workbench;
  await call(page, 'swarm.start', { workers: 2 });
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
  const was = await editor.inputValue();
  await editor.fill('{');
  await expect(page.getByTestId('edit-same')).toHaveText('It is compared again once it can be read.');
  await editor.fill(was.replace('exit 12', 'exit 0'));
  await expect(page.getByTestId('edit-diff')).toContainText('exit 0');
  expect(await violations(page)).toEqual([]);
  await press('Control+Enter');
  await expect(page.getByTestId('campaign')).toHaveAttribute('data-state', 'done', { timeout: 60_000 });
  await expect(page.getByTestId('campaign-done')).toHaveAttribute('data-count', '1');

  writeFileSync(`${profile}/fixed`, '');
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
    // The list beside the open letter keeps time, state and reason in sight.
    const reason = await page.getByTestId('letter-list').getByText('exit code').first().boundingBox();
    const panel = await detail.boundingBox();
    expect((reason?.x ?? 0) + 40).toBeLessThan(panel?.x ?? 0);
    await setPageSize(workbench, 1920, 1080);
  }
  await openBundle(workbench, bundle);
  await call(page, 'swarm.stop', {});
}

/** The bundle as whoever gets it opens it: verified, read only, and closed by Esc. */
async function openBundle({ app, page, profile }: Workbench, file: string): Promise<void> {
  const choose = (path: string) =>
    app.evaluate(({ dialog }, filePath) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [filePath] });
    }, path);
  await choose(file);
  await page.getByTestId('action-letters.openBundle').click();
  await expect(page.getByTestId('bundle-verdict')).toHaveAttribute('data-verdict', 'sound');
  await expect(page.getByTestId('bundle-signed')).toContainText('operator of workspace default');
  await expect(page.getByTestId('bundle-strip')).toContainText('from a bundle');
  await page.keyboard.press('/');
  await page.keyboard.type('queue:nowhere');
  await expect(page.getByTestId('bundle')).toContainText('matches');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('letter-filter')).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('bulk-bar')).toHaveCount(0);
  await expect(page.getByTestId('letter-list').getByRole('row')).toHaveCount(6);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const detail = page.getByTestId('letter-detail');
  await expect(detail.getByTestId('bundled-origin')).toContainText('workspace default');
  await detail.getByRole('tab', { name: 'Task' }).click();
  await expect(detail.getByTestId('letter-payload')).toContainText('exit 12');
  await expect(detail.getByTestId('bundled-envelopes')).toContainText('signed as granted');
  expect(await violations(page)).toEqual([]);
  // A file that is none is refused, and the open one stays.
  await choose(`${profile}/key-store.json`);
  await page.getByTestId('action-letters.openBundle').click();
  await expect(page.getByTestId('notices')).toContainText('no incident bundle');
  await page.keyboard.press('Escape');
  await expect(detail).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('bulk-bar')).toBeVisible();
  await page.getByTestId('notices').getByRole('button', { name: 'Dismiss' }).first().click();
}

test('W5 thousands of letters: found, retargeted, stopped by a canary, guarded by a typed name, and forbidden before it is pressed', async ({
  profile,
}) => {
  test.setTimeout(180_000);
  const stays = 'for i in 1 2 3; do printf "\\033[31mno frame %s\\033[0m\\n" $i >&2; done; exit 13';
  await withLetters(profile, [...idleCauses, exits(13, stays, 4)], async (workbench) => {
    const { page } = workbench;
    await call(page, 'swarm.start', { workers: 3 });
    await page.keyboard.press('Control+4');
    await findAmongThousands(page);
    await retarget(page);
    await failCanary(page);
    await call(page, 'swarm.stop', {});
    await typeName(workbench);
    await forbid(workbench);
    await typeWhileReading(workbench);
  });
});

const filterBy = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
};

/** Some 3 000 rows, of which those in sight exist; ends and middle are there as they are asked for, and a filter answers. */
async function findAmongThousands(page: Page): Promise<void> {
  const words = page.getByTestId('bulk-words');
  const list = page.getByTestId('letter-list');
  await expect(page.getByTestId('campaigns')).toContainText('No retry was begun yet');
  await page.getByTestId('letter-groups').getByRole('row').nth(1).click();
  await expect(words).toContainText(/^3.004 matching of/);
  await expect(list).toHaveAttribute('aria-rowcount', '3005');
  await list.focus();
  await page.keyboard.press('End');
  await expect(list.getByRole('row').last()).toContainText('cannot take frame 0 of stage A');
  expect(await list.getByRole('row').count()).toBeLessThan(120);
  await list.evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2;
  });
  await expect(list).toContainText('of stage D');
  expect(await list.getByRole('row').count()).toBeLessThan(120);
  await filterBy(page, 'error:KeyError queue:encode frame attempts>0');
  await expect(words).toContainText(/^500 matching of 3.\d+ letters in embedded$/);
  await expect(list.getByRole('row').nth(1)).toContainText('cannot take frame 499 of stage B');
}

/** Tasks of a queue that nobody works on go into one where somebody does. */
async function retarget(page: Page): Promise<void> {
  await page.keyboard.press('Enter');
  for (const key of ['x', 'j', 'x', 'j', 'x', 'r']) await page.keyboard.press(key);
  await expect(page.getByTestId('plan-facts')).toHaveAttribute('data-count', '3');
  await page.getByTestId('retry-queue').fill('local');
  await page.getByTestId('retry-canary-all').click();
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('retry-submit').click();
  const campaign = page.getByTestId('campaign').first();
  await expect(campaign).toContainText('Retry into another queue');
  await expect(campaign.getByTestId('campaign-done')).toHaveAttribute('data-count', '3', { timeout: 60_000 });
}

/** What was not mended fails again: the canary says so, and the rest is not begun. */
async function failCanary(page: Page): Promise<void> {
  await filterBy(page, 'error:exit.13');
  await page.keyboard.press('r');
  await expect(page.getByTestId('plan-facts')).toHaveAttribute('data-count', '4');
  await page.keyboard.press('Enter');
  const campaign = page.getByTestId('campaign').first();
  await expect(campaign).toHaveAttribute('data-state', 'stopped', { timeout: 60_000 });
  await expect(campaign.getByTestId('campaign-why')).toContainText('The canary failed');
  await expect(campaign.getByTestId('campaign-cancelled')).toHaveAttribute('data-count', '3');
  // The new letter, with what its session printed and used around the failure; an older one was not heard here.
  await expect(page.getByTestId('bulk-words')).toContainText(/^5 matching/);
  await page.keyboard.press('n');
  await expect(page.getByTestId('letter-list').getByRole('row')).toHaveCount(6);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  const detail = page.getByTestId('letter-detail');
  await detail.getByRole('tab', { name: 'Output' }).click();
  await expect(detail.getByTestId('letter-output-stderr')).toContainText('no frame 1\nno frame 2\nno frame 3');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('j');
  await expect(detail.getByTestId('letter-no-output')).toContainText('No session of it was heard');
  await page.keyboard.press('Escape');
}

/** On a server of others, what touches more than a few asks for the name of the place. */
async function typeName(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const state = await readSnapshot(page, 'connections.state');
  const contexts = state.contexts.map((one) =>
    one.name === state.current ? { ...one, kind: 'remote' as const } : one,
  );
  await tellSnapshot(workbench, 'connections.state', { ...state, contexts });
  await filterBy(page, 'queue:mail');
  await page.keyboard.press('Shift+X');
  await page.keyboard.press('b');
  await expect(page.getByTestId('bundle-submit')).not.toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByTestId('plan-typed')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await expect(page.getByTestId('plan-facts')).toHaveAttribute('data-count', '1000');
  const submit = page.getByTestId('retry-submit');
  await expect(submit).toHaveAttribute('aria-disabled', 'true');
  // Keys alone: the name is typed where the focus is, and Enter before it does nothing.
  const typed = page.getByTestId('plan-typed');
  await expect(typed).toBeFocused();
  await page.keyboard.type('elsewhere');
  await page.keyboard.press('Enter');
  await expect(submit).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('embedded');
  await page.keyboard.press('Enter');
  const campaign = page.getByTestId('campaign').first();
  await expect(campaign.getByTestId('campaign-published')).toBeVisible({ timeout: 30_000 });
  await campaign.getByTestId('campaign-stop').click();
  await expect(campaign).not.toHaveAttribute('data-state', 'running', { timeout: 30_000 });
}

/** While they are read for the first time, the filter takes what is typed, and keeps the focus when they are there. */
async function typeWhileReading(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const filter = page.getByTestId('letter-filter');
  const state = await readSnapshot(page, 'dlq.state');
  const reading = { readAtMs: null, problem: null, readCount: 350, streamCount: 950 };
  await tellSnapshot(workbench, 'dlq.state', { ...state, ...reading });
  await expect(page.getByTestId('letters-waiting')).toHaveText('Reading the dead letters: 350 of 950');
  await filterBy(page, 'error:Key');
  // Enter left the field; what is typed on goes into it again.
  await page.keyboard.press('/');
  await page.keyboard.press('End');
  await tellSnapshot(workbench, 'dlq.state', state, 1);
  await expect(page.getByTestId('bulk-bar')).toBeVisible();
  await expect(filter).toBeFocused();
  await page.keyboard.type('Error');
  await expect(filter).toHaveValue('error:KeyError');
  await expect(page.getByTestId('letter-list').getByRole('row').nth(1)).toContainText('of stage B');
}

/** What a connection forbids stands at every action before it is pressed, at that of a notice too. */
async function forbid(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await filterBy(page, 'error:SqlException');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Delete');
  await page.getByTestId('archive-submit').click();
  const offer = page.getByTestId('notice-offer').filter({ hasText: 'Restore' });
  await expect(offer).toBeVisible();
  const state = await readSnapshot(page, 'connections.state');
  const contexts = state.contexts.map((one) => (one.name === state.current ? { ...one, isReadOnly: true } : one));
  await tellSnapshot(workbench, 'connections.state', { ...state, contexts }, 1);
  await expect(offer).toHaveAttribute('aria-disabled', 'true');
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
}

test('W5 a retry that the app was ended in the midst of goes on after a start, and retries nothing twice', async ({
  profile,
}) => {
  test.setTimeout(180_000);
  await buryLetters(profile, [exits(12, 'exit 12', 5)]);
  const first = await startWorkbench(profile);
  let operationId: string;
  try {
    const { page } = first;
    await expect.poll(async () => (await lettersOf(page, 'error:exit.12')).length, { timeout: 30_000 }).toBe(5);
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
