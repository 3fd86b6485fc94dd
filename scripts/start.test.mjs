import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appCommand, startApp } from './start.mjs';
import { makeTempFolder } from './test-folder.mjs';

const quiet = () => {};

describe('appCommand', () => {
  const common = { executable: '/e/electron', projectRoot: '/p', args: ['--flag', 'x y'], report: quiet };

  it('is `electron <project> …arguments`', () => {
    const env = { DISPLAY: ':0', A: '1' };
    const given = { ...env, ELECTRON_RUN_AS_NODE: '1' };
    expect(appCommand({ ...common, platform: 'linux', uid: 1000, env: given })).toEqual({
      command: '/e/electron',
      args: ['/p', '--flag', 'x y'],
      cwd: '/p',
      env,
      isVirtual: false,
    });
  });

  it('switches the sandbox off for root on Linux only, by argument and variable, and says so', () => {
    const said = [];
    const report = (_step, text) => said.push(text);
    const env = { DISPLAY: ':0' };
    const root = appCommand({ ...common, platform: 'linux', uid: 0, env, report });
    expect(root.args).toEqual(['--no-sandbox', '/p', '--flag', 'x y']);
    expect(root.env.VAK_DEV_NO_SANDBOX).toBe('1');
    expect(said).toEqual(["running as root: Chromium's own process sandbox is off for this development start"]);
    expect(appCommand({ ...common, platform: 'darwin', uid: 0, env, report }).args[0]).toBe('/p');
  });

  it('runs on a virtual display where there is none, and says so', () => {
    const said = [];
    const report = (_step, text) => said.push(text);
    expect(appCommand({ ...common, platform: 'linux', uid: 1000, env: {}, report }).isVirtual).toBe(true);
    expect(said).toEqual(['no display here: the window opens on a virtual one (xvfb-run)']);
  });
});

describe('startApp', () => {
  it('builds, runs the app with its arguments and gives its code; the second start takes less than 2 s', async () => {
    const projectRoot = await makeTempFolder();
    const dist = join(projectRoot, 'dist');
    const write = async (name, text) => {
      await mkdir(join(projectRoot, name, '..'), { recursive: true });
      await writeFile(join(projectRoot, name), text);
    };
    await write('package.json', '{"main":"out/main/main.js"}');
    await write('package-lock.json', '{"packages":{"":{}}}');
    await write('node_modules/.package-lock.json', '{"packages":{}}');
    await write('src/main.ts', 'source');
    await write('dist/version', '45.5.0');
    await write('dist/electron', '#!/bin/sh\nprintf "%s\\n" "$@" >> seen\nexit 5\n');
    await chmod(join(dist, 'electron'), 0o755);
    let builds = 0;
    const build = async () => {
      builds += 1;
      await write('out/main/main.js', 'built');
      return 0;
    };
    const env = { ...process.env, DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: dist, XDG_CACHE_HOME: join(dist, 'c') };
    expect(await startApp({ args: ['--first'], projectRoot, env, build })).toBe(5);
    const startedAt = Date.now();
    expect(await startApp({ args: ['--second'], projectRoot, env, build })).toBe(5);
    expect(Date.now() - startedAt).toBeLessThan(2000);
    expect(builds).toBe(1);
    const seen = (await readFile(join(projectRoot, 'seen'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '--no-sandbox');
    expect(seen).toEqual([projectRoot, '--first', projectRoot, '--second', '']);
  });
});
