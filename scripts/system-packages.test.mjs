import { describe, expect, it } from 'vitest';
import { ensureSystemPackages, findMissing } from './system-packages.mjs';
import { makeTempFolder } from './test-folder.mjs';

const allLibraries = [
  ...['libgtk-3.so.0', 'libnss3.so', 'libasound.so.2', 'libgbm.so.1'],
  ...['libXss.so.1', 'libXtst.so.6', 'libnotify.so.4', 'libsecret-1.so.0'],
];

/** A machine that has the given libraries and commands; what is installed is noted and then there. */
function makeMachine({
  libraries = allLibraries,
  commands = [],
  isRoot = true,
  isDebian = true,
  known = [],
  fresh = true,
}) {
  const done = [];
  const present = { libraries: libraries && new Set(libraries), commands: new Set(commands) };
  return {
    done,
    isDebian: async () => isDebian,
    canInstall: async () => isRoot && isDebian,
    libraries: async () => present.libraries,
    hasCommand: async (name) => present.commands.has(name),
    knowsPackage: async (name) => known.includes(name),
    hasFreshLists: async () => fresh,
    updateLists: async () => done.push('update'),
    install: async (names) => {
      done.push(names.join(' '));
      present.libraries = new Set(allLibraries);
      for (const name of [...names, 'Xvfb', 'xvfb-run']) present.commands.add(name);
    },
  };
}

const without = (...names) => allLibraries.filter((name) => !names.includes(name));

describe('ensureSystemPackages', () => {
  it('does nothing where nothing is missing', async () => {
    const machine = makeMachine({ commands: ['Xvfb', 'xvfb-run', 'xauth', 'nats-server', 'openssl'] });
    expect(await ensureSystemPackages(['libraries', 'display', 'servers'], { machine })).toBe(false);
    expect(machine.done).toEqual([]);
  });

  it('installs for root what is missing, each package once, the lists first where they are missing', async () => {
    const cacheRoot = await makeTempFolder();
    const machine = makeMachine({ libraries: without('libgtk-3.so.0', 'libnss3.so'), fresh: false });
    expect(await ensureSystemPackages(['libraries', 'display', 'servers'], { cacheRoot, machine })).toBe(true);
    expect(machine.done).toEqual(['update', 'libgtk-3-0 libnss3 xvfb xauth nats-server openssl']);
    expect(await ensureSystemPackages(['libraries', 'display', 'servers'], { cacheRoot, machine })).toBe(false);
  });

  it('takes the t64 name where the system knows it', async () => {
    const cacheRoot = await makeTempFolder();
    const missing = without('libgtk-3.so.0', 'libasound.so.2', 'libXtst.so.6');
    const machine = makeMachine({ libraries: missing, known: ['libgtk-3-0t64', 'libasound2t64'] });
    await ensureSystemPackages(['libraries'], { cacheRoot, machine });
    expect(machine.done).toEqual(['libgtk-3-0t64 libasound2t64 libxtst6']);
  });

  it('tells everybody else the one command to type', async () => {
    const machine = makeMachine({ isRoot: false, libraries: without('libgbm.so.1') });
    const attempt = ensureSystemPackages(['libraries', 'display'], { machine });
    await expect(attempt).rejects.toThrow(
      'Next: sudo apt-get update && sudo apt-get install -y --no-install-recommends libgbm1 xvfb xauth',
    );
    expect(machine.done).toEqual([]);
  });

  it('the tests need a server to run against: without one they do not begin', async () => {
    const attempt = ensureSystemPackages(['servers'], { machine: makeMachine({ isRoot: false }) });
    await expect(attempt).rejects.toThrow('apt-get install -y --no-install-recommends nats-server openssl');
  });

  it('a failed installation is an error', async () => {
    const machine = makeMachine({ libraries: without('libnss3.so') });
    machine.install = () => Promise.reject(new Error('disk full'));
    const attempt = ensureSystemPackages(['libraries'], { cacheRoot: await makeTempFolder(), machine });
    await expect(attempt).rejects.toThrow('disk full');
  });
});

describe('findMissing', () => {
  it('does not judge libraries where the loader cannot be asked', async () => {
    const machine = makeMachine({});
    machine.libraries = async () => undefined;
    expect(await findMissing(['libraries'], machine)).toEqual([]);
  });
});
