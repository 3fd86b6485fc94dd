/** The archive of `npm run package:vak`, installed as a stranger installs it, where no network is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npmCommand } from '../scripts/child-process.mjs';
import { packageVak } from '../scripts/package-vak.mjs';
import { passphrase } from './support/vak-program.ts';

const slow = { timeout: 120_000 };
const folder = mkdtempSync(join(tmpdir(), 'vak-archive-'));
const prefix = join(folder, 'prefix');
const installed = join(prefix, 'lib', 'node_modules', 'vak-workbench');

function run(command: string, args: readonly string[], cwd = folder, env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const child = spawnSync(command, args, { cwd, env: { PATH, HOME: folder, ...env }, encoding: 'utf8' });
  return { code: child.status, stdout: child.stdout, stderr: child.stderr };
}

function install(args: readonly string[], cwd = folder) {
  const npm = npmCommand({});
  const calm = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  return run(npm.command, [...npm.args, 'install', ...calm, ...args], cwd);
}

let archive = '';
beforeAll(async () => {
  archive = await packageVak({ output: join(folder, 'made') });
  expect(install(['-g', '--prefix', prefix, archive])).toMatchObject({ code: 0 });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('C10 vak runs from its archive: a profile is made, and its outbox opens by the native part', slow, () => {
  const vak = join(prefix, 'bin', 'vak');
  const file = join(folder, 'pass');
  writeFileSync(file, passphrase, { mode: 0o600 });
  const env = { VAK_PASSPHRASE_FILE: file };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(run(vak, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(run(vak, ['id', 'new'], folder, env)).toMatchObject({ code: 0 });
  expect(run(vak, ['outbox', 'ls'], folder, env)).toMatchObject({ code: 0, stderr: '' });
});

test('C10 the library is in the same archive, for a project that installs it', slow, () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}');
  expect(install([archive], project)).toMatchObject({ code: 0 });
  const program = `
    import { connect, openEmbedded } from 'vak-workbench';
    const embedded = await openEmbedded();
    const vak = await connect({ embedded, identity: 'operator' });
    await vak.close();
    await embedded.close();
    console.log('closed');`;
  const ran = run(process.execPath, ['--input-type=module', '-e', program], project);
  expect(ran).toEqual({ code: 0, stdout: 'closed\n', stderr: '' });
});

test('C10 what is in it is what its programs load, with every licence, and nothing of the app', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const strange = /(^|\/)(main|renderer|preload|src)(\/|$)|\.(ts|md|map|c|cc|gyp)$|electron/;
  const own = files.filter((name) => !name.startsWith('node_modules'));
  expect(own.filter((name) => strange.test(name))).toEqual(['docs/library.md', 'out/peers/library.d.ts']);
  const code = own.filter((name) => name.endsWith('.js')).map((name) => readFileSync(join(installed, name), 'utf8'));
  expect(code.filter((text) => /from\s*"electron"/.test(text))).toEqual([]);
  const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['@noble/curves', 'nats', 'nkeys.js', 'tweetnacl', 'zod', 'classic-level', 'node-gyp-build']) {
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: \\S+`, 'm'));
  }
  expect(notices).not.toContain('not named');
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toContain('All rights reserved');
});
