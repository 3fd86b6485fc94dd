/** The small window that asks for a secret, and the gate in front of the workbench, used as a person uses them. */
import { type ElectronApplication, expect, type Page } from '@playwright/test';
import { passphrase } from './set-up-profile.ts';

/** Something that tells of new windows: the app, or its context where no debugger of Electron is attached. */
type WindowSource = Pick<ElectronApplication, 'waitForEvent'> | { nextWindow(): Promise<Page> };

const nextWindow = (source: WindowSource): Promise<Page> =>
  'nextWindow' in source ? source.nextWindow() : source.waitForEvent('window');

/** Does what opens the window, and gives it once it asks. */
export async function openEntry(source: WindowSource, open: () => Promise<unknown>): Promise<Page> {
  const [entry] = await Promise.all([nextWindow(source), open()]);
  await entry.getByTestId('entry-field').waitFor();
  return entry;
}

/** Presses a key that may close the window while it is still down. */
async function pressKey(entry: Page, key: string): Promise<void> {
  await entry.keyboard.press(key).catch((error: unknown) => {
    if (!entry.isClosed()) throw error;
  });
}

/** Closes the window by Escape. */
export async function cancelEntry(entry: Page): Promise<void> {
  await Promise.all([entry.waitForEvent('close'), pressKey(entry, 'Escape')]);
}

/** Types into the window and sends; `repeated`: for the second field of a new passphrase, the same unless said otherwise. */
export async function typeSecret(entry: Page, text: string, repeated = text): Promise<void> {
  await entry.getByTestId('entry-field').fill('');
  await entry.getByTestId('entry-field').focus();
  await entry.keyboard.insertText(text);
  const second = entry.getByTestId('entry-repeat');
  if (await second.isVisible()) {
    await second.fill('');
    await second.focus();
    await entry.keyboard.insertText(repeated);
  }
  await pressKey(entry, 'Enter');
}

/** Answers with a secret that is taken: the window is gone after. */
export async function answerEntry(entry: Page, text: string): Promise<void> {
  const closed = entry.isClosed() ? Promise.resolve() : entry.waitForEvent('close').then(() => undefined);
  await typeSecret(entry, text);
  await closed;
}

/** The view rail: the workbench is open. */
export async function expectWorkbench(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

/** Waits until the window shows a screen of the gate. */
export async function expectGate(page: Page, name: 'first-start' | 'lock' | 'recovery' | 'corrupt'): Promise<void> {
  await expect(page.getByTestId(`gate-${name}`)).toBeVisible();
}

/** Passes the gate: a fresh profile's first start, else the passphrase of a known one. */
export async function passGate(source: WindowSource, page: Page, given = passphrase): Promise<void> {
  const first = page.getByTestId('gate-first-start');
  const lock = page.getByTestId('gate-lock');
  await first.or(lock).waitFor();
  const button = page.getByTestId((await first.isVisible()) ? 'gate-create' : 'gate-unlock');
  await answerEntry(await openEntry(source, () => button.click()), given);
  await expectWorkbench(page);
}
