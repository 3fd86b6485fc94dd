/** Settings: changed in place, secrets through a window of their own, a spoilt file said and never overwritten. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { encodeNkeySeed } from '../src/engine/identity/nkey.ts';
import { readSnapshot } from './support/bridge.ts';
import { readSettings } from './support/crafted-profile.ts';
import { tabTo } from './support/keyboard.ts';
import { answerEntry, openEntry, typeSecret } from './support/secret-entry.ts';
import { vak } from './support/set-up-profile.ts';
import { startWorkbench, test } from './support/workbench.ts';

const seedName = 'VAK_BUS_NATS_NKEY_SEED';
const newSeed = (): string => Buffer.from(encodeNkeySeed(randomBytes(32)).reveal()).toString();

async function typeInto(page: Page, id: string, text: string): Promise<void> {
  await tabTo(page, page.getByTestId(id));
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

test('settings are changed, refused and reset in place, by keyboard alone', async ({ workbench }) => {
  const { page, profile } = workbench;
  await page.keyboard.press('Control+9');
  const minutes = page.getByTestId('setting-idleLockMinutes');
  await typeInto(page, 'setting-input-idleLockMinutes', '20');
  await expect(minutes).toHaveAttribute('data-default', 'false');
  expect(readSettings(profile)).toEqual({ idleLockMinutes: 20 });
  expect((await readSnapshot(page, 'identity.keyStore')).idleLockMinutes).toBe(20);
  for (const wrong of ['soon', '99999']) {
    await typeInto(page, 'setting-input-idleLockMinutes', wrong);
    await expect(page.getByTestId('setting-problem-idleLockMinutes')).toContainText('1440');
    await expect(page.getByTestId('setting-input-idleLockMinutes')).toHaveAttribute('aria-invalid', 'true');
  }
  expect(readSettings(profile)).toEqual({ idleLockMinutes: 20 });
  await page.keyboard.press('Escape');
  await tabTo(page, page.getByTestId('setting-reset-idleLockMinutes'));
  await page.keyboard.press('Enter');
  await expect(minutes).toHaveAttribute('data-default', 'true');
  expect(readSettings(profile)).not.toHaveProperty('idleLockMinutes');
  const address = 'nats://somebody:hunter-heron@127.0.0.1:4222';
  await typeInto(page, 'setting-input-natsUrl', address);
  const problem = page.getByTestId('setting-problem-natsUrl');
  await expect(problem).toContainText('password');
  expect(await problem.textContent()).not.toContain('heron');
  expect(readFileSync(join(profile, 'settings.json'), 'utf8')).not.toContain('heron');
});

test('I3 a secret is set in a window of its own, shown as set with its source alone, and deleted behind its name', async ({
  workbench,
}) => {
  const { app, page, profile } = workbench;
  const seed = newSeed();
  await page.keyboard.press('Control+9');
  const row = page.getByTestId(`secret-${seedName}`);
  await expect(row).toContainText('not set');
  await expect(page.getByTestId(`secret-delete-${seedName}`)).toHaveAttribute('aria-disabled', 'true');
  const entry = await openEntry(app, async () => {
    await tabTo(page, page.getByTestId(`secret-set-${seedName}`));
    await page.keyboard.press('Enter');
  });
  await typeSecret(entry, `${seed.slice(0, -4)}AAAA`);
  await expect(entry.getByTestId('entry-refusal')).toContainText(seedName);
  expect(await entry.getByTestId('entry-refusal').textContent()).not.toContain(seed.slice(0, 12));
  await expect(row).toContainText('not set');
  await answerEntry(entry, seed);
  await expect(row).toContainText('set, in the key store');
  expect(await page.content()).not.toContain(seed);
  const listed = vak(profile, ['config', 'bus', 'get', seedName, '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ set: true, source: 'key-store' });
  expect(readSettings(profile)).toBeUndefined();
  await tabTo(page, page.getByTestId(`secret-delete-${seedName}`));
  await page.keyboard.press('Enter');
  const guard = page.getByRole('alertdialog');
  await expect(guard.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await tabTo(page, guard.getByRole('textbox'));
  await page.keyboard.type('another name');
  await page.keyboard.press('Enter');
  await expect(guard).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(seedName);
  await page.keyboard.press('Enter');
  await expect(row).toContainText('not set');
  expect(JSON.parse(vak(profile, ['config', 'bus', 'get', seedName, '--json']).stdout)).toMatchObject({ set: false });
});

test('I3 a secret in the settings file is named and not shown, and nothing but its removal is written', async ({
  profile,
}) => {
  const seed = newSeed();
  const file = join(profile, 'settings.json');
  writeFileSync(file, JSON.stringify({ look: { theme: 'light' }, [seedName]: seed }));
  const before = readFileSync(file, 'utf8');
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    await expect(page.locator(':root')).toHaveAttribute('data-theme', 'light');
    await page.keyboard.press('Control+9');
    await expect(page.getByTestId(`settings-problem-${seedName}`)).toContainText('holds a secret');
    await typeInto(page, 'setting-input-idleLockMinutes', '20');
    await expect(page.getByTestId('setting-problem-idleLockMinutes')).toContainText(seedName);
    expect(await page.content()).not.toContain(seed.slice(0, 12));
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(vak(profile, ['config', 'delete', seedName]).code).toBe(0);
    await expect(page.getByTestId('settings-problems')).toBeHidden();
    expect(readSettings(profile)).toEqual({ look: { theme: 'light' } });
  } finally {
    await workbench.end();
  }
});

test('a settings file that is no JSON is set aside whole and said, and the defaults apply', async ({ profile }) => {
  writeFileSync(join(profile, 'settings.json'), '{"look": {"theme": "li');
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    const aside = readdirSync(profile).filter((name) => name.startsWith('settings.json.damaged-'));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(profile, aside[0] ?? ''), 'utf8')).toBe('{"look": {"theme": "li');
    await page.keyboard.press('Control+9');
    await expect(page.getByTestId('settings-problems')).toContainText(aside[0] ?? '');
    await typeInto(page, 'setting-input-idleLockMinutes', '20');
    await expect(page.getByTestId('settings-problems')).toBeHidden();
    expect(readSettings(profile)).toEqual({ idleLockMinutes: 20 });
  } finally {
    await workbench.end();
  }
});
