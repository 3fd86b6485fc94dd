/** The local swarm: real workers run real commands, and every end is shown for what it is. */
import { expect, type Page } from '@playwright/test';
import { bytesOf, call, followTask, readMessage, readSnapshot, runCommand } from './support/bridge.ts';
import { livingOfSession } from './support/processes.ts';
import { newestTask, openSession, seqsInSight, shownCounters } from './support/streams-page.ts';
import { test, type Workbench } from './support/workbench.ts';

/** All text of the terminal, copied as a user does. */
async function copyTerminal({ app, page }: Workbench): Promise<string> {
  await app.evaluate(({ clipboard }) => clipboard.clear());
  await page.getByTestId('session-terminal').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  const read = (): Promise<string> => app.evaluate(({ clipboard }) => clipboard.readText());
  await expect.poll(read).not.toBe('');
  return await read();
}

/** Living commands of a session that begin so, without its worker and guardian. */
function commandsOf(session: string, begin: string): number[] {
  return livingOfSession(session)
    .filter(({ command }) => command.startsWith(begin))
    .map(({ pid }) => pid);
}

async function workerOf(page: Page, peer: string) {
  const { workers } = await readSnapshot(page, 'swarm.state');
  return workers.find((worker) => worker.peer === peer);
}

test('one click on "Start the local swarm" brings four workers and live rows', async ({ workbench }) => {
  const { page } = workbench;
  await page.getByRole('button', { name: 'Start the local swarm' }).click();
  await expect(page.locator('[data-testid="tree-item"][data-state="live"]')).toHaveCount(4);
  await expect(page.getByTestId('streams-empty')).toBeHidden();
  await expect.poll(async () => (await seqsInSight(page)).length).toBeGreaterThan(10);
  const { received } = await shownCounters(page);
  await expect.poll(async () => (await shownCounters(page)).received).toBeGreaterThan(received + 10);
  const seqs = await seqsInSight(page);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  const state = await readSnapshot(page, 'swarm.state');
  expect([state.state, state.workers.length]).toEqual(['running', 4]);
  await page.keyboard.press('Control+1');
  await expect(page.getByRole('region', { name: 'Local swarm' }).getByRole('row')).toHaveCount(5);
  await page.getByRole('button', { name: 'Stop the local swarm' }).click();
  await expect.poll(async () => (await readSnapshot(page, 'swarm.state')).state).toBe('stopped');
  expect(livingOfSession(state.workers[0]?.session ?? '')).toEqual([]);
});

/** Messages of the engine from a place on, by the kind of their subject. */
async function readPlanes(page: Page, fromSeq: number) {
  const { newestSeq } = await readSnapshot(page, 'streams.status');
  const seqs = Array.from({ length: Math.max(0, newestSeq - fromSeq + 1) }, (_, at) => fromSeq + at);
  const messages = await Promise.all(seqs.map((seq) => readMessage(page, seq)));
  return {
    nextSeq: newestSeq + 1,
    found: messages.filter(({ subject }) => /^vak\.(work|receipts|dlq|approvals)\./.test(subject)),
  };
}

test('W1 W3 W6 W8 within a minute of its start the swarm has tasks in its queue, receipts that count, a dead letter, and a task that waits for an operator', async ({
  workbench,
}) => {
  test.setTimeout(120_000);
  const { page } = workbench;
  await page.getByRole('button', { name: 'Start the local swarm' }).click();
  let nextSeq = 1;
  let largestLag = 0;
  const seen = new Map<string, Awaited<ReturnType<typeof readPlanes>>['found']>();
  const countOf = (plane: string): number => seen.get(plane)?.length ?? 0;
  const look = async (): Promise<void> => {
    const read = await readPlanes(page, nextSeq);
    nextSeq = read.nextSeq;
    for (const message of read.found) {
      const plane = message.subject.split('.')[1] ?? '';
      seen.set(plane, [...(seen.get(plane) ?? []), message]);
    }
    largestLag = Math.max(largestLag, countOf('work') - countOf('receipts'));
  };
  const inAMinute = { timeout: 60_000, intervals: [500] };
  await expect
    .poll(async () => {
      await look();
      return ['work', 'receipts', 'dlq', 'approvals'].map((plane) => Math.min(1, countOf(plane)));
    }, inAMinute)
    .toEqual([1, 1, 1, 1]);
  expect(largestLag).toBeGreaterThan(0);
  expect(largestLag).toBeLessThanOrEqual(12);
  for (const { trust, subject, peer } of [...seen.values()].flat()) {
    expect([subject, trust.refusal]).toEqual([subject, null]);
    expect(trust.signature).toMatchObject({ kind: 'valid', peer });
    expect(trust.marks.seal).toBe('opens');
  }
  expect(seen.get('work')?.[0]?.subject).toBe('vak.work.default.local.task');
  expect(seen.get('work')?.[0]?.trust.signature).toMatchObject({ peer: 'swarm', roles: ['coordinator'] });
  expect(seen.get('receipts')?.[0]?.trust.signature).toMatchObject({ roles: ['worker'] });
  await expect
    .poll(async () => (await readSnapshot(page, 'swarm.state')).workers.filter(({ task }) => task?.isWaiting).length)
    .toBe(1);
  const { workers, coordinator, problem } = await readSnapshot(page, 'swarm.state');
  expect([coordinator, problem]).toEqual([{ kind: 'running', why: null }, null]);
  expect(workers.map(({ kind }) => kind)).toEqual(new Array(4).fill('queue'));
  await page.keyboard.press('Control+1');
  await expect(page.getByRole('region', { name: 'Local swarm' })).toContainText('waits for approval: sample: report');
  const waiting = workers.find(({ task }) => task?.isWaiting);
  await call(page, 'swarm.cancel', { taskId: waiting?.task?.taskId });
  await expect.poll(async () => (await workerOf(page, waiting?.peer ?? ''))?.cancelledCount).toBe(1);
  await call(page, 'swarm.stop', {});
});

test('2 000 numbered lines arrive in order, with their bytes and colours, and stand in the terminal', async ({
  workbench,
}) => {
  const { page } = workbench;
  const script =
    "i=0; while [ $i -lt 2000 ]; do printf '\\033[3%dmline %d\\033[0m\\n' $((i % 7 + 1)) $i; i=$((i + 1)); done";
  const task = await runCommand(page, 'sh', '-c', script);
  const lines = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
  const { chunks, final, ...sums } = await followTask(page, task, { keepsChunks: true });
  const expected = lines.map((line, at) => `\u001b[3${(at % 7) + 1}m${line}\u001b[0m\n`).join('');
  expect(bytesOf(chunks.stdout).toString()).toBe(expected);
  expect(chunks.stderr).toEqual([]);
  expect(sums).toEqual({ shownBytes: expected.length, missingBytes: 0, droppedCount: 0, isInOrder: true });
  expect(final).toMatchObject({ state: 'done', detail: { exitCode: 0 } });
  await openSession(page, task.session);
  await expect(page.locator('.xterm-rows')).toContainText('line 1999');
  const copied = (await copyTerminal(workbench)).split('\n').filter((line) => line.trim() !== '');
  expect(copied.map((line) => line.trimEnd())).toEqual(lines);
  // Line 1994 is red, the next one green: both as the theme has them, and not as plain text.
  const colours = await page.evaluate(() => {
    const colourOf = (text: string): string => {
      const spans = [...document.querySelectorAll('.xterm-rows span')];
      const span = spans.find((each) => each.textContent?.trim() === text);
      return span === undefined ? 'none' : getComputedStyle(span).color;
    };
    return ['line 1994', 'line 1995'].map(colourOf);
  });
  expect(colours.every((colour) => /^rgb/.test(colour))).toBe(true);
  expect(new Set(colours).size).toBe(2);
});

test('bytes that are no text pass unchanged, and both streams keep their own order', async ({ workbench }) => {
  const { page } = workbench;
  const script = "printf '\\000\\377\\303(\\033[1;31mé€𝄞\\r\\n\\t'; printf 'to stderr \\376' >&2; printf end";
  const task = await runCommand(page, 'sh', '-c', script);
  const { chunks } = await followTask(page, task, { keepsChunks: true });
  const expected = Buffer.concat([Buffer.from([0, 255, 0xc3]), Buffer.from('(\u001b[1;31mé€𝄞\r\n\tend')]);
  expect(bytesOf(chunks.stdout)).toEqual(expected);
  expect(bytesOf(chunks.stderr)).toEqual(Buffer.concat([Buffer.from('to stderr '), Buffer.from([0xfe])]));
});

test('a command that does not exist is shown as failed, with the reason', async ({ workbench }) => {
  const { page } = workbench;
  const task = await runCommand(page, 'vak-no-such-program', '--flag');
  const { final } = await followTask(page, task);
  expect(final.state).toBe('failed');
  expect(final.detail?.reason).toContain('vak-no-such-program');
  await openSession(page, task.session);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'failed');
  await expect(newestTask(page)).toContainText('vak-no-such-program');
  await expect(page.getByTestId('session-state')).toHaveText('idle');
});

test('a command given in the dialog that exits with 3 is shown with its code, and its worker takes the next', async ({
  workbench,
}) => {
  const { page } = workbench;
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Run a command' });
  await dialog.getByLabel('Command line').fill('echo before; echo wrong >&2; exit 3');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(dialog).toBeHidden();
  await page.getByTestId('mode-session').click();
  await expect(newestTask(page)).toHaveAttribute('data-state', 'failed');
  await expect(newestTask(page)).toContainText('exit code 3');
  await expect(page.locator('.xterm-rows')).toContainText('before');
  await expect(page.locator('.xterm-rows')).toContainText('wrong');
  const task = await runCommand(page, 'sh', '-c', 'echo after');
  await expect(newestTask(page)).toHaveAttribute('data-state', 'done');
  await expect(page.getByTestId('session-tasks').getByRole('listitem')).toHaveCount(2);
  expect((await readSnapshot(page, 'swarm.state')).workers).toMatchObject([
    { peer: task.peer, state: 'idle', doneCount: 1, failedCount: 1 },
  ]);
});

test('50 MB of output: the app stays responsive, and what is shown and what is not add up', async ({ workbench }) => {
  const { page } = workbench;
  const total = 52_428_800;
  const first = await runCommand(page, 'true');
  await followTask(page, first);
  await openSession(page, first.session);
  const task = await runCommand(page, 'sh', '-c', `head -c ${total} /dev/zero | tr '\\0' x`);
  expect(task.session).toBe(first.session);
  let isOver = false;
  const following = followTask(page, task).finally(() => {
    isOver = true;
  });
  const roundTripsMs: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    roundTripsMs.push(performance.now() - startedAt);
  }
  const { shownBytes, missingBytes, isInOrder, final } = await following;
  expect(final).toMatchObject({ state: 'done', detail: { exitCode: 0 } });
  expect(isInOrder).toBe(true);
  expect(shownBytes + missingBytes).toBe(total);
  expect(Math.max(...roundTripsMs)).toBeLessThan(1000);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'done', { timeout: 30_000 });
  // Opened anew, the view shows what the engine still holds and says how much it does not.
  await page.getByTestId('mode-messages').click();
  await openSession(page, task.session);
  const held = await followTask(page, task, { isFirstEnough: true });
  expect(held.missingBytes).toBeGreaterThan(0);
  const said = page.getByTestId('session-view').getByText(/bytes of output are not here/);
  await expect
    .poll(async () => Number((await said.textContent())?.match(/^([\d\u202f]+) bytes/)?.[1]?.replaceAll('\u202f', '')))
    .toBe(held.missingBytes);
});

test('a command that never ends is cancelled in the window, and nothing of it is left', async ({ workbench }) => {
  const { page } = workbench;
  const task = await runCommand(
    page,
    'sh',
    '-c',
    "trap '' TERM; sleep 4321 & (setsid sleep 4322 &) ; while :; do sleep 4323; done",
  );
  await expect.poll(() => commandsOf(task.session, 'sleep 432').length).toBe(3);
  await openSession(page, task.session);
  await expect(page.getByTestId('session-state')).toHaveText('busy');
  await page.getByTestId('cancel-command').click();
  await expect(newestTask(page)).toHaveAttribute('data-state', 'cancelled');
  await expect(page.getByTestId('session-state').locator('..')).toContainText('0 failed · 1 cancelled');
  expect(commandsOf(task.session, 'sleep 432')).toEqual([]);
  await expect(page.getByTestId('session-state')).toHaveText('idle');
});

test('a worker that is killed from outside is shown as dead with the cause, and its command ends with it', async ({
  workbench,
}) => {
  const { page } = workbench;
  const task = await runCommand(page, 'sh', '-c', 'sleep 4321 & setsid sleep 4322 & sleep 4323');
  await expect.poll(() => commandsOf(task.session, 'sleep 432').length).toBe(3);
  await openSession(page, task.session);
  const worker = await workerOf(page, task.peer);
  process.kill(worker?.pid ?? 0, 'SIGKILL');
  await expect(page.getByTestId('session-state')).toHaveText('dead');
  await expect(page.getByTestId('session-death')).toContainText('SIGKILL');
  await expect(page.getByTestId('session-death')).toContainText('sleep 4321');
  await expect.poll(() => commandsOf(task.session, '')).toEqual([]);
  await expect(page.getByTestId('session-death')).toContainText(/ended too|nothing that it started is left/);
  await page.keyboard.press('Control+1');
  await expect(page.getByRole('region', { name: 'What is wrong now' })).toContainText(task.peer);
  expect(await workerOf(page, task.peer)).toMatchObject({ state: 'dead', pid: null, death: { signal: 'SIGKILL' } });
});

test('the task of a worker that died is not shown as running', async ({ workbench }) => {
  const { page } = workbench;
  const task = await runCommand(page, 'sleep', '4321');
  await openSession(page, task.session);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'running');
  process.kill((await workerOf(page, task.peer))?.pid ?? 0, 'SIGKILL');
  await expect(page.getByTestId('session-state')).toHaveText('dead');
  await expect(newestTask(page)).not.toHaveAttribute('data-state', 'running');
});

test('a worker that is killed in the window asks first, then dies as told', async ({ workbench }) => {
  const { page } = workbench;
  const task = await runCommand(page, 'sleep', '4321');
  await openSession(page, task.session);
  await page.getByTestId('kill-worker').click();
  const guard = page.getByRole('alertdialog');
  await expect(guard).toContainText(task.peer);
  await expect(guard.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await guard.getByRole('textbox').fill(task.peer);
  await guard.getByRole('button', { name: 'Kill' }).click();
  await expect(page.getByTestId('session-death')).toContainText('killed by the operator');
  await expect.poll(() => commandsOf(task.session, '')).toEqual([]);
});

test('an app that is killed takes its workers and their commands with it', async ({ workbench }) => {
  const { app, page, living, rememberSessions } = workbench;
  await call(page, 'swarm.start', { workers: 2 });
  const task = await runCommand(page, 'sh', '-c', 'sleep 4321 & setsid sleep 4322 & sleep 4323');
  await expect.poll(() => commandsOf(task.session, 'sleep 432').length).toBe(3);
  await rememberSessions();
  expect(living().filter((line) => line.includes('guardian of')).length).toBeGreaterThanOrEqual(2);
  app.process().kill('SIGKILL');
  await expect.poll(living, { timeout: 10_000 }).toEqual([]);
});
