/** First start, unlocking and the window that asks for secrets (protocol.md I3, product.md "Configuration"). */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ownProjectRoot } from '../scripts/files.mjs';
import { call, invoke, readSnapshot } from './support/bridge.ts';
import { keyStoreFiles } from './support/crafted-profile.ts';
import { tabTo } from './support/keyboard.ts';
import {
  answerEntry,
  cancelEntry,
  expectGate,
  expectWorkbench,
  openEntry,
  typeSecret,
} from './support/secret-entry.ts';
import { passphrase, vak } from './support/set-up-profile.ts';
import { startClosed, startWorkbench, test, type Workbench } from './support/workbench.ts';

const windowCount = ({ app }: Workbench): Promise<number> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);

/** Presses a button of the gate by Enter. */
async function press(page: Page, id: string): Promise<void> {
  await tabTo(page, page.getByTestId(id));
  await page.keyboard.press('Enter');
}

async function stub({ app }: Workbench, path: string): Promise<void> {
  await app.evaluate(({ dialog }, file) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath: file });
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [file] });
  }, path);
}

test('I3 the first start asks who this is and for a passphrase, twice, in a window of its own; by keyboard alone', async ({
  freshProfile,
}) => {
  const workbench = await startClosed(freshProfile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'first-start');
    await expect(page).toHaveTitle('First start — Vak Workbench');
    await expect(page.getByTestId('gate-peer')).toBeFocused();
    await expect(page.getByTestId('gate-kept')).toContainText('under a passphrase');
    await page.keyboard.type('not a token');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('gate-peer')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByTestId('gate-display-name')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByTestId('gate-first-start')).toContainText('without spaces');
    expect(await windowCount(workbench)).toBe(1);
    await page.keyboard.type('Ada Lovelace');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('ada');

    const cancelled = await openEntry(app, () => page.keyboard.press('Enter'));
    expect(await windowCount(workbench)).toBe(2);
    await cancelEntry(cancelled);
    await expect(page.getByTestId('gate-create')).toHaveText('Create');
    await expect(page.getByTestId('gate-first-start').getByRole('alert')).toHaveCount(0);
    expect([...keyStoreFiles(freshProfile).keys()]).toEqual([]);
    expect(await windowCount(workbench)).toBe(1);

    const entry = await openEntry(app, () => press(page, 'gate-create'));
    await expect(entry.getByTestId('entry-field')).toBeFocused();
    await expect(entry.getByTestId('entry-field')).toHaveAttribute('type', 'password');
    await typeSecret(entry, '123456789');
    await expect(entry.locator('#entry-remark')).toHaveText('1 more to go.');
    await expect(entry.getByTestId('entry-submit')).toHaveAttribute('aria-disabled', 'true');
    await typeSecret(entry, passphrase, `${passphrase}!`);
    await expect(entry.locator('#entry-match')).toHaveText('The two differ.');
    await expect(entry.getByTestId('entry-submit')).toHaveAttribute('aria-disabled', 'true');
    expect([...keyStoreFiles(freshProfile).keys()]).toEqual([]);
    // Main refuses by itself what the form would not send.
    const refusal = await entry.evaluate(() => (window as unknown as EntryWindow).secretEntry.submit('123456789'));
    expect(refusal).toMatch(/10/);
    await answerEntry(entry, passphrase);
    await expectWorkbench(page);
    expect(await windowCount(workbench)).toBe(1);
    expect([...keyStoreFiles(freshProfile).keys()]).toEqual(['key-store.json', 'key-store.json.last-good']);
    expect(statSync(join(freshProfile, 'key-store.json')).mode & 0o777).toBe(0o600);
    await page.keyboard.press('Control+8');
    await expect(page.getByTestId('identity-peer')).toHaveText('ada');
    await expect(page.getByTestId('identity-self')).toContainText('Ada Lovelace');
    await expect(page.getByTestId('identity-root')).toContainText('held here');
    await expect(page.getByTestId('identity-secrets')).toContainText('s1 seals what is sent');
  } finally {
    await workbench.end();
  }
});

test('I3 a second start asks for the passphrase and for nothing else; a wrong one is said and the right one still works', async ({
  profile,
}) => {
  // The first one gives the supervisor its keys.
  const first = await startWorkbench(profile);
  const grants = async () => (await readSnapshot(first.page, 'identity.self'))?.workspaceGrants.map(({ peer }) => peer);
  await expect.poll(grants).toContain('supervisor');
  await first.end();
  const before = keyStoreFiles(profile);
  const workbench = await startClosed(profile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'lock');
    await expect(page.getByTestId('gate-unlock')).toBeFocused();
    await expect(page.getByRole('textbox')).toHaveCount(0);
    const entry = await openEntry(app, () => page.keyboard.press('Enter'));
    expect(await invoke(page, 'identity.unlock', {})).toMatchObject({ ok: false, error: { code: 'already-running' } });
    await expect(entry.getByTestId('entry-repeat')).toHaveCount(0);
    for (const wrong of [`${passphrase} `, passphrase.toUpperCase()]) {
      await typeSecret(entry, wrong);
      await expect(entry.getByTestId('entry-refusal')).toHaveText('the passphrase does not open it');
      await expect(entry.getByTestId('entry-field')).toBeFocused();
    }
    await expectGate(page, 'lock');
    expect(await windowCount(workbench)).toBe(2);
    await answerEntry(entry, passphrase);
    await expectWorkbench(page);
    expect(await windowCount(workbench)).toBe(1);
    await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toHaveCount(0);
    expect((await readSnapshot(page, 'identity.keyStore')).notices).toEqual([]);
    expect(keyStoreFiles(profile)).toEqual(before);
  } finally {
    await workbench.end();
  }
});

interface EntryWindow {
  readonly secretEntry: { describe(): Promise<unknown>; submit(text: string): Promise<unknown>; cancel(): void };
}

test('I3 the window that asks has three members, a process of its own, goes nowhere, and shares nothing with the workbench', async ({
  profile,
}) => {
  const workbench = await startClosed(profile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'lock');
    const entry = await openEntry(app, () => page.keyboard.press('Enter'));
    const reachable = await entry.evaluate(() => ({
      members: Object.keys((window as unknown as EntryWindow).secretEntry),
      isFrozen: Object.isFrozen((window as unknown as EntryWindow).secretEntry),
      others: ['bridge', 'require', 'process', 'opener'].filter((name) => Boolean(Reflect.get(window, name))),
    }));
    expect(reachable).toEqual({ members: ['describe', 'submit', 'cancel'], isFrozen: true, others: [] });
    expect(await page.evaluate(() => [Object.keys(window.bridge), 'secretEntry' in window])).toEqual([
      ['invoke', 'cancel', 'onSnapshot', 'openFeed'],
      false,
    ]);
    const crossed = await app.evaluate(
      async ({ BrowserWindow, ipcMain }, preload) => {
        type Handler = (event: unknown, ...args: unknown[]) => unknown;
        const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, Handler> })._invokeHandlers;
        const contentsOf = (name: string) =>
          BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().endsWith(name))?.webContents;
        const answer = async (channel: string, name: string, ...args: unknown[]): Promise<string> => {
          const sender = contentsOf(name);
          const handler = handlers.get(channel);
          if (handler === undefined) return 'nobody listens';
          const asked = new Promise((resolve) => resolve(handler({ sender, senderFrame: sender?.mainFrame }, ...args)));
          return await asked.then((value) => JSON.stringify(value), String);
        };
        const strange = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } });
        await strange.loadURL('app://workbench/index.html');
        const fromStrange = await strange.webContents.executeJavaScript(
          `Promise.all([secretEntry.describe(), secretEntry.submit('x')].map((call) => call.then(String, String)))`,
        );
        strange.destroy();
        return {
          processes: new Set(BrowserWindow.getAllWindows().map(({ webContents }) => webContents.getOSProcessId())).size,
          describe: await answer('secret-entry:describe', 'index.html'),
          submit: await answer('secret-entry:submit', 'index.html', 'x'),
          invoke: await answer('bridge:invoke', 'secret-entry.html', 'id', 'identity.lock', {}),
          snapshots: await answer('bridge:snapshot', 'secret-entry.html'),
          fromStrange: fromStrange as string[],
        };
      },
      join(ownProjectRoot, 'out', 'preload', 'secret-entry.cjs'),
    );
    expect(crossed.processes).toBe(2);
    for (const refused of [crossed.describe, crossed.submit, ...crossed.fromStrange])
      expect(refused).toContain('this window may not use it');
    for (const refused of [crossed.invoke, crossed.snapshots])
      expect(JSON.parse(refused)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    const denied = (): number => workbench.readLog().filter(({ event }) => event === 'window.denied').length;
    const before = denied();
    expect(await entry.evaluate(() => window.open('https://example.com/') === null)).toBe(true);
    await expect.poll(denied).toBe(before + 1);
    await entry.evaluate(() => location.assign('app://workbench/index.html'));
    await expect.poll(denied).toBe(before + 2);
    expect(entry.url()).toBe('app://workbench/secret-entry.html');
    await Promise.all([
      entry.waitForEvent('close'),
      // A moment later: the window would be gone before the call is answered.
      entry.evaluate(() => void setTimeout(() => (window as unknown as EntryWindow).secretEntry.cancel())),
    ]);
    expect(await windowCount(workbench)).toBe(1);
    await expect(page.getByTestId('gate-unlock')).toContainText('Unlock');
    expect(
      await app.evaluate(({ ipcMain }) => [
        ...(ipcMain as unknown as { _invokeHandlers: Map<string, unknown> })._invokeHandlers.keys(),
      ]),
    ).toEqual(['bridge:invoke', 'bridge:snapshot']);
    // What the page itself tried; the rest of the problems is the test's own.
    workbench.takeProblems();
  } finally {
    await workbench.end();
  }
});

test('I3 a backup restored into a fresh profile gives the same keys, behind a passphrase of its own', async ({
  profile,
  freshProfile,
}) => {
  const backup = join(profile, 'moved.backup');
  const backupPassphrase = 'four brass keys under a slate';
  expect(vak(profile, ['id', 'backup', backup], { backupPassphrase })).toMatchObject({ code: 0 });
  const { sign, box, rootPublic } = JSON.parse(vak(profile, ['id', 'show', '--json']).stdout);
  const workbench = await startClosed(freshProfile);
  const { app, page } = workbench;
  try {
    await expectGate(page, 'first-start');
    await stub(workbench, backup);
    const open = await openEntry(app, () => press(page, 'gate-restore'));
    await typeSecret(open, passphrase);
    await expect(open.getByTestId('entry-refusal')).toHaveText('the passphrase does not open it');
    const choose = await openEntry(app, () => answerEntry(open, backupPassphrase));
    expect([...keyStoreFiles(freshProfile).keys()]).toEqual([]);
    await answerEntry(choose, 'another machine, another phrase');
    await expectWorkbench(page);
    expect(await readSnapshot(page, 'identity.self')).toMatchObject({ sign, box, rootPublic, holdsRoot: true });
    expect(vak(freshProfile, ['id', 'show']).stderr).toContain('the passphrase does not open it');
  } finally {
    await workbench.end();
  }
});

test('I3 vak shares the profile while the app runs: identity, settings and grants', async ({ profile }) => {
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    const self = await readSnapshot(page, 'identity.self');
    const shown = JSON.parse(vak(profile, ['id', 'show', '--json']).stdout);
    expect([shown.sign, shown.box, shown.rootPublic]).toEqual([self?.sign, self?.box, self?.rootPublic]);
    expect(vak(profile, ['config', 'set', 'look.theme', 'light']).code).toBe(0);
    await expect(page.locator(':root')).toHaveAttribute('data-theme', 'light', { timeout: 3_000 });
    expect(vak(profile, ['config', 'set', 'look.theme', 'dark']).code).toBe(0);
    await expect(page.locator(':root')).toHaveAttribute('data-theme', 'dark', { timeout: 3_000 });
    await call(page, 'swarm.start', { workers: 2 });
    const listed = vak(profile, ['grant', 'ls', '--json']).stdout.trim().split('\n');
    const grants = listed.map((line) => JSON.parse(line) as { peer: string; roles: string[]; state: string });
    expect(grants.map(({ peer, state }) => `${peer} ${state}`).sort()).toEqual([
      'membershipd in-force',
      'operator in-force',
      'supervisor in-force',
      'swarm in-force',
      'worker-1 in-force',
      'worker-2 in-force',
    ]);
    expect(grants.find(({ peer }) => peer === 'worker-1')?.roles).not.toContain('root');
    await page.keyboard.press('Control+8');
    await page.keyboard.press('2');
    for (const peer of ['operator', 'worker-1', 'worker-2'])
      await expect(page.getByTestId(`grant-${peer}`)).toBeVisible();
    expect(vak(profile, ['grant', 'revoke', 'worker-2']).code).toBe(0);
    const after = vak(profile, ['grant', 'ls', '--json']).stdout;
    expect(after).toMatch(/"worker-2".*"revoked"/);
  } finally {
    await workbench.end();
  }
});
