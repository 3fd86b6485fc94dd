/** A second start, and links into the app that come with it (docs/spec/deep-links.md). */
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { callChanges } from '../src/shared/contract/call-changes.ts';
import { readSnapshot } from './support/bridge.ts';
import { calledNames, watchMain } from './support/effects.ts';
import { test } from './support/workbench.ts';

const uuid = '0197a3c0-0000-7000-8000-000000000001';
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const followed = [
  ...['vak://default/builder/s-1', `vak://default/~queue/build/${uuid}`, 'vak://default/~letters/queue%3Abuild'],
  ...[`vak://default/~trace/${trace}`, `vak://default/~approval/${uuid}`, `vak://default/~room/ops/${uuid}`],
  ...['vak://default/~peer/mira', 'vak://default/~view/dead-letters', 'vak://default/~setting/look.theme'],
];

/** Links of random parts, sound and hostile; the same in each run. */
function randomLinks(count: number): readonly string[] {
  const words = [
    ...['default', 'other', '', 'a b', '~queue', '~purge', '~letters', '~room', '~trace', '~view', '~setting', '~run'],
    ...['build', uuid, trace, '..', '%00', '%E2%80%AE', 'rm%20-rf', '?run=1', '#x', 'settings', 'a'.repeat(3_000)],
  ];
  let state = 20_260_101;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  const random = Array.from({ length: count - followed.length }, () => {
    const parts = Array.from({ length: 1 + next(5) }, () => words[next(words.length)]);
    return `vak://${parts.join('/')}`;
  });
  return [...followed, ...random];
}

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

  await watchMain(workbench);
  const files = (): string[] => readdirSync(profile).sort();
  const before = { settings: await readSnapshot(page, 'settings.current'), files: files() };
  const links = randomLinks(1_000);
  await app.evaluate(({ app: main }, all) => {
    for (const link of all) main.emit('second-instance', {}, ['vak-workbench', link]);
  }, links);
  await expect(sheet).toContainText('999 links or files came before it');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(page).toHaveTitle('Queues — Vak Workbench');
  expect(calledNames(workbench)).toEqual(['links.answer']);
  // And those that can be followed are: they show a place, which asks for what stands there and no more.
  for (const link of followed) {
    await app.evaluate(({ app: main }, one) => main.emit('second-instance', {}, ['vak-workbench', one]), link);
    await sheet.getByRole('button', { name: 'Open' }).click();
    await expect(sheet).toBeHidden();
  }
  await expect(page).toHaveTitle('Settings — Vak Workbench');
  const called = calledNames(workbench);
  expect(called.length).toBeGreaterThan(followed.length);
  expect(called.filter((name) => callChanges[name as keyof typeof callChanges] !== 'nothing')).toEqual([]);
  expect({ settings: await readSnapshot(page, 'settings.current'), files: files() }).toEqual(before);

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
