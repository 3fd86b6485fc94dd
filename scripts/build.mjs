// The build: made when the sources, their config or the lock changed, or when its output is not the one we made.
// One build at a time in a tree; others wait and then find it done. `node scripts/build.mjs` builds if needed.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { packageCommand } from './child-process.mjs';
import { exists, filesBelow, isStartedScript, ownProjectRoot, placeFile, readJson } from './files.mjs';
import { runInForeground } from './foreground.mjs';
import { withLock } from './lock.mjs';
import { runMain, SetUpError, say, secondsSince } from './report.mjs';
import { setUp } from './set-up.mjs';

const sourceFolders = ['src', 'resources'];
const rootSources = /^(package\.json|package-lock\.json|electron\.vite\.config\..*|tsconfig.*\.json|\.env.*)$/;
const outputFolders = ['main', 'peers', 'chunks', 'preload', 'renderer'];

/** Builds into `out/` unless what lies there was built from these very sources; true if it was built. Throws SetUpError. */
export async function ensureBuilt({ projectRoot = ownProjectRoot, build = electronViteBuild } = {}) {
  const folder = join(projectRoot, 'out', '.set-up');
  const onWait = ({ pid }) => say('build', `process ${pid} is building: waiting for it`);
  return await withLock(join(folder, 'build.lock'), () => buildIfChanged({ projectRoot, folder, build }), { onWait });
}

async function buildIfChanged({ projectRoot, folder, build }) {
  const stampFile = join(folder, 'build.json');
  const sources = await hashSources(projectRoot);
  const stamp = await readJson(stampFile);
  if (stamp?.sources === sources && stamp.outputs === (await hashOutputs(projectRoot))) return false;
  const startedAt = Date.now();
  say('build', stamp ? 'the sources or the output changed' : 'first build');
  await rm(stampFile, { force: true });
  const code = await build(projectRoot);
  if (code !== 0)
    throw new SetUpError(`the build in ${projectRoot} ended with code ${code}.\nNext: mend what it names above.`);
  await removeOlder(projectRoot, startedAt);
  await checkEntry(projectRoot);
  await placeFile(stampFile, JSON.stringify({ sources, outputs: await hashOutputs(projectRoot) }));
  say('build', `built in ${secondsSince(startedAt)}`);
  return true;
}

/** A hash over the names and bytes of all that the build reads from this tree; tests are not built. */
export async function hashSources(projectRoot) {
  const below = await Promise.all(sourceFolders.map((name) => filesBelow(join(projectRoot, name))));
  const atRoot = (await readdir(projectRoot)).filter((name) => rootSources.test(name)).sort();
  const files = [...below.flat(), ...atRoot.map((name) => join(projectRoot, name))];
  const hash = createHash('sha256').update(process.platform);
  for (const file of files.filter((name) => !/\.test\.\w+$/.test(name))) {
    const bytes = await readFile(file);
    hash.update(`\0${relative(projectRoot, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** A hash over names, sizes and times of the output: another build there (npm run dev) is noticed. */
async function hashOutputs(projectRoot) {
  const hash = createHash('sha256');
  for (const file of await outputFiles(projectRoot)) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`\0${relative(projectRoot, file)}\0${size}\0${mtimeMs}`);
  }
  return hash.digest('hex');
}

async function outputFiles(projectRoot) {
  const below = await Promise.all(outputFolders.map((name) => filesBelow(join(projectRoot, 'out', name))));
  return below.flat();
}

/** The main build does not empty its folder; what it did not write this time is from an earlier one. */
async function removeOlder(projectRoot, startedAt) {
  for (const file of await outputFiles(projectRoot)) {
    const { mtimeMs } = await stat(file);
    if (mtimeMs < startedAt - 1000) await rm(file);
  }
}

async function checkEntry(projectRoot) {
  const { main } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  if (await exists(join(projectRoot, main))) return;
  throw new SetUpError(
    `the build made no ${main}, which package.json names as the app's start.\nNext: see electron.vite.config.ts.`,
  );
}

async function electronViteBuild(projectRoot) {
  const { command, args } = await packageCommand(projectRoot, 'electron-vite');
  return await runInForeground({ command, args: [...args, 'build', '--logLevel=warn'], cwd: projectRoot });
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    await setUp({ need: 'check' });
    if (!(await ensureBuilt())) say('build', 'is current');
  });
}
