/** The live table: every message arrives or is counted, and nothing moves under the eye. */
import { expect, type Page } from '@playwright/test';
import { startBareWorkbench } from './support/bare-workbench.ts';
import { burst, burstSealed, call, followTask, readBytes, readSnapshot, runCommand } from './support/bridge.ts';
import { expectSum, newestTask, openSession, rowOf, seqsInSight, shownCounters } from './support/streams-page.ts';
import { setPageSize, test, type Workbench } from './support/workbench.ts';

const place = (page: Page) => page.getByTestId('table-place');

test('S1 10 000 messages published at once all arrive in order, and the numbers on screen add up', async ({
  workbench,
}) => {
  const { page } = workbench;
  await burst(page, 'flood', 10_000);
  expect(await expectSum(page, 10_000)).toEqual({ received: 10_000, dropped: 0 });
  const seqs = await seqsInSight(page);
  expect(seqs.at(-1)).toBe(10_000);
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => 10_001 - seqs.length + at));
  await expect(rowOf(page, 10_000)).toContainText('message 9999');
  const status = await readSnapshot(page, 'streams.status');
  expect([status.receivedCount, status.droppedCount]).toEqual([10_000, 0]);
});

test('B2 what overflows the buffer is counted as dropped, marked in its place, and received and dropped add up', async ({
  workbench,
}) => {
  const { page } = workbench;
  await burst(page, 'first', 50);
  await expectSum(page, 50);
  await burst(page, 'flood', 100_000);
  const { dropped } = await expectSum(page, 100_050);
  const status = await readSnapshot(page, 'streams.status');
  expect(dropped).toBeGreaterThan(0);
  expect(dropped).toBe(status.droppedCount);
  // What the buffer held at the end of the flood arrives whole; frames that were sent during it come on top.
  expect(100_050 - dropped).toBeGreaterThanOrEqual(status.capacityCount);
  await burst(page, 'after', 1);
  await expectSum(page, 100_051);
  await expect(page.getByLabel('Throughput and cost')).toContainText(
    dropped.toLocaleString('en').replaceAll(',', '\u202f'),
  );
});

test('a row that is being read does not move by a pixel while 10 000 arrive, half of them while the window sleeps, and the pill counts them', async ({
  workbench,
}) => {
  const { app, page } = workbench;
  await burst(page, 'before', 300);
  await expectSum(page, 300);
  const seqs = await seqsInSight(page);
  const read = seqs[Math.floor(seqs.length / 2)] ?? 0;
  await rowOf(page, read).click();
  await expect(rowOf(page, read)).toHaveAttribute('aria-selected', 'true');
  const before = await rowOf(page, read).boundingBox();
  // Looks at the row in every frame that is painted, until told to stop.
  await page.evaluate((seq) => {
    const places = new Set<string>();
    const look = (): void => {
      const row = document.querySelector(`[data-testid="live-row"][data-seq="${seq}"]`);
      const box = row?.getBoundingClientRect();
      places.add(box === undefined ? 'gone' : `${box.x} ${box.y} ${box.width} ${box.height}`);
      requestAnimationFrame(look);
    };
    look();
    Object.assign(window, { placesOfRow: places });
  }, read);
  for (let round = 0; round < 10; round++) await burst(page, 'after', 500);
  await expect(page.getByTestId('new-rows-pill')).toHaveAttribute('data-count', '5000');
  const setShown = (isShown: boolean): Promise<void> =>
    app.evaluate(({ BrowserWindow }, shown) => {
      const [window] = BrowserWindow.getAllWindows();
      if (shown) window?.show();
      else window?.hide();
    }, isShown);
  await setShown(false);
  for (let round = 0; round < 10; round++) await burst(page, 'asleep', 500);
  await setShown(true);
  await expect(page.getByTestId('new-rows-pill')).toHaveAttribute('data-count', '10000');
  await expect(page.getByTestId('new-rows-pill')).toHaveText('10\u202f000 new');
  expect(await rowOf(page, read).boundingBox()).toEqual(before);
  const places = await page.evaluate(() => [...(window as unknown as { placesOfRow: Set<string> }).placesOfRow]);
  expect(places).toEqual([`${before?.x} ${before?.y} ${before?.width} ${before?.height}`]);
  await expect(place(page)).toContainText('detached');
  await page.getByTestId('new-rows-pill').click();
  await expect(place(page)).toHaveText('following');
  await expect(page.getByTestId('new-rows-pill')).toBeHidden();
  await expect(rowOf(page, 10_300)).toBeVisible();
});

test('pause freezes the rows and shows what waits; resume shows it all', async ({ workbench }) => {
  const { page } = workbench;
  await burst(page, 'before', 100);
  await expectSum(page, 100);
  await page.getByTestId('pause-button').click();
  await expect(page.getByTestId('pause-gauge')).toHaveAttribute('data-waiting', '0');
  const frozen = await seqsInSight(page);
  await burst(page, 'while', 7_000);
  await expect(page.getByTestId('pause-gauge')).toHaveAttribute('data-waiting', '7000');
  await expect(page.getByTestId('pause-gauge')).toContainText('7\u202f000 waiting');
  expect(await shownCounters(page)).toEqual({ received: 100, dropped: 0 });
  expect(await seqsInSight(page)).toEqual(frozen);
  await page.getByTestId('pause-button').click();
  expect(await expectSum(page, 7_100)).toEqual({ received: 7_100, dropped: 0 });
  await expect(rowOf(page, 7_100)).toBeVisible();
});

test('a pause that outlasts the buffer says what is lost, and received and dropped add up after it', async ({
  workbench,
}) => {
  const { page } = workbench;
  await page.getByTestId('pause-button').click();
  await burst(page, 'while', 80_000);
  const status = await readSnapshot(page, 'streams.status');
  const lost = String(80_000 - status.capacityCount);
  await expect(page.getByTestId('pause-gauge')).toHaveAttribute('data-lost', lost);
  await page.getByTestId('pause-button').click();
  const { dropped } = await expectSum(page, 80_000);
  // What was under way when the pause began is shown: at most the frames of two credits.
  expect(dropped).toBeLessThanOrEqual(Number(lost));
  expect(dropped).toBeGreaterThanOrEqual(Number(lost) - 512);
});

test('a hidden window stops the flow by itself, and shows everything when it is back', async ({ profile }) => {
  const bare = await startBareWorkbench(profile);
  try {
    const { page, setHidden } = bare;
    await page.keyboard.press('Control+2');
    await expect(page.getByTestId('received-count')).toBeVisible();
    await burst(page, 'seen', 100);
    await expectSum(page, 100);
    await setHidden(true);
    await burst(page, 'unseen', 20_000);
    // The rates are taken once a second: looked at until the flood has been in them and has left them again.
    const rates: number[] = [];
    const flowsIn = async (): Promise<boolean> => {
      const { inPerSecond, outPerSecond } = await readSnapshot(page, 'streams.status');
      rates.push(outPerSecond);
      return inPerSecond > 5_000;
    };
    await expect.poll(flowsIn, { intervals: [100], timeout: 20_000 }).toBe(true);
    await expect.poll(flowsIn, { intervals: [100], timeout: 20_000 }).toBe(false);
    // The 100 that were seen, and at most 512 in the frames of two credits, in a sample of about a second.
    expect(Math.max(...rates)).toBeLessThan(1_000);
    expect((await shownCounters(page)).received).toBeLessThanOrEqual(612);
    await setHidden(false);
    expect(await expectSum(page, 20_100)).toEqual({ received: 20_100, dropped: 0 });
    await expect(rowOf(page, 20_100)).toBeVisible();
  } finally {
    await bare.end();
  }
});

/** Presses a button of the inspector that copies, and gives the clipboard. */
async function copyBy({ app, page }: Workbench, name: string): Promise<string> {
  await app.evaluate(({ clipboard }) => clipboard.clear());
  await page.getByTestId('inspector').getByRole('button', { name }).click();
  const read = (): Promise<string> => app.evaluate(({ clipboard }) => clipboard.readText());
  await expect.poll(read).not.toBe('');
  return await read();
}

/** Bytes that the hex view shows: all rows must be in sight. */
async function shownHex(page: Page): Promise<string> {
  const rows = await page.locator('.payload-hex-row').evaluateAll((found) =>
    found
      .map((row) => row.querySelectorAll('span'))
      .map((cells) => ({ offset: cells[0]?.textContent ?? '', hex: cells[1]?.textContent ?? '' }))
      .sort((a, b) => a.offset.localeCompare(b.offset))
      .map(({ hex }) => hex),
  );
  return rows.join(' ').replaceAll(/\s+/g, '');
}

/** The opened payload of one message. */
async function readPayload(page: Page, seq: number): Promise<Buffer> {
  const bytes = await page.evaluate(async (wanted) => {
    const result = await window.bridge.invoke(crypto.randomUUID(), 'streams.open', { seq: wanted });
    return result.ok ? [...(result.value as { bytes: Uint8Array }).bytes] : [];
  }, seq);
  return Buffer.from(bytes);
}

test('the inspector shows and copies the exact bytes of a message and of its opened payload', async ({ workbench }) => {
  const { page } = workbench;
  // A right-to-left override, a BOM and an astral character in the command line: they come back raw in a status.
  const strange = 'a\u202eb\ufeffc𝄞é';
  const task = await runCommand(page, 'printf', '\\000\\377\\303(\\033[31mred', strange);
  await followTask(page, task);
  await page.getByTestId('pause-button').click();
  const rows = page.getByTestId('live-row');
  const view = async (name: string): Promise<void> => {
    await page.getByTestId('inspector').getByRole('radio', { name, exact: true }).click();
  };
  for (const [verb, part] of [
    ['terminal', ''],
    ['status', 'claimed'],
  ] as const) {
    const row = rows
      .filter({ hasText: `.${verb}` })
      .filter({ hasText: part })
      .first();
    await row.click();
    const seq = Number(await row.getAttribute('data-seq'));
    const [bytes, payload] = [await readBytes(page, seq), await readPayload(page, seq)];
    await page.getByRole('tab', { name: 'Payload' }).click();
    await view('Text');
    await expect(page.getByTestId('payload-text')).toContainText(
      verb === 'terminal' ? '"bytes":"' : '"state":"claimed"',
    );
    expect(Buffer.from(await copyBy(workbench, 'Copy text'))).toEqual(payload);
    if (verb === 'status') {
      const shown = (await page.getByTestId('payload-text').textContent()) ?? '';
      expect(shown).not.toMatch(/[\u202e\ufeff]/u);
    }
    await view('Hex');
    expect(await copyBy(workbench, 'Copy hex')).toBe(payload.toString('hex'));
    expect(await shownHex(page)).toBe(payload.toString('hex'));
    const parsed = JSON.parse(payload.toString()) as { bytes?: string };
    if (parsed.bytes !== undefined)
      expect(Buffer.from(parsed.bytes, 'base64')).toEqual(
        Buffer.concat([Buffer.from([0, 255, 0xc3]), Buffer.from('(\u001b[31mred')]),
      );
    await page.getByRole('tab', { name: 'Raw' }).click();
    await view('Text');
    expect(Buffer.from(await copyBy(workbench, 'Copy text'))).toEqual(bytes);
    await view('Hex');
    expect(await copyBy(workbench, 'Copy hex')).toBe(bytes.toString('hex'));
    await view('Text');
  }
});

test('the table can be walked by keyboard alone', async ({ workbench }) => {
  const { page } = workbench;
  await burst(page, 'walk', 200);
  await expectSum(page, 200);
  const inspector = page.getByTestId('inspector');
  const selected = page.locator('[data-testid="live-row"][aria-selected="true"]');
  await page.getByTestId('live-table').focus();
  await page.keyboard.press('j');
  await expect(selected).toHaveAttribute('data-seq', '200');
  await page.keyboard.press('k');
  await page.keyboard.press('ArrowUp');
  await expect(selected).toHaveAttribute('data-seq', '198');
  await expect(inspector).toContainText('#198');
  await page.keyboard.press('Escape');
  await expect(inspector).toBeHidden();
  await page.keyboard.press('Enter');
  await expect(inspector).toContainText('#198');
  await page.keyboard.press('j');
  await expect(inspector).toContainText('#199');
  await page.keyboard.press('Home');
  await expect(selected).toHaveAttribute('data-seq', '1');
  await page.keyboard.press('PageDown');
  await expect.poll(async () => Number(await selected.getAttribute('data-seq'))).toBeGreaterThan(10);
  await page.keyboard.press('Space');
  await expect(page.getByTestId('pause-button')).toHaveText(/^Resume/);
  await page.keyboard.press('Space');
  await expect(page.getByTestId('pause-button')).toHaveText(/^Pause/);
  await page.keyboard.press('Escape');
  await expect(inspector).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(selected).toHaveCount(0);
  await page.keyboard.press('End');
  await expect(place(page)).toHaveText('following');
  await expect(rowOf(page, 200)).toBeVisible();
  await expect(page.getByTestId('live-table')).toBeFocused();
});

test('at the smallest size every control of the view can be reached while the inspector is open', async ({
  workbench,
}) => {
  const { page } = workbench;
  await setPageSize(workbench, 1024, 700);
  await burst(page, 'small', 50);
  await expectSum(page, 50);
  await rowOf(page, 50).click();
  await expect(page.getByTestId('inspector')).toBeVisible();
  await page.getByTestId('pause-button').click({ timeout: 5_000 });
  await expect(page.getByTestId('pause-gauge')).toBeVisible();
  await page.getByTestId('pause-button').click({ timeout: 5_000 });
  await expect(page.getByTestId('pause-gauge')).toBeHidden();
});

test('choosing a session in the tree shows its messages alone', async ({ workbench }) => {
  const { page } = workbench;
  const alpha = await burstSealed(page, 'alpha', 120);
  const beta = await burstSealed(page, 'beta', 80);
  await expectSum(page, 200);
  await page.keyboard.press('f');
  await expect(page.getByTestId('session-filter')).toBeFocused();
  await page.keyboard.type('bet');
  await expect(page.locator(`[data-id="session:${alpha}"]`)).toHaveCount(0);
  await page.locator(`[data-id="session:${beta}"]`).click();
  expect(await expectSum(page, 80)).toEqual({ received: 80, dropped: 0 });
  const subjects = await page.getByTestId('live-row').locator('.live-subject').allTextContents();
  expect(subjects.length).toBeGreaterThan(10);
  expect(subjects.filter((subject) => !subject.includes('beta'))).toEqual([]);
  await burstSealed(page, 'alpha', 10);
  await burstSealed(page, 'beta', 5);
  await expectSum(page, 85);
  await page.getByTestId('session-filter').fill('');
  await page.locator('[data-id="all"]').click();
  await expectSum(page, 215);
});

test('the session view shows the terminal and charts with points', async ({ workbench }) => {
  const { page } = workbench;
  const task = await runCommand(
    page,
    'sh',
    '-c',
    'i=0; while :; do i=$((i + 1)); [ $((i % 20000)) -eq 0 ] && echo "round $i"; done',
  );
  await openSession(page, task.session);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'running');
  await expect(page.locator('.xterm-rows')).toContainText(/round \d+/);
  const readout = page.getByTestId('telemetry-readout');
  await expect(readout).toContainText(/CPU\s*[1-9]\d*/);
  await expect(readout).toContainText(/RSS\s*[\d.]+\s*(KiB|MiB)/);
  /** Columns of the plot in which a line of this colour is drawn. */
  const drawn = (index: number, token: string): Promise<number> =>
    page.evaluate(
      (wanted) => {
        const canvas = document.querySelectorAll<HTMLCanvasElement>('.time-chart canvas')[wanted.index];
        const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        if (!canvas || !context) return 0;
        Object.assign(context.canvas, { width: canvas.width, height: canvas.height });
        context.drawImage(canvas, 0, 0);
        const hex = getComputedStyle(document.documentElement).getPropertyValue(wanted.token).trim();
        const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
        const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
        const columns = new Set<number>();
        for (let at = 0; at < data.length; at += 4) {
          const distance =
            Math.abs((data[at] ?? 0) - red) +
            Math.abs((data[at + 1] ?? 0) - green) +
            Math.abs((data[at + 2] ?? 0) - blue);
          if ((data[at + 3] ?? 0) > 120 && distance < 60) columns.add((at / 4) % width);
        }
        return columns.size;
      },
      { index, token },
    );
  await expect.poll(() => drawn(0, '--accent'), { message: 'CPU' }).toBeGreaterThan(10);
  await expect.poll(() => drawn(1, '--text'), { message: 'RSS' }).toBeGreaterThan(10);
  await call(page, 'swarm.cancel', { taskId: task.taskId });
  await expect(newestTask(page)).toHaveAttribute('data-state', 'cancelled');
});
