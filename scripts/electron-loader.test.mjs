import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeTempFolder } from './test-folder.mjs';

/** Node puts the script into argv, Electron does not. */
const fakeElectron = `
  process.argv.splice(1, 1);
  export const app = {
    name: 'loader', calls: [],
    setVersion(version) { this.calls.push(['version', version]); },
    setDesktopName(name) { this.calls.push(['desktop', name]); },
    setAppPath(path) { this.calls.push(['path', path]); },
    exit(code) { process.exit(code); },
  };`;
const mainModule = `
  import { app } from 'electron';
  const { defaultApp, argv } = process;
  console.log(JSON.stringify({ name: app.name, calls: app.calls, defaultApp, preloaded: globalThis.preloaded, argv: argv.slice(1) }));`;

/** The loader beside a fake `electron` module and an app; gives what running it with `args` printed. */
async function makeRunner(description) {
  const folder = await makeTempFolder();
  const electron = join(folder, 'node_modules', 'electron');
  const app = join(folder, 'app');
  await mkdir(electron, { recursive: true });
  await mkdir(join(app, 'out'), { recursive: true });
  await writeFile(join(electron, 'package.json'), '{"type":"module","exports":"./index.js"}');
  await writeFile(join(electron, 'index.js'), fakeElectron);
  await writeFile(join(app, 'package.json'), JSON.stringify({ type: 'module', main: 'out/main.js', ...description }));
  await writeFile(join(app, 'out', 'main.js'), description.source ?? mainModule);
  await writeFile(join(folder, 'preload.cjs'), 'globalThis.preloaded = true;');
  const loader = join(folder, 'loader.mjs');
  await copyFile(new URL('electron-loader.mjs', import.meta.url), loader);
  const run = (...args) => promisify(execFile)(process.execPath, [loader, ...args], { cwd: folder });
  return { folder, app, run };
}

describe('electron-loader', () => {
  it('names the app as its package.json says and runs its main module', async () => {
    const { app, run } = await makeRunner({ name: 'tiny', productName: 'Tiny App', version: '3.2.1' });
    const seen = JSON.parse((await run('--no-sandbox', app, '--flag', 'word')).stdout);
    const calls = [
      ['version', '3.2.1'],
      ['desktop', 'Tiny App.desktop'],
      ['path', app],
    ];
    expect(seen).toEqual({
      name: 'Tiny App',
      calls,
      defaultApp: true,
      argv: ['--no-sandbox', app, '--flag', 'word'],
    });
  });

  it('loads the modules given with -r before the app, as Playwright asks', async () => {
    const { folder, run } = await makeRunner({ name: 'tiny' });
    const seen = JSON.parse((await run('-r', join(folder, 'preload.cjs'), '--inspect-port=0', 'app')).stdout);
    expect(seen).toMatchObject({ name: 'tiny', preloaded: true });
  });

  it('ends with code 1 and the error when the app fails to load or none is named', async () => {
    const { run } = await makeRunner({ source: "throw new Error('broken app');" });
    await expect(run('app')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('broken app') });
    await expect(run('--flag')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no app path') });
  });
});
