/** Queues and approvals as an operator works with them: by keyboard alone, on the real embedded engine. */
import { expect } from '@playwright/test';
import { call, readSnapshot } from './support/bridge.ts';
import { shareWorkbench, test } from './support/workbench.ts';

const shared = shareWorkbench();

test('W1 a task is enqueued, looked at without being claimed, opened, paused and purged by keyboard alone', async () => {
  const { page } = shared();
  const { keyboard } = page;
  await keyboard.press('Control+3');
  await expect(page.getByRole('heading', { name: 'No queue is here yet' })).toBeVisible();

  await keyboard.press('e');
  await expect(page.getByTestId('enqueue-queue')).toBeFocused();
  await keyboard.type('render');
  await keyboard.press('Control+Enter');
  await expect(page.getByTestId('enqueue-line')).toBeFocused();
  await expect(page.getByText('Type a command line.')).toBeVisible();
  await keyboard.type('echo "frame 1" > out.txt');
  await keyboard.press('Escape');
  await keyboard.press('e');
  // What was typed is kept.
  await expect(page.getByTestId('enqueue-line')).toHaveValue('echo "frame 1" > out.txt');
  await page.getByTestId('enqueue-retries').focus();
  await keyboard.type('50');
  await keyboard.press('Control+Enter');
  await expect(page.getByTestId('enqueue-done')).toBeVisible();
  await expect(page.getByTestId('enqueue-watch')).toBeFocused();
  await keyboard.press('Enter');
  await expect(page.getByTestId('task-outcome')).toHaveAttribute('data-outcome', 'queued');

  // More retries than the queue was made for are refused at their field.
  await keyboard.press('e');
  await page.getByTestId('template-last').press('Enter');
  await page.getByTestId('enqueue-retries').fill('90');
  await keyboard.press('Control+Enter');
  await expect(page.getByTestId('enqueue-retries')).toBeFocused();
  await expect(page.getByText(/allows 50 retries/)).toBeVisible();
  await keyboard.press('Escape');

  await keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Outcomes' }).focus();
  await keyboard.press('ArrowLeft');
  await expect(page.getByTestId('waiting-list')).toBeVisible();
  await page.getByTestId('waiting-list').focus();
  await keyboard.press('j');
  await keyboard.press('Enter');
  await expect(page.getByTestId('peeked-task')).toBeVisible();
  await keyboard.press('o');
  await expect(page.getByTestId('task-payload')).toContainText('frame 1');
  await keyboard.press('Escape');
  await expect(page.getByTestId('waiting-list')).toBeFocused();
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  await expect(page.getByTestId('queue-detail')).toBeHidden();
  await expect(page.getByTestId('queue-table')).toBeFocused();
  const before = (await readSnapshot(page, 'queues.state')).queues[0];
  expect([before?.pendingCount, before?.inFlightCount, before?.redeliveredCount]).toEqual([1, 0, 0]);

  await keyboard.press('p');
  await expect(page.locator('[data-key="render"][data-health="paused"]')).toBeVisible();
  await keyboard.press('Delete');
  const guard = page.getByRole('alertdialog', { name: 'Purge 1 task from render in embedded' });
  await expect(guard.getByRole('button', { name: 'Cancel' })).toBeFocused();
  // One more comes after the question: it stays.
  await call(page, 'queues.enqueue', { queue: 'render', task: { command: ['true'] } });
  await guard.getByRole('textbox', { name: 'Type render to confirm' }).focus();
  await keyboard.type('rende');
  await keyboard.press('Enter');
  await expect(guard).toBeVisible();
  await keyboard.type('r ');
  await keyboard.press('Enter');
  await expect(guard).toBeVisible();
  await keyboard.press('Backspace');
  await keyboard.press('Enter');
  await expect(guard).toBeHidden();
  await expect(page.getByTestId('notices')).toContainText('1 task purged from render. 1 task came later and stays.');
  await keyboard.press('Enter');
  await expect(page.getByTestId('queue-detail')).toBeVisible();
  await keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Waiting' })).toBeFocused();
  await keyboard.press('ArrowRight');
  await expect(page.getByTestId('outcome-purged')).toHaveAttribute('data-count', '1');
  await expect(page.getByTestId('outcome-all')).toHaveAttribute('data-count', '2');
  await keyboard.press('Escape');
});

test('W8 an approval is answered by the keys, for the request that was read; a denial says why', async () => {
  const { page } = shared();
  const { keyboard } = page;
  await call(page, 'swarm.start', { workers: 2 });
  for (const title of ['Copy the frames', 'Remove the frames'])
    await call(page, 'queues.enqueue', {
      queue: 'local',
      task: { command: ['sh', '-c', 'echo asked'], maxRetries: 0, approval: { title } },
    });
  await keyboard.press('Control+6');
  const list = page.getByTestId('approvals-pending');
  const row = (title: string) => list.getByRole('row').filter({ hasText: title });
  await row('Copy the frames').click({ timeout: 30_000 });
  await expect(page.getByTestId('approval-detail')).toContainText('echo asked');
  await keyboard.press('a');
  const asked = page.getByRole('dialog', { name: 'Approve this request in embedded' });
  await expect(asked).toContainText('Copy the frames');
  await expect(asked.getByTestId('command-text')).toHaveText('echo asked');
  await keyboard.press('Enter');
  await expect(page.getByTestId('notices')).toContainText('Approved: Copy the frames. It is signed');
  // Nothing moves under the pointer.
  await expect(row('Copy the frames')).toContainText('approved');
  await page.mouse.move(0, 0);
  await expect(row('Copy the frames')).toBeHidden();

  await row('Remove the frames').click({ timeout: 30_000 });
  await keyboard.press('d');
  await expect(page.getByTestId('answer-reason')).toBeFocused();
  await keyboard.press('Enter');
  await expect(page.getByText('Say why it is denied.')).toBeVisible();
  await keyboard.type('They are still read.');
  await keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('tab', { name: 'Answered' }).click();
  const past = page.getByTestId('approvals-past');
  await past.getByRole('row').filter({ hasText: 'Remove the frames' }).click();
  await expect(page.getByTestId('approval-verdict')).toContainText('Denied by operator');
  await expect(page.getByTestId('approval-verdict')).toContainText('They are still read.');

  // The one runs, the other never does; both are told where their queue is shown.
  await expect
    .poll(async () => {
      const queue = (await readSnapshot(page, 'queues.state')).queues.find((one) => one.queue === 'local');
      const tasks = await call<
        readonly { readonly outcome: string; readonly deadLetter: { readonly reason: string } | null }[]
      >(page, 'queues.tasks', { queue: 'local', limit: 500 });
      const denied = tasks.filter(({ deadLetter }) => deadLetter?.reason.includes('They are still read.') === true);
      return [denied.length, (queue?.outcomes.done ?? 0) > 0];
    })
    .toEqual([1, true]);
  await call(page, 'swarm.stop', {});
});
