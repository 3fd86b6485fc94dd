// What must be true of build/electron-builder.yml, read and judged by electron-builder itself, without building.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownProjectRoot, readJson } from './files.mjs';
import { iconSizes } from './icon.mjs';
import { wantedFuses } from './package.mjs';

const fromBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
const { getConfig, validateConfiguration } = fromBuilder('app-builder-lib/out/util/config/config');

const readConfig = () => getConfig(ownProjectRoot, join('build', 'electron-builder.yml'), {});
const validate = (config) => validateConfiguration(config, { isEnabled: false });
const packageJson = await readJson(join(ownProjectRoot, 'package.json'));

/** Every value of a config that stands under a name, however deep. */
function valuesNamed(config, name) {
  if (config === null || typeof config !== 'object') return [];
  return Object.entries(config).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...valuesNamed(value, name),
  ]);
}

describe('the config of packages', () => {
  it('is one that electron-builder takes, for every platform', async () => {
    const config = await readConfig();
    await validate(config);
    for (const platform of ['mac', 'linux', 'appImage', 'deb'])
      await expect(
        validate({ ...config, [platform]: { ...config[platform], mistyped: true } }),
        platform,
      ).rejects.toThrow('Invalid configuration');
  });

  it('sets each fuse as it is expected in what was built, and no other', async () => {
    const { electronFuses } = await readConfig();
    const wanted = Object.entries(wantedFuses).map(([name, isOn]) => [
      `${name[0].toLowerCase()}${name.slice(1)}`,
      isOn,
    ]);
    expect(electronFuses).toEqual(Object.fromEntries(wanted));
  });

  it('packs what was built and what runs with it: one list for all platforms, and no sources in it', async () => {
    const config = await readConfig();
    expect(config.files).toHaveLength(1);
    const [{ filter, ...rest }] = config.files;
    expect(rest).toEqual({});
    const taken = filter.filter((pattern) => !pattern.startsWith('!'));
    expect(taken).toEqual(['package.json', 'out/{main,peers,chunks,preload,renderer}/**']);
    const metainfo = 'vak-workbench.metainfo.xml';
    const metadata = [{ from: `build/linux/${metainfo}`, to: `usr/share/metainfo/${metainfo}` }];
    expect(valuesNamed(config, 'extraFiles')).toEqual([metadata]);
    const notices = 'THIRD-PARTY-NOTICES.txt';
    const texts = [{ filter: ['LICENSE'] }, { from: `out/notices/${notices}`, to: notices }];
    expect(valuesNamed(config, 'extraResources')).toEqual([texts]);
    expect(valuesNamed(config, 'files')).toHaveLength(1);
    expect(config.asar).toBe(true);
  });

  it('tells software centres of the version that is built, and of all that the desktop entry opens', async () => {
    const config = await readConfig();
    const metainfo = await readFile(join(ownProjectRoot, 'build', 'linux', 'vak-workbench.metainfo.xml'), 'utf8');
    expect(metainfo).toContain(`<release version="${packageJson.version}"`);
    const opened = [
      ...config.protocols.flatMap(({ schemes }) => schemes.map((scheme) => `x-scheme-handler/${scheme}`)),
      ...config.fileAssociations.map(({ mimeType }) => mimeType),
    ];
    expect([...metainfo.matchAll(/<mediatype>(.*)<\/mediatype>/g)].map(([, type]) => type)).toEqual(opened);
    expect(config.fileAssociations.map(({ ext }) => ext)).toEqual(['vakbundle', 'creds']);
  });

  it('never switches the sandbox off', async () => {
    const config = await readConfig();
    expect(JSON.stringify(config)).not.toContain('sandbox');
    // With the older toolset, or without this list, electron-builder would add the switch to the desktop entry.
    expect(config.appImage.executableArgs).toEqual([]);
    expect(config.toolsets.appimage).not.toBe('0.0.0');
  });

  it('ships the Electron that package.json pins', async () => {
    const config = await readConfig();
    for (const name of ['electronVersion', 'electronDist', 'electronDownload'])
      expect(valuesNamed(config, name)).toEqual([]);
    expect(packageJson.devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
    const lock = await readJson(join(ownProjectRoot, 'package-lock.json'));
    expect(lock.packages['node_modules/electron'].version).toBe(packageJson.devDependencies.electron);
  });

  it('lets a Mac load nothing in clear, and names the oldest system', async () => {
    const { mac } = await readConfig();
    expect(mac.extendInfo.NSAppTransportSecurity).toEqual({ NSAllowsArbitraryLoads: false });
    expect(mac.minimumSystemVersion).toBe('13.0');
    expect(mac.hardenedRuntime).toBe(true);
  });

  it('publishes nothing', async () => {
    expect((await readConfig()).publish).toBeNull();
  });
});

describe('what a desktop shows of the app', () => {
  it('its windows find their desktop entry, which says the name that people know', async () => {
    const { linux } = await readConfig();
    // Electron names windows by desktopName; so is the entry, and so its StartupWMClass.
    expect(packageJson.desktopName).toBe(`${linux.executableName}.desktop`);
    expect(linux.syncDesktopName).toBe(true);
    expect(linux.desktop.entry).toEqual({ Name: packageJson.productName });
    expect(linux.category).toBe('Development');
  });

  it('has what a .deb cannot be made without', () => {
    expect(packageJson.author).toMatch(/^\S.* <\S+@\S+>$/);
    expect(packageJson.homepage).toMatch(/^https:/);
  });

  it('the icon is there in every size that is asked for', async () => {
    const config = await readConfig();
    expect([config.linux.icon, config.mac.icon]).toEqual(['build/icons', 'build/icon.png']);
    for (const [file, size] of Object.entries(iconSizes)) {
      const bytes = await readFile(join(ownProjectRoot, file));
      expect(bytes.subarray(1, 4).toString('latin1'), file).toBe('PNG');
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], file).toEqual([size, size]);
    }
  });
});
