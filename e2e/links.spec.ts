/** A second start, and links into the app that come with it (docs/spec/deep-links.md). */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { readSnapshot } from './support/bridge.ts';
import { test } from './support/workbench.ts';

test('L3 L5 a second start shows the first window and goes; its link waits to be looked at, and so does one of a thousand, and a file', async ({
  workbench,
}) => {
  const { app, command, page, profile } = workbench;
  const isFocused = (): Promise<boolean | undefined> =>
    app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find((window) => window.webContents.getURL().startsWith('app:'))
        ?.isFocused(),
    );
  await app.evaluate(({ BrowserWindow }) => new BrowserWindow({ width: 300, height: 200 }).focus());
  await expect.poll(isFocused).toBe(false);
  const args = [...command.args, 'vak://default/~queue/build'];
  const second = spawn(command.executablePath, args, { env: command.env, stdio: 'ignore' });
  const code = await new Promise((resolve) => second.once('exit', resolve));
  expect(code).toBe(0);
  await expect.poll(isFocused).toBe(true);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(2);
  const sheet = page.getByRole('dialog', { name: 'Open a link?' });
  await expect(sheet).toContainText('build');
  await expect(page).toHaveTitle('Streams — Vak Workbench');
  await sheet.getByRole('button', { name: 'Open' }).click();
  await expect(sheet).toBeHidden();
  await expect(page).toHaveTitle('Queues — Vak Workbench');
  expect(await readSnapshot(page, 'links.waiting')).toBeNull();

  const parts = ['~queue/build', '~purge/build', '~letters/%00', 'a/b', '~room/ops/../x', '~trace/0', '~view/none', ''];
  const links = Array.from({ length: 1_000 }, (_, index) => {
    const [first, last] = [parts[index % parts.length], parts[(index * 7) % parts.length]];
    return `vak://${['default', 'other', '', 'a b'][index % 4]}/${index % 3 === 0 ? `${first}/${last}` : first}`;
  });
  const before = await readSnapshot(page, 'settings.current');
  await app.evaluate(({ app: main }, all) => {
    for (const link of all) main.emit('second-instance', {}, ['vak-workbench', link]);
  }, links);
  await expect(sheet).toContainText('999 links or files came before it');
  expect(await sheet.getByRole('button', { name: 'Open' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(page).toHaveTitle('Queues — Vak Workbench');
  expect(await readSnapshot(page, 'settings.current')).toEqual(before);

  const bundle = join(profile, 'night.vakbundle');
  writeFileSync(bundle, 'no bundle');
  const third = spawn(command.executablePath, [...command.args, 'night.vakbundle'], {
    ...{ cwd: profile, env: command.env, stdio: 'ignore' },
  });
  expect(await new Promise((resolve) => third.once('exit', resolve))).toBe(0);
  const question = page.getByRole('dialog', { name: 'Open an incident bundle?' });
  await expect(question).toContainText('night.vakbundle');
  await question.getByRole('button', { name: 'Open' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('night.vakbundle: it is no incident bundle')).toBeVisible();

  await app.evaluate(({ app: main }, file) => main.emit('open-file', { preventDefault() {} }, file), '/x/ops.creds');
  const keys = page.getByRole('dialog', { name: 'Import credentials?' });
  await expect(keys.getByRole('alert')).toContainText('no connection to a remote server');
  await page.keyboard.press('Escape');
  await expect(keys).toBeHidden();
});
