// `npm run package:vak`: the command line and the library as an archive of their own, out/packages/vak-<version>.tgz, which
// `npm install -g` takes on any system with Node: our programs and the chunks that they load, and the packages that these need.
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { npmCommand, run, tailOf } from './child-process.mjs';
import { folderBytes, isStartedScript, ownProjectRoot, readJson } from './files.mjs';
import { megabytes, runMain, SetUpError, say } from './report.mjs';
import { setUp } from './set-up.mjs';
import { shippedPackages, thirdPartyNotices } from './shipped-packages.mjs';

const entries = ['out/peers/vak.js', 'out/peers/worker.js', 'out/peers/library.js'];
const besides = ['out/peers/library.d.ts', 'docs/library.md', 'docs/examples', 'LICENSE'];
/** Loaded from node_modules, for it has native parts; package.json names those that are built into the programs. */
const external = ['classic-level'];
/** What packages bring for those who compile or read them. */
const leftOut = /(^|\/)(deps|test|tests|docs|examples)(\/|$)|\.(d\.ts|d\.mts|d\.cts|map|md|c|cc|cpp|h|gyp|gypi)$/;
/** Systems without a program of ours. */
const strangeSystems = /\/prebuilds\/(android|win32)-/;
const imported = /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"']+\.js)["']/g;

/** The files that programs load from the first on, as paths from the project's root. */
export async function loadedFiles(projectRoot, from = entries) {
  const found = new Set();
  const visit = async (path) => {
    if (found.has(path)) return;
    found.add(path);
    const text = await readFile(join(projectRoot, path), 'utf8');
    for (const [, name] of text.matchAll(imported)) await visit(join(dirname(path), name));
  };
  for (const path of from) await visit(path);
  return [...found].sort();
}

/** What package.json of the archive says. */
function manifestOf(project, packages) {
  const { name, version, description, author, homepage, license, type, exports, bin, engines } = project;
  const versions = Object.fromEntries(packages.map((one) => [one.name, one.version]));
  return {
    ...{ name, version, description, author, homepage, license, type, exports, bin, engines, os: ['linux', 'darwin'] },
    dependencies: Object.fromEntries(external.map((one) => [one, versions[one]])),
    bundleDependencies: Object.keys(versions),
  };
}

/** Copies what the archive holds into a folder. */
async function fill(projectRoot, folder) {
  const packages = await shippedPackages(projectRoot, external);
  for (const path of [...(await loadedFiles(projectRoot)), ...besides]) {
    await cp(join(projectRoot, path), join(folder, path), { recursive: true });
  }
  for (const { folder: from } of packages) {
    const isShipped = (file) => {
      const name = `/${relative(from, file)}`;
      return !leftOut.test(name) && !strangeSystems.test(name) && !name.startsWith('/node_modules');
    };
    await cp(from, join(folder, relative(projectRoot, from)), { recursive: true, filter: isShipped });
  }
  const project = await readJson(join(projectRoot, 'package.json'));
  const manifest = manifestOf(project, packages);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const notices = await thirdPartyNotices(
    await shippedPackages(projectRoot, [...external, ...project.builtIntoPrograms]),
  );
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices);
}

/** Makes the archive in `output` and gives its path. Throws SetUpError. */
export async function packageVak({ projectRoot = ownProjectRoot, output = join(projectRoot, 'out', 'packages') } = {}) {
  await ensureBuilt({ projectRoot });
  const aside = await mkdtemp(join(tmpdir(), 'vak-package-'));
  try {
    const folder = join(aside, 'vak');
    await mkdir(folder);
    await fill(projectRoot, folder);
    await mkdir(output, { recursive: true });
    const npm = npmCommand();
    const packed = await run(npm.command, [...npm.args, 'pack', '--silent', '--pack-destination', aside], {
      cwd: folder,
    });
    if (packed.code !== 0) throw new SetUpError(`npm pack ended with code ${packed.code}:\n${tailOf(packed.lines)}`);
    const { version } = await readJson(join(folder, 'package.json'));
    const archive = join(output, `vak-${version}.tgz`);
    await cp(join(aside, packed.stdout.trim()), `${archive}.new`);
    await rename(`${archive}.new`, archive);
    say('package', `${relative(projectRoot, archive)}: ${megabytes(await folderBytes(folder))} unpacked`);
    return archive;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    await setUp({ need: 'check' });
    await packageVak();
  });
}
