/** A read-only context: each action of each view is off before the click and says why, and the engine refuses it all the same (B10). */
import { expect, type Page } from '@playwright/test';
import { callChanges } from '../src/shared/contract/call-changes.ts';
import { violations } from './support/axe.ts';
import { call, invoke, readSnapshot, runCommand } from './support/bridge.ts';
import { openSession } from './support/streams-page.ts';
import { setPageSize, test } from './support/workbench.ts';

const reason = 'is read-only';
const views = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Titles of actions that change the bus, wherever they are offered; the table of Streams is paused for the eye alone. */
const changing =
  /^(Start the local swarm|Run a command|Enqueue|Pause (?!or resume the table)|Resume|Purge|Approve|Deny|Cancel the command|Publish|Inject)/;

/** What is offered by buttons of the shown view that changes the bus and can be pressed. */
function pressable(page: Page): Promise<readonly string[]> {
  return page.evaluate((source) => {
    const isChanging = new RegExp(source);
    return [...document.querySelectorAll<HTMLElement>('button')]
      .filter((button) => button.checkVisibility() && button.getAttribute('aria-disabled') !== 'true')
      .filter((button) => button.dataset['testid'] !== 'pause-button')
      .map((button) => button.getAttribute('aria-label') ?? button.textContent?.trim() ?? '')
      .filter((name) => isChanging.test(name));
  }, changing.source);
}

interface Offered {
  readonly title: string;
  /** Why it cannot be run. */
  readonly note: string;
  readonly isOff: boolean;
}

/** What the palette offers that changes the bus, and the note beside each. */
async function inPalette(page: Page): Promise<readonly Offered[]> {
  await page.keyboard.press('Control+k');
  const items = page.locator('.palette-item');
  await expect(items.first()).toBeVisible();
  const found = await items.evaluateAll((all) =>
    all.map((item) => ({
      title: item.querySelector('.palette-item-title')?.textContent ?? '',
      note: item.querySelector('.palette-item-note')?.textContent ?? '',
      isOff: item.getAttribute('aria-disabled') === 'true',
    })),
  );
  await page.keyboard.press('Escape');
  return found.filter(({ title }) => changing.test(title));
}

test('B10 in a read-only context nothing that changes the bus can be pressed in any view or the palette, each says why, and main refuses it', async ({
  workbench,
}) => {
  test.setTimeout(90_000);
  const { page } = workbench;
  // Something that could be acted on: a queue with a task, and a command of our own.
  await call(page, 'queues.enqueue', { queue: 'render', task: { command: ['true'] } });
  const { session } = await runCommand(page, 'sleep', '600');
  await call(page, 'settings.set', { key: 'contexts.embedded.readOnly', value: true });
  await expect(page.getByTestId('connection-read-only')).toBeVisible();
  await expect.poll(async () => (await readSnapshot(page, 'connections.state')).status.kind).toBe('connected');
  await setPageSize(workbench, 1440, 900);
  for (const number of views) {
    await page.keyboard.press(`Control+${number}`);
    await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
    if (number === 2) await openSession(page, session);
    if (number === 3) await page.locator('[data-key="render"]').click();
    expect.soft(await pressable(page), `view ${number}`).toEqual([]);
    const offered = await inPalette(page);
    expect.soft(offered.length, `palette of view ${number}`).toBeGreaterThan(3);
    const open = offered.filter(({ note, isOff }) => !isOff || !/read-only|select|nothing/.test(note));
    expect.soft(open, `palette of view ${number}`).toEqual([]);
    expect.soft(await violations(page), `axe of view ${number}`).toEqual([]);
  }
  await page.keyboard.press('Control+2');
  await expect(page.getByTestId('cancel-command')).toHaveAttribute('aria-disabled', 'true');
  // What ends a process of this machine stays.
  await expect(page.getByTestId('kill-worker')).not.toHaveAttribute('aria-disabled', 'true');
  for (const [name, changes] of Object.entries(callChanges)) {
    if (changes !== 'bus') continue;
    const answer = await invoke(page, name, {});
    expect.soft(answer, name).toMatchObject({ ok: false, error: { code: 'read-only' } });
    expect.soft(JSON.stringify(answer), name).toContain(reason);
  }
  // It can be taken back from here.
  await call(page, 'settings.reset', { key: 'contexts.embedded.readOnly' });
  await expect(page.getByTestId('connection-read-only')).toBeHidden();
  await expect.poll(async () => (await invoke(page, 'swarm.start', { workers: 1 })).ok).toBe(true);
});
