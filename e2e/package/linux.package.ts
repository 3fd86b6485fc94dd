/** The packages for Linux as they lie in out/packages: what is in them, and that the app in them does its work. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { ownProjectRoot, readJson } from '../../scripts/files.mjs';
import { electronEnv, rootSandbox } from '../../scripts/foreground.mjs';
import { asarEntries, findWrongFuses } from '../../scripts/package.mjs';
import { startDebugged } from '../support/bare-workbench.ts';
import { readSnapshot } from '../support/bridge.ts';

const packages = join(ownProjectRoot, 'out', 'packages');
/** P13: bytes of our own code. */
const mostOwnBytes = 6 * 1024 * 1024;

interface Fixtures {
  /** A folder of the test's own, removed after it. */
  readonly folder: string;
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'vak-package-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  },
});

/** The newest package with this ending. */
function packageOf(ending: string): string {
  const found = readdirSync(packages)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(packages, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  const [newest] = found;
  if (newest === undefined) throw new Error(`out/packages has no ${ending}: npm run package`);
  return newest;
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  expect([status, stderr], `${command} ${args.join(' ')}`).toEqual([0, '']);
  return stdout;
}

/** Starts a packaged program with a home of its own. */
function startIn(home: string, executablePath: string) {
  const mark = `E2E_START=${randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const sandbox = rootSandbox();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const { XDG_CONFIG_HOME: _config, XDG_CACHE_HOME: _cache, ...environment } = process.env;
  const added = { HOME: home, TMPDIR: temporary, APPIMAGE_EXTRACT_AND_RUN: '1', ...sandbox?.env, [name]: value };
  const env = electronEnv(environment, added) as Record<string, string>;
  const profile = join(home, '.config', 'Vak Workbench');
  return startDebugged({ executablePath, args: [...(sandbox?.args ?? [])], env }, { mark, profile });
}

/** Sets a theme as a person does, in the palette. */
async function chooseTheme(page: Page, theme: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText(`theme ${theme}`);
  await page.keyboard.press('Enter');
  await expect(page.locator(':root')).toHaveAttribute('data-theme', theme);
}

/** The main job: the swarm works, a task fails for good and is an incident. Then again, over what the first start left. */
async function useTwice(home: string, program: string): Promise<void> {
  const first = await startIn(home, program);
  try {
    const { page } = first;
    expect((await readSnapshot(page, 'app.status')).version).toBe(
      (await readJson(join(ownProjectRoot, 'package.json'))).version,
    );
    expect((await readSnapshot(page, 'identity.keyStore')).kind).toBe('unlocked');
    await page.getByRole('button', { name: 'Start the local swarm' }).click();
    await expect.poll(async () => (await readSnapshot(page, 'swarm.state')).state).toBe('running');
    await expect
      .poll(async () => (await readSnapshot(page, 'dlq.state')).groupCount, { timeout: 60_000 })
      .toBeGreaterThan(0);
    await chooseTheme(page, 'dark');
    const hardening = async () => (await readSnapshot(page, 'app.status')).hardening;
    await expect.poll(hardening).toEqual({ wrongFuses: [], isArchiveChecked: false });
  } finally {
    await first.end();
  }
  const second = await startIn(home, program);
  try {
    const { page } = second;
    await expect(page.locator(':root')).toHaveAttribute('data-theme', 'dark');
    await expect.poll(async () => (await readSnapshot(page, 'dlq.state')).groupCount).toBeGreaterThan(0);
  } finally {
    await second.end();
  }
  const log = readFileSync(join(home, '.config', 'Vak Workbench', 'logs', 'workbench.log'), 'utf8');
  expect(log.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual([]);
}

test('P13 the AppImage runs from a fresh home, and a second start has what the first one left', async ({ folder }) => {
  const home = join(folder, 'home');
  mkdirSync(home);
  await useTwice(home, packageOf('.AppImage'));
});

test('P13 the deb unpacks into a root: program, sandbox, entry, icons, types and metadata are where a desktop looks', async ({
  folder,
}) => {
  run('dpkg-deb', ['-x', packageOf('.deb'), folder], folder);
  const opt = join(folder, 'opt', 'vak-workbench');
  const share = join(folder, 'usr', 'share');
  expect(await findWrongFuses(join(opt, 'vak-workbench'))).toEqual([]);
  const entries: { path: string; size: number }[] = await asarEntries(join(opt, 'resources', 'app.asar'));
  const own = entries.filter(({ path }) => path.startsWith('out/'));
  expect(own.map(({ path }) => path)).toContain('out/main/main.js');
  const ownBytes = own.reduce((sum, { size }) => sum + size, 0);
  expect(ownBytes).toBeLessThan(mostOwnBytes);

  const entry = join(share, 'applications', 'vak-workbench.desktop');
  run('desktop-file-validate', [entry], folder);
  const text = readFileSync(entry, 'utf8');
  expect(text).toContain('Exec=/opt/vak-workbench/vak-workbench %U');
  const types = ['x-scheme-handler/vak', 'application/vnd.vak.bundle', 'application/vnd.nats.creds'];
  for (const type of types) expect(text).toMatch(new RegExp(`^MimeType=.*${type};`, 'm'));
  expect(readFileSync(join(share, 'mime', 'packages', 'vak-workbench.xml'), 'utf8')).toContain('*.vakbundle');
  expect(existsSync(join(share, 'metainfo', 'vak-workbench.metainfo.xml'))).toBe(true);
  for (const size of [16, 32, 48, 64, 128, 256, 512])
    expect(existsSync(join(share, 'icons', 'hicolor', `${size}x${size}`, 'apps', 'vak-workbench.png')), `${size}`).toBe(
      true,
    );
  for (const file of ['LICENSE', 'THIRD-PARTY-NOTICES.txt'])
    expect(existsSync(join(opt, 'resources', file)), file).toBe(true);
  const control = run('dpkg-deb', ['-f', packageOf('.deb')], folder);
  expect(control).toMatch(/^Package: vak-workbench$/m);
  expect(control).toMatch(/^Depends: .*libgtk-3-0/m);
  const written = run('find', ['.', '-perm', '/022', '-not', '-type', 'l'], folder).trim();
  expect(written, 'what others than root may change').toBe('');

  const home = join(folder, 'home');
  mkdirSync(home);
  await useTwice(home, resolve(opt, 'vak-workbench'));
});
