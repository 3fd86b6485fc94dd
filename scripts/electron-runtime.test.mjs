import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder, findElectron } from './electron-runtime.mjs';
import { SetUpError } from './report.mjs';
import { makeTempFolder } from './test-folder.mjs';

/** A project that wants Electron 45.5.0, and steps that note that they were called. */
async function makeWorld({ official = { unreachable: 'fetch failed' } } = {}) {
  const projectRoot = await makeTempFolder();
  const packageFolder = join(projectRoot, 'node_modules', 'electron');
  await mkdir(packageFolder, { recursive: true });
  await writeFile(join(packageFolder, 'package.json'), '{"version":"45.5.0"}');
  const called = [];
  const said = [];
  const steps = {
    installOfficial: async () => {
      called.push('official');
      if (official instanceof Error) throw official;
      return official;
    },
    prepareFallback: async () => {
      called.push('fallback');
      return '/cache/electron';
    },
  };
  const env = { XDG_CACHE_HOME: join(projectRoot, 'cache') };
  const report = (_step, text) => said.push(text);
  return { packageFolder, called, said, options: { projectRoot, env, platform: 'linux', arch: 'x64', steps, report } };
}

async function makeDist(folder, version) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'electron'), '');
  await chmod(join(folder, 'electron'), 0o755);
  if (version) await writeFile(join(folder, 'version'), version);
}

describe('findElectron', () => {
  it('takes the folder in ELECTRON_OVERRIDE_DIST_PATH before everything else', async () => {
    const { packageFolder, called, options } = await makeWorld();
    await makeDist(join(packageFolder, 'dist'), '45.5.0');
    const given = join(options.projectRoot, 'given');
    await makeDist(given, 'v40.1.0');
    const env = { ...options.env, ELECTRON_OVERRIDE_DIST_PATH: given };
    const found = await findElectron({ ...options, env });
    expect(found).toEqual({ executable: join(given, 'electron'), version: '40.1.0', origin: 'override' });
    expect(called).toEqual([]);
  });

  it.each(['missing', 'empty', 'folder', 'plain-file'])('stops at a %s override, it never skips it', async (kind) => {
    const { packageFolder, called, options } = await makeWorld();
    await makeDist(join(packageFolder, 'dist'), '45.5.0');
    await writeFile(join(packageFolder, 'path.txt'), 'electron');
    await mkdir(join(options.projectRoot, 'empty'));
    await makeDist(join(options.projectRoot, 'folder', 'electron'), undefined);
    await makeDist(join(options.projectRoot, 'plain-file'), undefined);
    await chmod(join(options.projectRoot, 'plain-file', 'electron'), 0o644);
    const env = { ...options.env, ELECTRON_OVERRIDE_DIST_PATH: join(options.projectRoot, kind) };
    await expect(findElectron({ ...options, env })).rejects.toThrow('is not a program that can be run');
    expect(called).toEqual([]);
  });

  it('then the installed one, if it has the wanted version', async () => {
    const { packageFolder, called, options } = await makeWorld();
    await makeDist(join(packageFolder, 'dist'), '45.5.0');
    await writeFile(join(packageFolder, 'path.txt'), 'electron');
    const executable = join(packageFolder, 'dist', 'electron');
    expect(await findElectron(options)).toEqual({ executable, version: '45.5.0', origin: 'installed' });
    expect(called).toEqual([]);
  });

  it('then the official download', async () => {
    const { called, options } = await makeWorld({ official: { executable: '/dist/electron' } });
    const found = await findElectron(options);
    expect(found).toEqual({ executable: '/dist/electron', version: '45.5.0', origin: 'official' });
    expect(called).toEqual(['official']);
  });

  it('then the stand-in, and one line says that it is older than what users get', async () => {
    const { called, said, options } = await makeWorld();
    const found = await findElectron(options);
    expect(found).toEqual({ executable: '/cache/electron', version: '33.2.1', origin: 'fallback' });
    expect(called).toEqual(['official', 'fallback']);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('older than the 45.5.0 that users get');
  });

  it.each([
    ['darwin', 'arm64'],
    ['linux', 'arm64'],
    ['win32', 'x64'],
  ])('has no stand-in on %s %s: says what to do', async (platform, arch) => {
    const { called, options } = await makeWorld();
    await expect(findElectron({ ...options, platform, arch })).rejects.toThrow('there is no stand-in.\nNext:');
    expect(called).toEqual(['official']);
  });

  it('never falls back when the official download fails otherwise than by the network', async () => {
    const { called, options } = await makeWorld({ official: new SetUpError('its checksum is not the published one') });
    await expect(findElectron(options)).rejects.toThrow('checksum');
    expect(called).toEqual(['official']);
  });

  it('names the missing packages when electron is not installed', async () => {
    const { options } = await makeWorld();
    const projectRoot = join(options.projectRoot, 'elsewhere');
    await expect(findElectron({ ...options, projectRoot })).rejects.toThrow('Next: run npm ci');
  });
});

describe('cacheFolder', () => {
  it('follows XDG_CACHE_HOME when it is an absolute path', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/vak-workbench');
    expect(cacheFolder({ XDG_CACHE_HOME: 'x' })).toBe(cacheFolder({}));
  });
});
