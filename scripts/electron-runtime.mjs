// Which Electron runs here: (1) ELECTRON_OVERRIDE_DIST_PATH, (2) node_modules/electron/dist, (3) the official download,
// (4) Linux x64, development and tests only: the pinned stand-in. A wrong (1) and a checksum mismatch are errors, never skipped.
// `node scripts/electron-runtime.mjs` prints the result as JSON on stdout.
import { constants, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fallbackRecipe, prepareFallback } from './fallback-runtime.mjs';
import { exists, isStartedScript, ownProjectRoot } from './files.mjs';
import { executableIn, findInstalled, installOfficial, versionOf, wantedVersion } from './official-runtime.mjs';
import { runMain, SetUpError, say } from './report.mjs';

/** Where runtimes and notes are kept, outside the tree: `$XDG_CACHE_HOME` or `~/.cache`, then `vak-workbench`. */
export function cacheFolder(env = process.env) {
  const given = env.XDG_CACHE_HOME;
  return join(given && isAbsolute(given) ? given : join(homedir(), '.cache'), 'vak-workbench');
}

/**
 * Finds or fetches the Electron to run: `{ executable, version, origin }`, origin being override, installed, official or fallback.
 * Says in one line on stderr which one it is. Throws SetUpError with what to do next when there is none.
 * The steps can be given for tests.
 * @returns {Promise<{ executable: string, version: string, origin: 'override' | 'installed' | 'official' | 'fallback' }>}
 */
export async function findElectron({
  projectRoot = ownProjectRoot,
  env = process.env,
  platform = process.platform,
  arch = process.arch,
  steps = { installOfficial, prepareFallback },
  report = say,
} = {}) {
  const override = await findOverride(env, platform);
  if (override) {
    report('electron', `runs ${override.version} from ELECTRON_OVERRIDE_DIST_PATH`);
    return override;
  }
  const version = await wantedVersion(projectRoot);
  const installed = await findInstalled({ projectRoot, version, platform });
  if (installed) {
    report('electron', `runs ${version}, the one that users get`);
    return { executable: installed, version, origin: 'installed' };
  }
  const cacheRoot = cacheFolder(env);
  await mkdir(cacheRoot, { recursive: true });
  const official = await steps.installOfficial({ projectRoot, version, cacheRoot, platform });
  if (official.executable) {
    report('electron', `runs ${version}, the one that users get, just downloaded`);
    return { executable: official.executable, version, origin: 'official' };
  }
  return await standIn({ official, version, cacheRoot, projectRoot, platform, arch, steps, report });
}

async function findOverride(env, platform) {
  const given = env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!given) return undefined;
  const executable = executableIn(resolve(given), platform);
  const mode = platform === 'win32' ? constants.F_OK : constants.X_OK;
  const found = await stat(executable).catch(() => undefined);
  if (!found?.isFile() || !(await exists(executable, mode))) {
    throw new SetUpError(
      `ELECTRON_OVERRIDE_DIST_PATH is ${given}, but ${executable} is not a program that can be run.\n` +
        'Next: name the folder of an unpacked Electron, or unset the variable.',
    );
  }
  return { executable, version: (await versionOf(resolve(given))) ?? 'unknown', origin: 'override' };
}

async function standIn({ official, version, cacheRoot, projectRoot, platform, arch, steps, report }) {
  if (platform !== 'linux' || arch !== 'x64') {
    throw new SetUpError(
      `Electron ${version} cannot be downloaded (${official.unreachable}), and for ${platform} ${arch} there is no stand-in.\n` +
        'Next: connect to the network or set ELECTRON_MIRROR, and start again; or unpack an Electron yourself and name its ' +
        'folder in ELECTRON_OVERRIDE_DIST_PATH.',
    );
  }
  const executable = await steps.prepareFallback({ cacheRoot, projectRoot });
  report(
    'electron',
    `runs ${fallbackRecipe.electronVersion}, the stand-in for development and tests, older than the ${version} that users get ` +
      `(no download: ${official.unreachable})`,
  );
  return { executable, version: fallbackRecipe.electronVersion, origin: 'fallback' };
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    process.stdout.write(`${JSON.stringify(await findElectron(), undefined, 2)}\n`);
  });
}
