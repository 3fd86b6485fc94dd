// The npm packages: `npm ci` when package-lock.json is not the one that node_modules was made from.
// The stamp lies inside node_modules; a folder that npm itself filled from the same lock is adopted as it is.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npmCommand, run, tailOf } from './child-process.mjs';
import { readJson } from './files.mjs';
import { withLock } from './lock.mjs';
import { createProgress, SetUpError, say, secondsSince } from './report.mjs';

/** Makes sure that node_modules is what package-lock.json says; true if packages were installed. Throws SetUpError. */
export async function ensurePackages({ projectRoot, lockFolder, install = npmCi }) {
  if (await isCurrent(projectRoot)) return false;
  const onWait = ({ pid }) => say('packages', `process ${pid} is installing the packages: waiting for it`);
  return await withLock(
    join(lockFolder, 'packages.lock'),
    async () => {
      if (await isCurrent(projectRoot)) return false;
      const isAdopted = await isFilledFromLock(projectRoot);
      if (!isAdopted) await install(projectRoot);
      await writeFile(stampFile(projectRoot), JSON.stringify(await wantedStamp(projectRoot)));
      return !isAdopted;
    },
    { onWait },
  );
}

function stampFile(projectRoot) {
  return join(projectRoot, 'node_modules', '.vak-packages.json');
}

async function wantedStamp(projectRoot) {
  const file = join(projectRoot, 'package-lock.json');
  const lock = await readFile(file).catch(() => undefined);
  if (!lock)
    throw new SetUpError(
      `${file} is missing.\nNext: restore it from git; it says which packages belong to this version.`,
    );
  return { lock: createHash('sha256').update(lock).digest('hex'), platform: process.platform, arch: process.arch };
}

async function isCurrent(projectRoot) {
  const wanted = await wantedStamp(projectRoot);
  const found = await readJson(stampFile(projectRoot));
  return found?.lock === wanted.lock && found.platform === wanted.platform && found.arch === wanted.arch;
}

async function isFilledFromLock(projectRoot) {
  const lock = await readJson(join(projectRoot, 'package-lock.json'));
  const filled = await readJson(join(projectRoot, 'node_modules', '.package-lock.json'));
  return lock !== undefined && filled !== undefined && holdsSamePackages(lock, filled);
}

/** Whether the lock that npm leaves in node_modules (`filled`) has what `lock` says: all but other systems' packages, and no more. */
export function holdsSamePackages(lock, filled, platform = process.platform) {
  const wanted = new Map(Object.entries(lock.packages ?? {}).filter(([path]) => path !== ''));
  const found = Object.entries(filled.packages ?? {});
  const isAllWanted = found.every(([path, { version, os }]) => {
    return wanted.get(path)?.version === version && (!os || os.includes(platform));
  });
  const paths = new Set(found.map(([path]) => path));
  return isAllWanted && [...wanted].every(([path, entry]) => paths.has(path) || entry.optional);
}

async function npmCi(projectRoot) {
  const startedAt = Date.now();
  const npm = npmCommand();
  const total = countForThisSystem(await readJson(join(projectRoot, 'package-lock.json')));
  const progress = createProgress('packages');
  let fetched = 0;
  const onLine = (line) => {
    if (!/^npm http .*\.tgz/.test(line)) return;
    fetched += 1;
    progress.update(Math.min(fetched / total, 0.99), `fetched ${fetched} packages`);
  };
  progress.update(0, 'npm ci');
  const { code, lines } = await run(npm.command, [...npm.args, 'ci', '--loglevel=http', '--no-progress'], {
    cwd: projectRoot,
    onLine,
  });
  progress.end();
  if (code !== 0) {
    throw new SetUpError(
      `npm ci in ${projectRoot} ended with code ${code}:\n${tailOf(lines.filter((line) => !line.startsWith('npm http')))}\n` +
        'Next: see that npm reaches its registry (npm ping) and that package.json and package-lock.json belong together, then start again.',
    );
  }
  const filled = await readJson(join(projectRoot, 'node_modules', '.package-lock.json'));
  say('packages', `installed ${Object.keys(filled?.packages ?? {}).length} packages in ${secondsSince(startedAt)}`);
}

/** How many of the locked packages this system takes; the others are prebuilt parts for other systems. */
function countForThisSystem(lock) {
  const isForUs = ({ os, cpu }) => (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
  return Math.max(1, Object.values(lock?.packages ?? {}).filter(isForUs).length);
}
