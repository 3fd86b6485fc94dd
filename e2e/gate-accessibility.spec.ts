/** axe finds nothing on the screens in front of the workbench and in the window that asks for secrets (quality.md §5). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { sizes, themes, violations } from './support/axe.ts';
import { makeKeychainProfile } from './support/crafted-profile.ts';
import { cancelEntry, expectGate, openEntry, typeSecret } from './support/secret-entry.ts';
import { setPageSize, startClosed, test, type Workbench } from './support/workbench.ts';

/** Looks at a screen in each theme and size; the gate follows the system, which this sets. */
async function lookAt({ app, page }: Workbench, name: string): Promise<void> {
  for (const theme of themes) {
    await app.evaluate(({ nativeTheme }, source) => {
      nativeTheme.themeSource = source;
    }, theme);
    await expect(page.locator(':root')).toHaveAttribute('data-theme', theme);
    for (const [width, height] of sizes) {
      await setPageSize({ app, page }, width, height);
      expect.soft(await violations(page), `${name}, ${theme} at ${width}×${height}`).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect.soft(overflow, `${name}, ${theme} at ${width}×${height}: wider than the window by`).toBeLessThanOrEqual(0);
    }
  }
}

/** Looks at the entry window in the theme that main has now, before and after it refuses something. */
async function lookAtEntry(workbench: Workbench, button: string, wrong: string): Promise<void> {
  const { app, page } = workbench;
  for (const theme of themes) {
    await app.evaluate(({ nativeTheme }, source) => {
      nativeTheme.themeSource = source;
    }, theme);
    const entry: Page = await openEntry(app, () => page.getByTestId(button).click());
    await expect(entry.locator(':root')).toHaveAttribute('data-theme', theme);
    expect.soft(await violations(entry), `entry window of ${button}, ${theme}`).toEqual([]);
    await typeSecret(entry, wrong, `${wrong}!`);
    await entry.getByText(/does not open it|The two differ/).waitFor();
    expect.soft(await violations(entry), `entry window of ${button} that refuses, ${theme}`).toEqual([]);
    await cancelEntry(entry);
  }
}

test('axe finds nothing on the first start and in the window that asks for a new passphrase', async ({
  freshProfile,
}) => {
  const workbench = await startClosed(freshProfile);
  try {
    await expectGate(workbench.page, 'first-start');
    await lookAt(workbench, 'first start');
    await workbench.page.getByTestId('gate-peer').fill('not a token');
    await workbench.page.getByTestId('gate-create').click();
    await lookAt(workbench, 'first start with an error');
    await workbench.page.getByTestId('gate-peer').fill('operator');
    await lookAtEntry(workbench, 'gate-create', 'long enough but');
  } finally {
    await workbench.end();
  }
});

test('axe finds nothing on the lock screen and in the window that asks for the passphrase', async ({ profile }) => {
  const workbench = await startClosed(profile);
  try {
    await expectGate(workbench.page, 'lock');
    await lookAt(workbench, 'lock');
    await lookAtEntry(workbench, 'gate-unlock', 'not the passphrase');
  } finally {
    await workbench.end();
  }
});

test('axe finds nothing on the recovery screen and its dialog', async ({ freshProfile }) => {
  await makeKeychainProfile(freshProfile);
  const workbench = await startClosed(freshProfile);
  try {
    await expectGate(workbench.page, 'recovery');
    await lookAt(workbench, 'recovery');
    await workbench.page.getByTestId('gate-start-anew').click();
    await expect(workbench.page.getByRole('alertdialog')).toBeVisible();
    await lookAt(workbench, 'start anew');
  } finally {
    await workbench.end();
  }
});

test('axe finds nothing on the screen of a damaged key store', async ({ freshProfile }) => {
  writeFileSync(join(freshProfile, 'key-store.json'), 'not a key store');
  const workbench = await startClosed(freshProfile);
  try {
    await expectGate(workbench.page, 'corrupt');
    await lookAt(workbench, 'corrupt');
  } finally {
    await workbench.end();
  }
});
