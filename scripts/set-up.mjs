// Set-up: from a fresh clone to a machine that can start and test the app. Plain Node, no packages needed.
// `setUp` is called by start, dev, check and test; `node scripts/set-up.mjs [start|dev|check|unit|runtime|test|package]` runs it alone.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, findElectron } from './electron-runtime.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { needsVirtualDisplay } from './foreground.mjs';
import { ensurePackages } from './npm-packages.mjs';
import { runMain, SetUpError, say } from './report.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

const oldestNode = [20, 19];

/** What each command needs beside the npm packages. */
const needs = {
  check: { system: [], electron: false },
  unit: { system: ['servers'], electron: false },
  runtime: { system: ['libraries'], electron: true },
  start: { system: ['libraries', 'display'], electron: true },
  dev: { system: ['libraries', 'display'], electron: true },
  test: { system: ['libraries', 'display', 'servers'], electron: true },
  package: { system: [], electron: true },
};

/**
 * Brings this tree and machine into the state that `need` (check, unit, runtime, start, dev, test, package) wants; says each step in one
 * line. Gives `{ electron }`, the runtime found, where one is needed. Throws SetUpError with what to do next.
 */
export async function setUp({ need, projectRoot = ownProjectRoot, env = process.env }) {
  checkNode(process.versions.node);
  const { system, electron } = needs[need];
  const cacheRoot = cacheFolder(env);
  await mkdir(cacheRoot, { recursive: true });
  const hasInstalled = await ensurePackages({ projectRoot, lockFolder: join(projectRoot, 'out', '.set-up') });
  const groups = system.filter((group) => group !== 'display' || needsVirtualDisplay({ env }));
  const hasChanged = await ensureSystemPackages(groups, { cacheRoot });
  if (electron) return { electron: await findElectron({ projectRoot, env }) };
  if (!hasInstalled && !hasChanged) say('ready', 'nothing to do');
  return {};
}

/** Throws SetUpError when this Node is too old. */
export function checkNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new SetUpError(
    `this is Node ${version}, and the app needs Node ${oldestNode.join('.')} or newer.\n` +
      'Next: install a newer Node (nodejs.org, nvm, fnm), then start again.',
  );
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    const need = process.argv[2] ?? 'test';
    if (!Object.hasOwn(needs, need)) throw new SetUpError(`${need} is not one of ${Object.keys(needs).join(', ')}`);
    await setUp({ need });
  });
}
