import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asarEntries, builderArgs, offlineTestArgs, readOfflineTargets } from './package.mjs';
import { makeTempFolder } from './test-folder.mjs';

it('an offline test says so in its name, and gives the stand-in on the command line', async () => {
  const args = offlineTestArgs({ dist: '/somewhere/electron', version: '33.2.1', targets: ['deb', 'AppImage'] });
  expect(args.slice(0, 3)).toEqual(['--linux', 'deb', 'AppImage']);
  expect(args).toContain('--config.electronDist=/somewhere/electron');
  expect(args).toContain('--config.electronVersion=33.2.1');
  expect(args.find((arg) => arg.startsWith('--config.artifactName='))).toMatch(/-offline-test\.\$\{ext\}$/);
});

it('an offline test makes all three, or what of them is named', () => {
  expect(readOfflineTargets([])).toEqual(['AppImage', 'deb', 'tar.gz']);
  expect(readOfflineTargets(['deb', 'tar.gz'])).toEqual(['deb', 'tar.gz']);
  expect(() => readOfflineTargets(['deb', 'rpm'])).toThrow('not rpm');
});

it('on Linux the app is installed where its setuid sandbox can be started from: a path without a space', () => {
  const nameOf = (args) => args.find((arg) => arg.startsWith('--config.productName='))?.split('=')[1];
  expect(nameOf(builderArgs([], 'linux'))).toMatch(/^\S+$/);
  expect(nameOf(builderArgs(['--linux', 'deb'], 'darwin'))).toMatch(/^\S+$/);
  // The name of the bundle, and of what the keychain holds for it, is the one that people know.
  expect(nameOf(builderArgs([], 'darwin'))).toBeUndefined();
  expect(nameOf(builderArgs(['--mac'], 'linux'))).toBeUndefined();
  expect(() => builderArgs(['--mac', '--linux'], 'darwin')).toThrow('named differently');
});

it('nothing is published, whatever else is asked for', () => {
  expect(builderArgs(['--linux', 'deb']).slice(0, 2)).toEqual(['--publish', 'never']);
});

it('reads the files of an archive', async () => {
  const header = Buffer.from(
    JSON.stringify({
      files: { out: { files: { a: { files: { 'b.js': { size: 7 } } } } }, 'package.json': { size: 2, offset: '0' } },
    }),
  );
  const numbers = Buffer.alloc(16);
  for (const [at, value] of [4, header.length + 8, header.length + 4, header.length].entries()) {
    numbers.writeUInt32LE(value, at * 4);
  }
  const file = join(await makeTempFolder(), 'app.asar');
  await writeFile(file, Buffer.concat([numbers, header, Buffer.from('{}')]));
  expect(await asarEntries(file)).toEqual([
    { path: 'out/a/b.js', size: 7 },
    { path: 'package.json', size: 2 },
  ]);
});
