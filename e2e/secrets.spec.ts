/** Workspace secrets in Settings: added, limited, revoked; what is sent and what opens follows at once, in running workers too (E7, E9). */
import { randomBytes } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { call, followTask, readMessage, readSnapshot, runCommand } from './support/bridge.ts';
import { tabTo } from './support/keyboard.ts';
import { answerEntry, openEntry } from './support/secret-entry.ts';
import { vak } from './support/set-up-profile.ts';
import { test } from './support/workbench.ts';

interface Sealed {
  readonly seq: number;
  readonly secretId: string;
  /** `opens`, or why not. */
  readonly standing: string;
}

/** The messages of a session that are sealed, from a place in the buffer on. */
async function sealedOf(page: Page, session: string, fromSeq: number): Promise<readonly Sealed[]> {
  const { newestSeq } = await readSnapshot(page, 'streams.status');
  const found: Sealed[] = [];
  for (let seq = fromSeq; seq <= newestSeq; seq++) {
    const { subject, trust } = await readMessage(page, seq);
    if (!subject.split('.').includes(session) || trust.seal.kind !== 'sealed') continue;
    const [secretId = ''] = trust.seal.keyId.split('.');
    const { payload } = trust.seal as { readonly payload?: unknown };
    found.push({
      seq,
      secretId,
      standing: trust.marks.seal === 'opens' ? 'opens' : JSON.stringify(trust.seal ?? payload),
    });
  }
  return found;
}

const row = (page: Page, id: string) => page.getByTestId(`workspace-secret-${id}`);

async function runAndWait(page: Page): Promise<{ readonly session: string; readonly fromSeq: number }> {
  const fromSeq = (await readSnapshot(page, 'streams.status')).newestSeq + 1;
  const task = await runCommand(page, 'sh', '-c', 'echo hello');
  await followTask(page, task);
  return { session: task.session, fromSeq };
}

test('E7 E9 a secret that is added seals what is sent from then on, without a start of anything; one that is revoked says why its messages stay closed', async ({
  workbench,
}) => {
  test.setTimeout(90_000);
  const { app, page, profile } = workbench;
  const shared = randomBytes(24).toString('base64url');
  const first = await runAndWait(page);
  const old = await sealedOf(page, first.session, first.fromSeq);
  expect(new Set(old.map(({ secretId, standing }) => `${secretId} ${standing}`))).toEqual(new Set(['s1 opens']));

  await page.keyboard.press('Control+9');
  await expect(row(page, 's1')).toHaveAttribute('data-sealing', 'true');
  await tabTo(page, page.getByTestId('workspace-secret-add'));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add a workspace secret' });
  await dialog.getByTestId('add-secret-typed').check();
  await dialog.getByTestId('add-secret-id').fill('team');
  expect(await violations(page)).toEqual([]);
  const entry = await openEntry(app, () => dialog.getByTestId('add-secret-submit').click());
  await answerEntry(entry, shared);
  await expect(row(page, 'team')).toHaveAttribute('data-sealing', 'true');
  await expect(row(page, 's1')).toHaveAttribute('data-sealing', 'false');
  expect(await page.content()).not.toContain(shared);
  expect(vak(profile, ['secret', 'ls']).stdout).toContain('team  active  seals');

  const second = await runAndWait(page);
  // The worker that was idle has run it: it was not started anew.
  expect(second.session).toBe(first.session);
  const fresh = await sealedOf(page, second.session, second.fromSeq);
  expect(fresh.length).toBeGreaterThan(1);
  expect(new Set(fresh.map(({ secretId, standing }) => `${secretId} ${standing}`))).toEqual(new Set(['team opens']));
  const again = await sealedOf(page, first.session, old[0]?.seq ?? 0);
  expect(again.filter(({ secretId }) => secretId === 's1').every(({ standing }) => standing === 'opens')).toBe(true);

  await tabTo(page, page.getByTestId('workspace-secret-revoke-s1'));
  await page.keyboard.press('Enter');
  const guard = page.getByRole('alertdialog');
  await expect(guard).toContainText('Revoke 1 workspace secret s1 in embedded');
  await expect(guard).toContainText('In Streams that closes');
  await guard.getByRole('textbox').fill('team');
  await page.keyboard.press('Enter');
  await expect(guard).toBeVisible();
  await guard.getByRole('textbox').fill('s1');
  await page.keyboard.press('Enter');
  await expect(row(page, 's1')).toHaveAttribute('data-state', 'revoked');
  const closed = await readMessage(page, old[0]?.seq ?? 0);
  expect(JSON.stringify(closed.trust)).toContain('Secret s1 was revoked');
  expect((await readMessage(page, fresh[0]?.seq ?? 0)).trust.marks.seal).toBe('opens');
  await expect(page.getByTestId('workspace-secret-open-only-s1')).toHaveAttribute('aria-disabled', 'true');
});

test('E7 a secret is limited until a time, says who seals after it, and can be let seal again', async ({
  workbench,
}) => {
  const { page, profile } = workbench;
  await page.keyboard.press('Control+9');
  await page.getByTestId('workspace-secret-open-only-s1').click();
  const dialog = page.getByRole('dialog', { name: 'Let s1 only open' });
  await expect(dialog).toContainText('nothing can be sealed until you add one');
  await dialog.getByTestId('open-only-span-7').click();
  await dialog.getByTestId('open-only-until').fill('2020-01-01 10:00');
  await expect(dialog.getByTestId('open-only-submit')).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByTestId('open-only-span-7').click();
  expect(await violations(page)).toEqual([]);
  await dialog.getByTestId('open-only-submit').click();
  await expect(row(page, 's1')).toHaveAttribute('data-state', 'open-only');
  await expect(page.getByTestId('no-sealing-secret')).toBeVisible();
  await page.getByTestId('workspace-secret-activate-s1').click();
  await expect(row(page, 's1')).toHaveAttribute('data-sealing', 'true');
  // What another process does with the same profile is taken up, too.
  expect(vak(profile, ['secret', 'add', '--random']).code).toBe(0);
  await expect(row(page, 's2')).toHaveAttribute('data-sealing', 'true');
  expect(vak(profile, ['secret', 'revoke', 's1', '--confirm', 's1']).code).toBe(0);
  await expect(row(page, 's1')).toHaveAttribute('data-state', 'revoked');
});

test('the palette leads to a setting by a part of its name; what waits for a start, and what the streams hold, is said', async ({
  workbench,
}) => {
  const { page } = workbench;
  await page.keyboard.press('Control+k');
  await page.keyboard.type('memory for messages');
  await page.keyboard.press('Enter');
  const field = page.getByTestId('setting-input-memory.bufferMiB');
  await expect(field).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('128');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('setting-memory.bufferMiB')).toContainText('Waits for the next start');
  await expect(page.getByTestId('stream-DLQ')).toContainText('90');
  await call(page, 'settings.set', { key: 'retention.deadLettersDays', value: 7 });
  await expect(page.getByTestId('stream-DLQ')).toContainText('asked: age 7');
  await expect(page.getByTestId('posture-line')).toContainText('Protected');
  await expect(page.getByTestId('posture-keychain')).toHaveAttribute('data-tone', 'weak');
  await page.getByTestId('settings-filter').fill('posture');
  await expect(page.getByTestId('posture-transport')).toContainText('inside the process of the app');
  await expect(page.getByTestId('workspace-secrets')).toBeHidden();
});
