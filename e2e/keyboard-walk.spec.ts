/** The nine views by keyboard alone: every control is reached by Tab or the arrows of its group, has a name; `?` lists every key; nothing moves for who asks so; one zone for all times. */
import { expect, type Page } from '@playwright/test';
import { burstSealed, call } from './support/bridge.ts';
import { shareWorkbench, test } from './support/workbench.ts';

const shared = shareWorkbench();
const views = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** More than the controls of any view. */
const maxStops = 400;

/** Marks all that Tab should reach now; gives how many there are. What is one of a group is reached by its arrows. */
function markStops(page: Page): Promise<number> {
  return page.evaluate(() => {
    for (const old of document.querySelectorAll('[data-stop]')) old.removeAttribute('data-stop');
    const focusable = 'a[href], button, input, select, textarea, [tabindex], [contenteditable="true"]';
    const stops = [...document.querySelectorAll<HTMLElement>(focusable)].filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.matches(
          ':disabled, [role="group"], [role="radiogroup"], [role="tablist"], [type="radio"]:not(:checked)',
        ) &&
        element.closest('[inert], [hidden]') === null &&
        element.checkVisibility({ visibilityProperty: true }) &&
        element.getClientRects().length > 0,
    );
    for (const [at, stop] of stops.entries()) stop.dataset['stop'] = String(at);
    return stops.length;
  });
}

interface Stop {
  readonly stop: string | undefined;
  readonly name: string;
}

/** What has the focus. */
function focused(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const labels = [...((element as HTMLInputElement).labels ?? [])].map((label) => label.textContent);
    const labelledBy = document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent;
    const name = element.getAttribute('aria-label') ?? labelledBy ?? labels[0] ?? element.textContent ?? '';
    return { stop: element.dataset['stop'], name: name.trim() };
  });
}

test('every control of the nine views is reached by keyboard alone, and has a name', async () => {
  test.setTimeout(180_000);
  const { page } = shared();
  await burstSealed(page, 'walk', 20);
  await call(page, 'queues.enqueue', { queue: 'walk', task: { command: ['true'] } });
  for (const view of views) {
    await page.keyboard.press(`Control+${view}`);
    await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
    const count = await markStops(page);
    const reached = new Set<string>();
    const unnamed: string[] = [];
    for (let at = 0; at < maxStops && reached.size < count; at++) {
      await page.keyboard.press('Tab');
      const { stop, name } = await focused(page);
      if (stop !== undefined) reached.add(stop);
      if (stop !== undefined && name === '') unnamed.push(stop);
    }
    const missed = await page
      .locator('[data-stop]')
      .evaluateAll(
        (stops, known) =>
          stops
            .filter((stop) => !known.includes((stop as HTMLElement).dataset['stop'] ?? ''))
            .map((stop) => `${stop.tagName} ${stop.getAttribute('aria-label') ?? stop.textContent?.slice(0, 40)}`),
        [...reached],
      );
    expect.soft(missed, `view ${view}: reached by no key`).toEqual([]);
    expect.soft(unnamed, `view ${view}: a control without a name`).toEqual([]);
    expect(count).toBeGreaterThan(4);
  }
});

test('the sheet of keys lists in each view every action of the registry that has a key', async () => {
  const { page } = shared();
  for (const view of views) {
    await page.keyboard.press(`Control+${view}`);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or run' });
    await expect(palette).toBeVisible();
    const withKeys = await palette
      .locator('[cmdk-item]')
      .evaluateAll((items) =>
        items
          .filter((item) => item.querySelector('.key-hint') !== null)
          .map((item) => item.querySelector('.palette-item-title')?.textContent ?? ''),
      );
    await page.keyboard.press('Escape');
    await expect(palette).toBeHidden();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: /^Keys in / });
    await expect(sheet).toBeVisible();
    const listed = await sheet.locator('dt').allTextContents();
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    expect(withKeys.length).toBeGreaterThan(9);
    // The palette does not list itself.
    expect([...listed].sort()).toEqual([...withKeys, 'Search or run…'].sort());
  }
});

test('lists the keys of the view by ?', async () => {
  const { page } = shared();
  await page.keyboard.press('Control+2');
  await page.getByTestId('live-table').focus();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys in Streams' });
  await expect(sheet.getByText('Pause or resume the table')).toBeVisible();
  await expect(sheet.getByText('Go to Queues')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(page.getByTestId('live-table')).toBeFocused();
});

/** What the view shows of times, in order: those of a day, and the zones that stand behind a time or in a header. */
const shownTimes = (page: Page): Promise<{ readonly seconds: readonly number[]; readonly zones: readonly string[] }> =>
  page.evaluate(() => {
    // biome-ignore lint/performance/useDomNodeTextContent: a view that is kept behind the shown one is not shown.
    const text = document.querySelector<HTMLElement>('main')?.innerText ?? '';
    const times = [...text.matchAll(/\b(\d\d):(\d\d):(\d\d)\b/g)];
    return {
      seconds: times.map(([, hours, minutes, rest]) => Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest)),
      zones: [...new Set(text.match(/(?<=\d |\()UTC(?:[+−]\d\d:\d\d)?/g) ?? [])],
    };
  });

test('every time that the views show obeys the one switch between UTC and local', async () => {
  const { page } = shared();
  const debug = await page.context().newCDPSession(page);
  await debug.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
  const show = async (view: number): Promise<void> => {
    await page.keyboard.press(`Control+${view}`);
    await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
  };
  await burstSealed(page, 'zone', 5);
  await call(page, 'queues.enqueue', { queue: 'zone', task: { command: ['true'] } });
  await show(2);
  await page.getByTestId('live-table').press('Home');
  await show(3);
  await page.getByTestId('queue-table').press('j');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('waiting-list')).toBeVisible();
  const seenIn: number[] = [];
  for (const view of views) {
    await show(view);
    const utc = await shownTimes(page);
    await page.getByRole('button', { name: /^Times in UTC/ }).click();
    const local = await shownTimes(page);
    await page.getByRole('button', { name: /^Times in local/ }).click();
    expect
      .soft(
        utc.zones.filter((zone) => zone !== 'UTC'),
        `view ${view} in UTC`,
      )
      .toEqual([]);
    expect
      .soft(
        local.zones.filter((zone) => zone !== 'UTC+05:30'),
        `view ${view} in local time`,
      )
      .toEqual([]);
    // By whole minutes: the end of a chart's axis moves on.
    const movedMinutes = local.seconds.map((seconds, at) =>
      Math.round(((seconds - (utc.seconds[at] ?? 0) + 86_400) % 86_400) / 60),
    );
    expect.soft(movedMinutes, `times of view ${view}`).toEqual(utc.seconds.map(() => 330));
    if (utc.seconds.length > 0) seenIn.push(view);
  }
  expect(seenIn).toEqual(expect.arrayContaining([2, 3, 8]));
  await debug.send('Emulation.setTimezoneOverride', { timezoneId: '' });
});

/** Notes from now on what moves or fades for longer than no time. */
const watchMotion = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const moved = new Set<string>();
    Object.assign(window, { moved });
    const note = ({ type, target }: Event): void => {
      const lasting = (target as Element)
        .getAnimations({ subtree: true })
        .filter((one) => Number(one.effect?.getComputedTiming().endTime) > 0)
        // It keeps what is late out of sight for a moment, and moves nothing.
        .filter((one) => (one as CSSAnimation).animationName !== 'late');
      if (type === 'transitionrun' || lasting.length > 0) moved.add(`${type} ${(target as Element).className}`);
    };
    for (const type of ['transitionrun', 'animationstart']) document.addEventListener(type, note, true);
  });

/** What moved since the last look. */
const takeMoved = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { moved } = window as unknown as { moved: Set<string> };
    const taken = [...moved];
    moved.clear();
    return taken;
  });

test('moves and fades nothing where the system asks for less motion, in any view or overlay', async () => {
  const { page } = shared();
  const walk = async (): Promise<readonly string[]> => {
    for (const digit of '123456789') await page.keyboard.press(`Control+${digit}`);
    for (const key of ['Control+k', '?', 'Control+Enter']) {
      await page.keyboard.press(key);
      await expect(page.getByRole('dialog')).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
    return await takeMoved(page);
  };
  await watchMotion(page);
  // Else the look itself would be blind.
  expect((await walk()).length).toBeGreaterThan(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await walk()).toEqual([]);
  await page.emulateMedia({ reducedMotion: null });
  await page.keyboard.press('Control+2');
});
