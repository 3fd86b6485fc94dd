// Packages the app with build/electron-builder.yml (docs/packaging.md): `npm run package [-- electron-builder's arguments]`.
// Where Electron cannot be downloaded, and with `--offline-test [AppImage|deb|tar.gz …]`: packages of the runtime that set-up
// found, by tools of this machine, to prove that packaging works; their names say that they are no release.
import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { prepareAppImageTools } from './appimage-tools.mjs';
import { ensureBuilt } from './build.mjs';
import { packageCommand } from './child-process.mjs';
import { cacheFolder } from './electron-runtime.mjs';
import { exists, isStartedScript, ownProjectRoot, placeFile, readJson } from './files.mjs';
import { runInForeground } from './foreground.mjs';
import { runMain, SetUpError, say } from './report.mjs';
import { setUp } from './set-up.mjs';
import { shippedPackages, thirdPartyNotices } from './shipped-packages.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * On Linux electron-builder installs into /opt/<productName>, and Chromium cannot start its setuid sandbox from a path with a
 * space in it: the name that people see is that of the desktop entry. macOS names the bundle after it, so it is set for Linux alone.
 */
const linuxArgs = ['--config.productName=vak-workbench'];

/** What an offline test can make. */
const offlineTargets = ['AppImage', 'deb', 'tar.gz'];

/** All that stands at the top of a package's archive. */
const packedNames = ['node_modules', 'out', 'package.json'];

/** The fuses of what ships, by their names in @electron/fuses; they are read back from the packaged executable. */
export const wantedFuses = Object.freeze({
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
});

/** electron-builder's arguments for an offline test; the committed config knows nothing of it. */
export function offlineTestArgs({ dist, version, targets }) {
  return [
    ...['--linux', ...targets, '--x64'],
    `--config.electronDist=${dist}`,
    `--config.electronVersion=${version}`,
    // electron-builder's own toolset has another layout and comes from the network.
    '--config.toolsets.appimage=0.0.0',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in
    '--config.artifactName=${name}-${version}-${os}-${arch}-offline-test.${ext}',
  ];
}

/** electron-builder's arguments for one platform: what a release and an offline test have in common, then the given ones. */
export function builderArgs(args, platform = process.platform) {
  const isForLinux = args.includes('--linux') || (platform === 'linux' && !args.includes('--mac'));
  if (isForLinux && args.includes('--mac'))
    throw new SetUpError('--linux and --mac are named differently.\nNext: package for one, then for the other.');
  return ['--publish', 'never', ...(isForLinux ? linuxArgs : []), ...args];
}

/** What is to be made; throws SetUpError for what an offline test cannot make. */
export function readOfflineTargets(args) {
  const strange = args.filter((arg) => !offlineTargets.includes(arg));
  if (strange.length === 0) return args.length === 0 ? offlineTargets : args;
  throw new SetUpError(
    `without a network ${offlineTargets.join(', ')} can be made, not ${strange.join(' ')}.\nNext: leave the others out.`,
  );
}

/** The environment in which electron-builder finds tools of this machine instead of its own, which come from the network. */
async function offlineTools(targets) {
  const env = { ...process.env };
  const cacheRoot = cacheFolder(env);
  const groups = targets.map((target) => ({ AppImage: 'appImage', deb: 'deb', 'tar.gz': 'sevenZip' })[target]);
  await ensureSystemPackages(groups, { cacheRoot });
  if (targets.includes('AppImage')) env.APPIMAGE_TOOLS_PATH ??= await prepareAppImageTools({ cacheRoot });
  if (targets.includes('deb')) env.CUSTOM_FPM_PATH = join(ownProjectRoot, 'scripts', 'fpm-by-dpkg.mjs');
  if (targets.includes('tar.gz')) {
    env.ELECTRON_BUILDER_7ZIP_PATH ??= '/usr/bin/7zz';
    // The usual level takes 15 times as long for the same size.
    env.ELECTRON_BUILDER_COMPRESSION_LEVEL ??= '3';
  }
  return env;
}

/** The fuses of an executable that are not as wanted, as `name: on`. */
export async function findWrongFuses(executable) {
  const { FuseState, FuseV1Options, getCurrentFuseWire } = await import('@electron/fuses');
  const wire = await getCurrentFuseWire(executable);
  return Object.entries(wantedFuses).flatMap(([name, isOn]) => {
    const state = wire[FuseV1Options[name]];
    return state === (isOn ? FuseState.ENABLE : FuseState.DISABLE) ? [] : [`${name}: ${FuseState[state] ?? 'missing'}`];
  });
}

/** The files of an asar archive as `{ path, size }` (bytes): four numbers of 4 bytes, the last one the length of the JSON that follows. */
export async function asarEntries(file) {
  const handle = await open(file);
  try {
    const { buffer: numbers } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    const length = numbers.readUInt32LE(12);
    const { buffer: header } = await handle.read(Buffer.alloc(length), 0, length, 16);
    return entriesBelow(JSON.parse(header.toString('utf8')).files, '');
  } finally {
    await handle.close();
  }
}

function entriesBelow(files, folder) {
  return Object.entries(files).flatMap(([name, { files: below, size = 0 }]) => {
    return below === undefined ? [{ path: `${folder}${name}`, size }] : entriesBelow(below, `${folder}${name}/`);
  });
}

async function electronBuilder(args, env = process.env) {
  const { command, args: tool } = await packageCommand(ownProjectRoot, 'electron-builder');
  const config = join(ownProjectRoot, 'build', 'electron-builder.yml');
  const all = [...tool, '--config', config, ...builderArgs(args)];
  const code = await runInForeground({ command, args: all, cwd: ownProjectRoot, env });
  if (code !== 0) throw new SetUpError(`electron-builder ended with code ${code}.\nNext: see what it says above.`);
}

/** The stand-in without our loader, which lies where a package would look for the app. */
async function copyRuntime(executable, folder) {
  const from = dirname(executable);
  await cp(from, folder, { recursive: true, filter: (file) => basename(file) !== 'resources' });
  await cp(join(from, 'resources'), join(folder, 'resources'), {
    recursive: true,
    filter: (file) => basename(file) !== 'app',
  });
  return (await readFile(join(folder, 'version'), 'utf8')).trim();
}

/** Writes what third parties say of what is packed; build/electron-builder.yml puts it beside the archive. */
async function placeNotices() {
  const { dependencies } = await readJson(join(ownProjectRoot, 'package.json'));
  const notices = await thirdPartyNotices(await shippedPackages(ownProjectRoot, Object.keys(dependencies)));
  await placeFile(join(ownProjectRoot, 'out', 'notices', 'THIRD-PARTY-NOTICES.txt'), notices);
}

/** Packages of the runtime that set-up found, which is no release where that is the stand-in. */
async function packageOffline(electron, targets) {
  say('package', `made of Electron ${electron.version} of this machine, to try out: *-offline-test.*, no release`);
  const env = await offlineTools(targets);
  const aside = await mkdtemp(join(tmpdir(), 'vak-package-'));
  try {
    const dist = join(aside, 'electron');
    const version = await copyRuntime(electron.executable, dist);
    await electronBuilder(offlineTestArgs({ dist, version, targets }), env);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Builds packages in `out/packages`: releases, or where Electron cannot be downloaded, or it is asked for, offline tests. */
export async function packageApp(args) {
  const isForMac = args.includes('--mac');
  const { electron } = await setUp({ need: isForMac ? 'check' : 'package' });
  await ensureBuilt();
  await placeNotices();
  const isOffline = !isForMac && (args.includes('--offline-test') || electron.origin === 'fallback');
  if (isOffline) await packageOffline(electron, readOfflineTargets(args.filter((arg) => !arg.startsWith('--'))));
  else await electronBuilder(args);
  await checkUnpacked(join(ownProjectRoot, 'out', 'packages', 'linux-unpacked'));
}

/** What electron-builder made for Linux is what the config means, if it made it. */
async function checkUnpacked(folder) {
  const executable = join(folder, 'vak-workbench');
  if (!(await exists(executable))) return;
  const wrong = await findWrongFuses(executable);
  if (wrong.length > 0) throw new SetUpError(`fuses of ${executable} are not as wanted: ${wrong.join(', ')}.`);
  const archive = join(folder, 'resources', 'app.asar');
  const tops = new Set((await asarEntries(archive)).map(({ path }) => path.split('/')[0]));
  const strange = [...tops].filter((name) => !packedNames.includes(name));
  if (strange.length > 0) {
    throw new SetUpError(`${archive} holds ${strange.join(', ')}.\nNext: mend "files" in build/electron-builder.yml.`);
  }
  for (const name of ['LICENSE', 'THIRD-PARTY-NOTICES.txt']) {
    if (!(await exists(join(folder, 'resources', name)))) throw new SetUpError(`${folder}/resources has no ${name}.`);
  }
  say('package', 'fuses and content are as wanted');
}

if (isStartedScript(import.meta.url)) await runMain(() => packageApp(process.argv.slice(2)));
