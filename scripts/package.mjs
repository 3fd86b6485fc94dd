// Packages the app with build/electron-builder.yml (docs/packaging.md): `node scripts/package.mjs [electron-builder's arguments]`.
// With `--offline-test`: an AppImage of the stand-in Electron, to prove that packaging works; its name says that it is no release.
import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { packageCommand } from './child-process.mjs';
import { exists, isStartedScript, ownProjectRoot } from './files.mjs';
import { runInForeground } from './foreground.mjs';
import { runMain, SetUpError, say } from './report.mjs';
import { setUp } from './set-up.mjs';

/** What APPIMAGE_TOOLS_PATH must hold; what is made with it needs no network. */
const toolFiles = ['linux-x64/mksquashfs', 'linux-x64/desktop-file-validate', 'runtime-x64', 'lib/x64'];

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
export function offlineTestArgs({ dist, version }) {
  return [
    ...['--linux', 'AppImage', '--x64', '--publish', 'never'],
    `--config.electronDist=${dist}`,
    `--config.electronVersion=${version}`,
    // electron-builder's own toolset has another layout and comes from the network.
    '--config.toolsets.appimage=0.0.0',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in
    '--config.artifactName=${name}-${version}-${os}-${arch}-offline-test.${ext}',
  ];
}

/** Throws SetUpError that names what the folder of AppImage tools lacks. */
export async function checkAppImageTools(folder) {
  const next = 'Next: docs/packaging.md, "AppImage without a network", says what goes into it.';
  if (!folder) throw new SetUpError(`APPIMAGE_TOOLS_PATH names no folder of tools.\n${next}`);
  for (const file of toolFiles) {
    if (!(await exists(join(folder, file)))) throw new SetUpError(`${folder} has no ${file}.\n${next}`);
  }
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

/** The names at the top of an asar archive: four numbers of 4 bytes, the last one the length of the JSON that follows. */
export async function topOfAsar(file) {
  const handle = await open(file);
  try {
    const { buffer: numbers } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    const length = numbers.readUInt32LE(12);
    const { buffer: header } = await handle.read(Buffer.alloc(length), 0, length, 16);
    return Object.keys(JSON.parse(header.toString('utf8')).files).sort();
  } finally {
    await handle.close();
  }
}

async function electronBuilder(args) {
  const { command, args: tool } = await packageCommand(ownProjectRoot, 'electron-builder');
  const config = join(ownProjectRoot, 'build', 'electron-builder.yml');
  const code = await runInForeground({ command, args: [...tool, '--config', config, ...args], cwd: ownProjectRoot });
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

async function packageOffline() {
  await checkAppImageTools(process.env.APPIMAGE_TOOLS_PATH);
  const { electron } = await setUp({ need: 'runtime' });
  await ensureBuilt();
  const aside = await mkdtemp(join(tmpdir(), 'vak-package-'));
  try {
    const dist = join(aside, 'electron');
    const version = await copyRuntime(electron.executable, dist);
    await electronBuilder(offlineTestArgs({ dist, version }));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function packageApp(args) {
  if (args.length === 1 && args[0] === '--offline-test') await packageOffline();
  else {
    if (args.includes('--offline-test'))
      throw new SetUpError('--offline-test stands alone.\nNext: leave the others out.');
    await setUp({ need: 'check' });
    await ensureBuilt();
    await electronBuilder(['--publish', 'never', ...args]);
  }
  await checkUnpacked(join(ownProjectRoot, 'out', 'packages', 'linux-unpacked'));
}

/** What electron-builder made for Linux is what the config means, if it made it. */
async function checkUnpacked(folder) {
  const executable = join(folder, 'vak-workbench');
  if (!(await exists(executable))) return;
  const wrong = await findWrongFuses(executable);
  if (wrong.length > 0) throw new SetUpError(`fuses of ${executable} are not as wanted: ${wrong.join(', ')}.`);
  const archive = join(folder, 'resources', 'app.asar');
  const strange = (await topOfAsar(archive)).filter((name) => !packedNames.includes(name));
  if (strange.length > 0) {
    throw new SetUpError(`${archive} holds ${strange.join(', ')}.\nNext: mend "files" in build/electron-builder.yml.`);
  }
  say('package', 'fuses and content are as wanted');
}

if (isStartedScript(import.meta.url)) await runMain(() => packageApp(process.argv.slice(2)));
