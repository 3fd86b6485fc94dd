// The official Electron: the one in node_modules if it is whole, else electron's own install.js with a limit on silence.
// A network that cannot be reached is remembered for a day; a checksum mismatch or a full disk stops.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run, tailOf } from './child-process.mjs';
import { exists, folderBytes, placeFile, readJson } from './files.mjs';
import { withLock } from './lock.mjs';
import { createProgress, megabytes, SetUpError, say, secondsSince } from './report.mjs';

const silenceLimitMs = 45_000;
const rememberedMs = 24 * 60 * 60_000;
const executableByPlatform = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** The path of the executable inside an Electron folder. */
export function executableIn(dist, platform = process.platform) {
  return join(dist, executableByPlatform[platform] ?? 'electron');
}

/** The version that an Electron folder states of itself; undefined when it states none. */
export async function versionOf(dist) {
  const text = await readFile(join(dist, 'version'), 'utf8').catch(() => '');
  return text.trim().replace(/^v/, '') || undefined;
}

/** The version of Electron that users get: that of the installed package. */
export async function wantedVersion(projectRoot) {
  const file = join(projectRoot, 'node_modules', 'electron', 'package.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (!text) throw new SetUpError(`${file} is missing.\nNext: run npm ci in ${projectRoot}.`);
  return JSON.parse(text).version;
}

/**
 * The executable in node_modules/electron/dist, or undefined. `path.txt` is asked for as well, because electron's
 * installer writes it last: without it an unpacking was cut off.
 */
export async function findInstalled({ projectRoot, version, platform = process.platform }) {
  const packageFolder = join(projectRoot, 'node_modules', 'electron');
  const dist = join(packageFolder, 'dist');
  if ((await versionOf(dist)) !== version) return undefined;
  const executable = executableIn(dist, platform);
  return (await exists(join(packageFolder, 'path.txt'))) && (await exists(executable)) ? executable : undefined;
}

/**
 * Downloads the official Electron. Gives `{ executable }`, or `{ unreachable }` (the reason, for people) when the
 * network does not give it. Throws SetUpError for a checksum mismatch or a local failure.
 */
export async function installOfficial({
  projectRoot,
  version,
  cacheRoot,
  platform = process.platform,
  now = Date.now,
}) {
  const remembered = await readFailure(cacheRoot, version, now());
  if (remembered) return { unreachable: remembered };
  const lock = join(cacheRoot, `official-${version}.lock`);
  const onWait = ({ pid }) => say('electron', `process ${pid} is downloading Electron: waiting for it`);
  return await withLock(
    lock,
    async () => {
      const executable = await findInstalled({ projectRoot, version, platform });
      if (executable) return { executable };
      const failed = await readFailure(cacheRoot, version, now());
      if (failed) return { unreachable: failed };
      return await download({ projectRoot, version, cacheRoot, platform, now });
    },
    { onWait },
  );
}

async function download({ projectRoot, version, cacheRoot, platform, now }) {
  const startedAt = Date.now();
  const { code, lines, isSilent } = await runInstaller({ projectRoot, cacheRoot });
  const executable = code === 0 ? await findInstalled({ projectRoot, version, platform }) : undefined;
  if (executable) {
    say('electron', `downloaded Electron ${version} in ${secondsSince(startedAt)}`);
    return { executable };
  }
  const failure = judgeFailure(lines, isSilent);
  if (failure.kind !== 'unreachable') {
    throw new SetUpError(
      `Electron ${version} was not installed: ${failure.reason}\n${tailOf(lines)}\nNext: ${failure.next}`,
    );
  }
  await writeFailure({ cacheRoot, version, reason: failure.reason, at: now() });
  return { unreachable: failure.reason };
}

/** Runs electron's install.js; ends it when neither its download nor its folder has grown for a while. */
async function runInstaller({ projectRoot, cacheRoot }) {
  const packageFolder = join(projectRoot, 'node_modules', 'electron');
  const temporary = await mkdtemp(join(cacheRoot, 'official-'));
  const stop = new AbortController();
  const progress = createProgress('electron');
  let sizeBytes = 0;
  let grownAt = Date.now();
  const watch = setInterval(async () => {
    const found = (await folderBytes(temporary)) + (await folderBytes(join(packageFolder, 'dist')));
    if (found !== sizeBytes) grownAt = Date.now();
    sizeBytes = found;
    if (sizeBytes > 0) progress.update(undefined, `downloading Electron, ${megabytes(sizeBytes)}`);
    if (Date.now() - grownAt > silenceLimitMs) stop.abort();
  }, 500);
  try {
    const env = { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary };
    delete env.ELECTRON_OVERRIDE_DIST_PATH;
    const args = [join(packageFolder, 'install.js')];
    const result = await run(process.execPath, args, { cwd: packageFolder, env, signal: stop.signal });
    return { ...result, isSilent: stop.signal.aborted };
  } finally {
    clearInterval(watch);
    progress.end();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** What a failed install.js means: bytes that are not the published ones, a local failure, or a network out of reach. */
export function judgeFailure(lines, isSilent = false) {
  const text = lines.join('\n');
  if (isSilent) return { kind: 'unreachable', reason: `no byte came for ${silenceLimitMs / 1000} s` };
  if (/did not match expected checksum|checksum ?mismatch|no checksum found/i.test(text)) {
    return {
      kind: 'checksum',
      reason: 'its checksum is not the published one.',
      next: "find out what your network or mirror delivers (ELECTRON_MIRROR), delete Electron's download cache, and start again.",
    };
  }
  const local = /(?<!connect )\b(ENOSPC|EACCES|EPERM|EROFS|EDQUOT)\b/.exec(text);
  if (local) {
    return {
      kind: 'local',
      reason: `this machine refused (${local[1]}).`,
      next: 'free disk space or mend the permissions named above.',
    };
  }
  const cause =
    /^\s*(?:\[?cause\]?:\s*)?((?:\w*Error|AggregateError)\b[^\n]*)/m.exec(text)?.[1] ??
    lines.find((line) => line.trim());
  return { kind: 'unreachable', reason: (cause ?? 'the installer said nothing').trim().replace(/\s*\{$/, '') };
}

function failureFile(cacheRoot, version) {
  return join(cacheRoot, `official-${version}.unreachable.json`);
}

async function readFailure(cacheRoot, version, now) {
  const note = await readJson(failureFile(cacheRoot, version));
  if (typeof note?.at !== 'number' || now < note.at || now - note.at >= rememberedMs) return undefined;
  return `${note.reason}, ${agoText(now - note.at)}`;
}

async function writeFailure({ cacheRoot, version, reason, at }) {
  const file = failureFile(cacheRoot, version);
  await placeFile(file, JSON.stringify({ reason, at }));
  say('electron', `the official download failed (${reason}); it is tried again in 24 h, or when ${file} is gone`);
}

function agoText(elapsedMs) {
  const minutes = Math.floor(elapsedMs / 60_000);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
