import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownProjectRoot } from './files.mjs';
import { checkAppImageTools, offlineTestArgs, topOfAsar, wantedFuses } from './package.mjs';
import { makeTempFolder } from './test-folder.mjs';

const readConfig = () => readFile(join(ownProjectRoot, 'build', 'electron-builder.yml'), 'utf8');

it('an offline test says so in its name, and gives the stand-in on the command line', async () => {
  const args = offlineTestArgs({ dist: '/somewhere/electron', version: '33.2.1' });
  expect(args).toContain('--config.electronDist=/somewhere/electron');
  expect(args).toContain('--config.electronVersion=33.2.1');
  expect(args.find((arg) => arg.startsWith('--config.artifactName='))).toMatch(/-offline-test\.\$\{ext\}$/);
});

it('the committed config names no runtime, and switches no sandbox off', async () => {
  const config = await readConfig();
  expect(config).not.toMatch(/electronDist|electronVersion|offline-test:|^ +executableArgs: .*no-sandbox/m);
  expect(config).toMatch(/^ {2}executableArgs: \[\]$/m);
});

it('the config sets each fuse as it is expected in what was built', async () => {
  const config = await readConfig();
  for (const [name, isOn] of Object.entries(wantedFuses)) {
    expect(config).toMatch(new RegExp(`^ {2}${name[0].toLowerCase()}${name.slice(1)}: ${isOn}$`, 'm'));
  }
});

it('tools that are missing are named', async () => {
  await expect(checkAppImageTools(undefined)).rejects.toThrow('APPIMAGE_TOOLS_PATH');
  const folder = await makeTempFolder();
  await mkdir(join(folder, 'linux-x64'));
  await mkdir(join(folder, 'lib', 'x64'), { recursive: true });
  for (const file of ['linux-x64/mksquashfs', 'linux-x64/desktop-file-validate'])
    await writeFile(join(folder, file), '');
  await expect(checkAppImageTools(folder)).rejects.toThrow('has no runtime-x64');
  await writeFile(join(folder, 'runtime-x64'), '');
  await checkAppImageTools(folder);
});

it('reads the names at the top of an archive', async () => {
  const header = Buffer.from(
    JSON.stringify({ files: { src: { files: {} }, 'package.json': { size: 2, offset: '0' } } }),
  );
  const numbers = Buffer.alloc(16);
  for (const [at, value] of [4, header.length + 8, header.length + 4, header.length].entries()) {
    numbers.writeUInt32LE(value, at * 4);
  }
  const file = join(await makeTempFolder(), 'app.asar');
  await writeFile(file, Buffer.concat([numbers, header, Buffer.from('{}')]));
  expect(await topOfAsar(file)).toEqual(['package.json', 'src']);
});
