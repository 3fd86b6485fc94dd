// The tools of an AppImage where electron-builder cannot download its own (docs/packaging.md): those of Debian, and the type-2
// runtime, which is in no package of programs but begins an AppImage in the sources of one. Kept in the cache, checked by hash.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractTarMember } from './archive.mjs';
import { run, tailOf } from './child-process.mjs';
import { exists, hashFile } from './files.mjs';
import { withLock } from './lock.mjs';
import { SetUpError, say, secondsSince } from './report.mjs';

/** What is fetched and what its bytes must be. */
export const runtimeRecipe = Object.freeze({
  source: 'libappimage',
  suite: 'bookworm',
  tarballSha256: '2c4e18860a790c5959da6eb064cbd07f165fe6a9b15989491a3a3f176d06af31',
  member: 'libappimage-1.0.4-5/tests/data/Echo-no-integrate-x86_64.AppImage',
  runtimeBytes: 188_392,
  runtimeSha256: 'dd75a7b9d27d372773e7d3c7a2ff761718ee4d5dd28f3ae0a9993c1cf5dbaa84',
});

/**
 * The folder that APPIMAGE_TOOLS_PATH is to name: links to `mksquashfs` and `desktop-file-validate`, which must be installed, and the
 * runtime. Made in the cache if it is not there. Throws SetUpError when the runtime cannot be fetched or is not the pinned one.
 */
export async function prepareAppImageTools({ cacheRoot, recipe = runtimeRecipe, fetchSource = fetchDebianSource }) {
  const folder = join(cacheRoot, `appimage-tools-${recipe.runtimeSha256.slice(0, 12)}`);
  const onWait = ({ pid }) => say('package', `process ${pid} is preparing the tools of AppImages: waiting for it`);
  await withLock(`${folder}.lock`, () => buildTools({ cacheRoot, folder, recipe, fetchSource }), { onWait });
  return folder;
}

async function buildTools({ cacheRoot, folder, recipe, fetchSource }) {
  if (await exists(folder)) return;
  const startedAt = Date.now();
  const aside = await mkdtemp(join(cacheRoot, 'build-'));
  try {
    const tools = join(aside, 'tools');
    for (const part of ['linux-x64', 'lib/x64']) await mkdir(join(tools, part), { recursive: true });
    for (const name of ['mksquashfs', 'desktop-file-validate']) {
      await symlink(join('/usr/bin', name), join(tools, 'linux-x64', name));
    }
    const tarball = await fetchSource({ folder: aside, recipe });
    await checkSha256(tarball, recipe.tarballSha256);
    const sample = join(aside, 'sample');
    await extractTarMember(tarball, recipe.member, sample);
    const runtime = join(tools, 'runtime-x64');
    await writeFile(runtime, (await readFile(sample)).subarray(0, recipe.runtimeBytes));
    await checkSha256(runtime, recipe.runtimeSha256);
    await rename(tools, folder);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  say('package', `prepared the tools of AppImages in ${secondsSince(startedAt)} (${folder})`);
}

async function checkSha256(file, expected) {
  const found = await hashFile(file, 'sha256', 'hex');
  if (found === expected) return;
  throw new SetUpError(
    `the runtime of AppImages is not the pinned one: sha256 of ${file} is ${found}, it must be ${expected}.\n` +
      'Next: find out what your package sources deliver; do not change the pinned hash to get on.',
  );
}

/** The address from which this system takes Debian's packages. */
async function debianAddress() {
  const folder = '/etc/apt/sources.list.d';
  const lists = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  for (const file of ['/etc/apt/sources.list', ...lists]) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const found = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(text);
    if (found) return found[1];
  }
  throw new SetUpError(
    'no source of Debian packages is known here, so the runtime of AppImages cannot be fetched.\n' +
      'Next: name a folder of tools in APPIMAGE_TOOLS_PATH (docs/packaging.md), or leave the AppImage out.',
  );
}

/** Fetches the sources with an apt state of its own, which changes nothing of the system's; gives the tarball's path. */
async function fetchDebianSource({ folder, recipe }) {
  const state = join(folder, 'apt');
  for (const part of ['lists/partial', 'cache/archives/partial']) await mkdir(join(state, part), { recursive: true });
  const list = join(state, 'sources.list');
  const signedBy = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  await writeFile(list, `deb-src ${signedBy} ${await debianAddress()} ${recipe.suite} main\n`);
  const settings = {
    'Dir::Etc::sourcelist': list,
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(state, 'lists'),
    'Dir::Cache': join(state, 'cache'),
    // The folder is this user's alone.
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  for (const args of [['update'], ['source', '--tar-only', '--download-only', recipe.source]]) {
    const { code, lines } = await run('apt-get', ['-q', ...options, ...args], { cwd: folder });
    if (code !== 0) throw new SetUpError(`apt-get ${args[0]} ended with code ${code}:\n${tailOf(lines)}`);
  }
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.orig.tar.gz'));
  if (tarball === undefined) throw new SetUpError(`the sources of ${recipe.source} hold no tarball.`);
  return join(folder, tarball);
}
