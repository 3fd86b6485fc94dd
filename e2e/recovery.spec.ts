/** Key stores that do not open as they did: nothing happens by itself, nothing is overwritten, every way out works (I3). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { readSnapshot } from './support/bridge.ts';
import { keyStoreFiles, makeKeychainProfile } from './support/crafted-profile.ts';
import { tabTo } from './support/keyboard.ts';
import { answerEntry, cancelEntry, expectGate, expectWorkbench, openEntry } from './support/secret-entry.ts';
import { passphrase, vak } from './support/set-up-profile.ts';
import { startClosed, startWorkbench, test, type Workbench } from './support/workbench.ts';

const newPassphrase = 'eleven paper boats on slate';

/** Every way out that the screen offers, by its button. */
const waysOf = ({ page }: Workbench): Promise<(string | null)[]> =>
  page
    .getByRole('list', { name: 'Ways out' })
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('data-testid')));

async function press({ page }: Workbench, id: string): Promise<void> {
  await tabTo(page, page.getByTestId(id));
  await page.keyboard.press('Enter');
}

test('I3 a keychain that is not there opens the recovery screen; its passphrase opens the same keys', async ({
  freshProfile,
}) => {
  await makeKeychainProfile(freshProfile, passphrase);
  const before = keyStoreFiles(freshProfile);
  const workbench = await startClosed(freshProfile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'recovery');
    await expect(page.getByTestId('gate-reason')).toContainText('made with the keychain gnome_libsecret');
    expect(await waysOf(workbench)).toEqual(['gate-passphrase', 'gate-restore', 'gate-start-anew']);
    await cancelEntry(await openEntry(app, () => press(workbench, 'gate-passphrase')));
    expect(keyStoreFiles(freshProfile)).toEqual(before);
    await answerEntry(await openEntry(app, () => press(workbench, 'gate-passphrase')), passphrase);
    await expectWorkbench(page);
    const self = await readSnapshot(page, 'identity.self');
    const shown = JSON.parse(vak(freshProfile, ['id', 'show', '--json']).stdout);
    expect([shown.sign, shown.rootPublic]).toEqual([self?.sign, self?.rootPublic]);
  } finally {
    await workbench.end();
  }
  // The second start remembers that it opens by passphrase, or asks the same way again; never anew.
  const again = await startClosed(freshProfile);
  try {
    await expect(again.page.getByTestId('gate-lock').or(again.page.getByTestId('gate-recovery'))).toBeVisible();
  } finally {
    await again.end();
  }
});

test('I3 without a way to open it, only a backup or the typed phrase goes on; the old store is set aside whole', async ({
  freshProfile,
}) => {
  await makeKeychainProfile(freshProfile);
  const before = keyStoreFiles(freshProfile);
  const old = before.get('key-store.json');
  const workbench = await startClosed(freshProfile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'recovery');
    expect(await waysOf(workbench)).toEqual(['gate-restore', 'gate-start-anew']);
    await press(workbench, 'gate-start-anew');
    const dialog = page.getByRole('alertdialog');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    const confirm = page.getByTestId('gate-start-anew-confirm');
    await tabTo(page, page.getByTestId('gate-phrase'));
    for (const typed of ['start', ' over']) {
      await page.keyboard.type(typed);
      await expect(confirm).toHaveAttribute('aria-disabled', 'true');
      await page.keyboard.press('Enter');
    }
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('start anew');
    await cancelEntry(await openEntry(app, () => page.keyboard.press('Enter')));
    expect(keyStoreFiles(freshProfile)).toEqual(before);
    await answerEntry(await openEntry(app, () => press(workbench, 'gate-start-anew-confirm')), newPassphrase);
    await expectWorkbench(page);
    const after = keyStoreFiles(freshProfile);
    const aside = [...after.keys()].filter((name) => name.startsWith('key-store.json.replaced-'));
    expect(aside).toHaveLength(1);
    expect(after.get(aside[0] ?? '')).toEqual(old);
    expect(after.get('key-store.json')).not.toEqual(old);
    const shown = vak(freshProfile, ['id', 'show', '--json'], { passphrase: newPassphrase });
    expect(JSON.parse(shown.stdout)).toMatchObject({ holdsRoot: true, peer: 'operator' });
  } finally {
    await workbench.end();
  }
});

test('I3 both copies damaged: said, nothing made anew, and a backup brings the keys back with the damaged files set aside', async ({
  profile,
}) => {
  const backup = join(profile, 'kept.backup');
  const backupPassphrase = 'nine grey stones and a kettle';
  expect(vak(profile, ['id', 'backup', backup], { backupPassphrase }).code).toBe(0);
  const { sign } = JSON.parse(vak(profile, ['id', 'show', '--json']).stdout);
  writeFileSync(join(profile, 'key-store.json'), 'not a key store');
  writeFileSync(join(profile, 'key-store.json.last-good'), '{"nor": "this"}');
  const before = keyStoreFiles(profile);
  const workbench = await startClosed(profile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'corrupt');
    await expect(page.getByTestId('gate-reason')).toContainText('key-store.json');
    expect(await waysOf(workbench)).toEqual(['gate-restore', 'gate-start-anew']);
    expect(keyStoreFiles(profile)).toEqual(before);
    await app.evaluate(({ dialog }, file) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [file] });
    }, backup);
    const open = await openEntry(app, () => press(workbench, 'gate-restore'));
    const choose = await openEntry(app, () => answerEntry(open, backupPassphrase));
    expect(keyStoreFiles(profile)).toEqual(before);
    await answerEntry(choose, newPassphrase);
    await expectWorkbench(page);
    expect((await readSnapshot(page, 'identity.self'))?.sign).toBe(sign);
    const kept = [...keyStoreFiles(profile)].filter(([name]) => name.includes('.replaced-')).map(([, bytes]) => bytes);
    expect(kept.map(String).sort()).toEqual([...before.values()].map(String).sort());
  } finally {
    await workbench.end();
  }
});

test('I3 one damaged copy: the other opens, the damaged one is set aside, and that is said', async ({ profile }) => {
  writeFileSync(join(profile, 'key-store.json'), 'not a key store');
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    const files = keyStoreFiles(profile);
    const aside = [...files.keys()].find((name) => name.startsWith('key-store.json.damaged-')) ?? 'none';
    expect(String(files.get(aside))).toBe('not a key store');
    // The app gives its supervisor keys meanwhile: one file is written after the other.
    const isWhole = (): boolean => {
      const now = keyStoreFiles(profile);
      return now.get('key-store.json')?.equals(now.get('key-store.json.last-good') ?? Buffer.of()) === true;
    };
    await expect.poll(isWhole).toBe(true);
    await page.keyboard.press('Control+8');
    await expect(page.getByTestId('identity-key-store')).toContainText(aside);
    await expect(page.locator('.notice').filter({ hasText: 'damaged' })).toBeVisible();
  } finally {
    await workbench.end();
  }
});
