/** Every action of the registry, as the palette lists it in each view: it does something that can be told, or says why it does not. */
import { expect, type Page } from '@playwright/test';
import { burstSealed } from './support/bridge.ts';
import { effects, watchMain } from './support/effects.ts';
import { shareWorkbench, test, type Workbench } from './support/workbench.ts';

const shared = shareWorkbench();
/**
 * It ends the workbench; lock.spec.ts runs it. A way back where nothing is open: silence is what Esc means then. And a step to the next
 * problem, of which there may be one alone just then; operations.spec.ts goes through several by key.
 */
const elsewhere = ['identity.lock', 'letters.back', 'operations.next', 'operations.previous'];

/** What has to be otherwise before an action can do what it says. */
const first: Readonly<Record<string, string>> = {
  'view.operations': 'view.streams',
  'queues.sort.name': 'queues.sort.lag',
  'streams.inspect': 'streams.toggleInspector',
};

interface Listed {
  readonly id: string;
  readonly title: string;
  /** Why it cannot be run now; empty: it can. */
  readonly reason: string;
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Search or run' })).toBeVisible();
}

/** What the palette lists of actions: neither sessions nor queues. */
function listed(page: Page): Promise<readonly Listed[]> {
  return page.locator('[cmdk-item]').evaluateAll((items) =>
    items
      .map((item) => ({
        id: item.getAttribute('data-value') ?? '',
        title: item.querySelector('.palette-item-title')?.textContent ?? '',
        reason:
          item.getAttribute('aria-disabled') === 'true'
            ? (item.querySelector('.palette-item-note')?.textContent ?? '')
            : '',
        isDisabled: item.getAttribute('aria-disabled') === 'true',
      }))
      .filter(({ id }) => id.includes('.') && !id.includes(' '))
      .map(({ isDisabled, ...item }) => ({
        ...item,
        reason: isDisabled && item.reason === '' ? 'SILENT' : item.reason,
      })),
  );
}

/** Closes whatever an action opened. */
async function closeAll(page: Page): Promise<void> {
  const dialogs = page.locator('[role="dialog"], [role="alertdialog"], [role="menu"]');
  await expect(async () => {
    if ((await dialogs.count()) > 0) await page.keyboard.press('Escape');
    expect(await dialogs.count()).toBe(0);
  }).toPass();
}

async function showView(page: Page, number: number): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press(`Control+${number}`);
  await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
}

/** Runs one action from the palette; gives its title if nothing came of it. */
async function runOne(workbench: Workbench, view: number, { id, title }: Listed): Promise<string | undefined> {
  const { page } = workbench;
  await showView(page, view);
  await openPalette(page);
  const before = first[id];
  if (before !== undefined) {
    await page.locator(`[cmdk-item][data-value="${before}"]`).click();
    await closeAll(page);
    await openPalette(page);
  }
  const item = page.locator(`[cmdk-item][data-value="${id}"]`);
  // Another action of this view may have ended what it was for.
  if ((await item.count()) === 0 || (await item.getAttribute('aria-disabled')) === 'true') {
    await closeAll(page);
    return undefined;
  }
  await page.keyboard.press('Escape');
  await closeAll(page);
  const earlier = await effects(workbench);
  await openPalette(page);
  await item.click();
  try {
    await expect.poll(() => effects(workbench), { timeout: 3_000 }).not.toBe(earlier);
    return undefined;
  } catch {
    return `${id}: ${title}`;
  } finally {
    await closeAll(page);
  }
}

test('every action of the palette does something, or says why it does not, in each of the nine views', async () => {
  test.setTimeout(400_000);
  const workbench = shared();
  const { page } = workbench;
  await burstSealed(page, 'palette', 30);
  await watchMain(workbench);
  const seen = new Set<string>(elsewhere);
  const silent: string[] = [];
  for (const view of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    await showView(page, view);
    await openPalette(page);
    const actions = await listed(page);
    await closeAll(page);
    for (const action of actions) {
      if (action.reason !== '') {
        expect.soft(action.reason, `${action.id} says why it cannot be run`).not.toBe('SILENT');
        continue;
      }
      if (seen.has(action.id)) continue;
      seen.add(action.id);
      const without = await runOne(workbench, view, action);
      if (without !== undefined) silent.push(`view ${view}: ${without}`);
    }
  }
  expect(silent, 'actions of which nothing could be told').toEqual([]);
  expect(seen.size).toBeGreaterThan(90);
});
