// What the machine itself must have: Electron's shared libraries, a virtual display; for the tests nats-server and openssl; the tools
// that make packages without a network.
// Looked up by file, not by package manager; installed with apt-get for root on Debian and Ubuntu, else named in one command.
import { readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run, tailOf } from './child-process.mjs';
import { exists } from './files.mjs';
import { withLock } from './lock.mjs';
import { createProgress, SetUpError, say, secondsSince } from './report.mjs';

const aptListsFolder = '/var/lib/apt/lists';
const freshListsMs = 24 * 60 * 60_000;

/** Each thing with the Debian packages that may hold it, newest name first (t64: the 64-bit time change). */
const things = {
  libraries: [
    { library: 'libgtk-3.so.0', packages: ['libgtk-3-0t64', 'libgtk-3-0'] },
    { library: 'libnss3.so', packages: ['libnss3'] },
    { library: 'libasound.so.2', packages: ['libasound2t64', 'libasound2'] },
    { library: 'libgbm.so.1', packages: ['libgbm1'] },
    { library: 'libXss.so.1', packages: ['libxss1'] },
    { library: 'libXtst.so.6', packages: ['libxtst6t64', 'libxtst6'] },
    { library: 'libnotify.so.4', packages: ['libnotify4t64', 'libnotify4'] },
    { library: 'libsecret-1.so.0', packages: ['libsecret-1-0'] },
  ],
  display: [
    { command: 'Xvfb', packages: ['xvfb'] },
    { command: 'xvfb-run', packages: ['xvfb'] },
    { command: 'xauth', packages: ['xauth'] },
  ],
  servers: [
    { command: 'nats-server', packages: ['nats-server'] },
    { command: 'openssl', packages: ['openssl'] },
  ],
  appImage: [
    { command: 'mksquashfs', packages: ['squashfs-tools'] },
    { command: 'desktop-file-validate', packages: ['desktop-file-utils'] },
  ],
  sevenZip: [{ command: '7zz', packages: ['7zip'] }],
  deb: [{ command: 'dpkg-deb', packages: ['dpkg'] }],
};

/**
 * Makes sure that the machine has what is `needed` (names of groups: libraries, display, servers, appImage, sevenZip, deb); true if something was
 * installed. Throws SetUpError with the one command to type when a thing is missing and may not be installed here.
 */
export async function ensureSystemPackages(needed, { cacheRoot, machine = thisMachine() }) {
  const missing = await findMissing(needed, machine);
  if (missing.length === 0) return false;
  if (!(await machine.canInstall())) return await askForInstall(missing, machine);
  const onWait = ({ pid }) => say('system', `process ${pid} is installing system packages: waiting for it`);
  return await withLock(
    join(cacheRoot, 'system-packages.lock'),
    async () => {
      const stillMissing = await findMissing(needed, machine);
      if (stillMissing.length > 0) await install(stillMissing, machine);
      return true;
    },
    { onWait },
  );
}

/** The things of the needed groups that the machine lacks. */
export async function findMissing(needed, machine) {
  const wanted = needed.flatMap((group) => things[group]);
  const libraries = wanted.some((thing) => thing.library) ? await machine.libraries() : undefined;
  const missing = [];
  for (const thing of wanted) {
    // Without a list of libraries (another libc, another layout) there is nothing to judge by.
    if (thing.library && libraries && !libraries.has(thing.library)) missing.push(thing);
    if (thing.command && !(await machine.hasCommand(thing.command))) missing.push(thing);
  }
  return missing;
}

async function askForInstall(missing, machine) {
  const names = missing.map((thing) => thing.library ?? thing.command).join(', ');
  const isDebian = await machine.isDebian();
  const packages = isDebian ? await packageNames(missing, machine) : [];
  const next = isDebian
    ? `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`
    : `install them with this system's package manager (on Debian they come from: ${debianNames(missing)})`;
  throw new SetUpError(`this machine lacks ${names}, which is needed here.\nNext: ${next}`);
}

function debianNames(missing) {
  return [...new Set(missing.map((thing) => thing.packages.at(-1)))].join(' ');
}

/** The name under which this system's package lists know each missing thing. */
async function packageNames(missing, machine) {
  const names = new Set();
  for (const { packages } of missing) {
    let chosen = packages.at(-1);
    for (const name of packages.slice(0, -1)) {
      if (await machine.knowsPackage(name)) chosen = name;
    }
    names.add(chosen);
  }
  return [...names];
}

async function install(missing, machine) {
  const startedAt = Date.now();
  if (!(await machine.hasFreshLists())) {
    say('system', 'reading the package lists (apt-get update)');
    await machine.updateLists();
  }
  const names = await packageNames(missing, machine);
  await machine.install(names);
  say('system', `installed ${names.join(' ')} in ${secondsSince(startedAt)}`);
}

/** The machine that we run on; tests give another. */
function thisMachine({ platform = process.platform, env = process.env } = {}) {
  const isDebian = async () => {
    const release = platform === 'linux' ? await readFile('/etc/os-release', 'utf8').catch(() => '') : '';
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release) && (await hasCommand('apt-get', env));
  };
  return {
    isDebian,
    canInstall: async () => process.getuid?.() === 0 && (await isDebian()),
    libraries: () => (platform === 'linux' ? knownLibraries() : undefined),
    hasCommand: (name) => hasCommand(name, env),
    knowsPackage: async (name) => (await run('apt-cache', ['show', name])).code === 0,
    hasFreshLists,
    updateLists: () => apt(['update'], { env, progress: createProgress('system') }),
    install: (names) =>
      apt(['install', '-y', '--no-install-recommends', ...names], { env, progress: createProgress('system') }),
  };
}

async function hasCommand(name, env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter(Boolean);
  const found = await Promise.all(folders.map((folder) => exists(join(folder, name))));
  return found.includes(true);
}

/** The shared libraries that the loader knows for this processor; undefined when it cannot be asked. */
async function knownLibraries() {
  const ask = await Promise.any(['/sbin/ldconfig', 'ldconfig'].map(askLoader)).catch(() => undefined);
  if (!ask) return undefined;
  const kind = { x64: 'x86-64', arm64: 'AArch64' }[process.arch] ?? '';
  const lines = ask.split('\n').filter((line) => line.includes(kind));
  const names = new Set(lines.map((line) => line.trim().split(' ')[0]));
  return names.has('libc.so.6') ? names : undefined;
}

async function askLoader(command) {
  const { code, stdout } = await run(command, ['-p']);
  if (code !== 0) throw new Error(`${command} -p ended with ${code}`);
  return stdout;
}

async function hasFreshLists() {
  const names = await readdir(aptListsFolder).catch(() => []);
  const lists = names.filter((name) => /_Packages(\.\w+)?$/.test(name));
  const updatedAt = await stat(aptListsFolder).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return lists.length > 0 && Date.now() - updatedAt < freshListsMs;
}

/** Runs apt-get with progress; when it downloads and then unpacks, each is half of the way. */
async function apt(args, { env, progress }) {
  const hasSecondHalf = args[0] === 'install';
  let total = '';
  const onLine = (line) => {
    total = /^Need to get (.+) of archives/.exec(line)?.[1].replace(/^.*\//, '') ?? total;
  };
  const statusLine = (line) => {
    const [kind, , percent, text] = line.split(':');
    const share = Number(percent) / 100;
    const half = hasSecondHalf ? share / 2 : share;
    if (kind === 'dlstatus') progress.update(half, `downloading ${total}`.trim());
    if (kind === 'pmstatus') progress.update(0.5 + half, text ?? 'installing');
  };
  const options = ['-q', '-o', 'APT::Status-Fd=3', '-o', 'DPkg::Lock::Timeout=300'];
  const { code, lines } = await run('apt-get', [...options, ...args], {
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    onLine,
    statusLine,
  });
  progress.end();
  if (code === 0) return;
  throw new SetUpError(
    `apt-get ${args.join(' ')} ended with code ${code}:\n${tailOf(lines)}\n` +
      'Next: mend what apt-get names above (package sources, network, disk), then start again.',
  );
}
