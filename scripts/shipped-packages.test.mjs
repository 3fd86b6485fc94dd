import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownProjectRoot, readJson } from './files.mjs';
import { shippedPackages, thirdPartyNotices } from './shipped-packages.mjs';
import { makeTempFolder } from './test-folder.mjs';

async function place(root, path, { name, version = '1.0.0', license = 'MIT', dependencies }, texts = {}) {
  const folder = join(root, ...path.flatMap((one) => ['node_modules', one]));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, license, dependencies }));
  for (const [file, text] of Object.entries(texts)) await writeFile(join(folder, file), text);
}

it('finds what packages need as Node finds it: nearest first, each once, in a circle too', async () => {
  const root = await makeTempFolder();
  await place(root, ['a'], { name: 'a', dependencies: { b: '1', c: '1' } });
  await place(root, ['b'], { name: 'b', version: '1.0.0', dependencies: { a: '1' } });
  await place(root, ['c'], { name: 'c', dependencies: { b: '2' } });
  await place(root, ['c', 'b'], { name: 'b', version: '2.0.0' });
  const found = await shippedPackages(root, ['a']);
  expect(found.map(({ name, version }) => `${name} ${version}`)).toEqual(['a 1.0.0', 'b 1.0.0', 'b 2.0.0', 'c 1.0.0']);
  await expect(shippedPackages(root, ['a', 'gone'])).rejects.toThrow('the package gone is not installed');
});

it('notices name each package and hold each text once', async () => {
  const root = await makeTempFolder();
  await place(root, ['a'], { name: 'a', dependencies: { b: '1' } }, { 'LICENSE.md': 'the same text', NOTICE: 'of a' });
  await place(root, ['b'], { name: 'b', license: 'ISC' }, { LICENCE: 'the same text' });
  await place(root, ['c'], { name: 'c', license: 'BSD' });
  await place(root, ['d'], { name: 'd' }, { license: 'the same text' });
  const notices = await thirdPartyNotices(await shippedPackages(root, ['a', 'c', 'd']));
  expect(notices.match(/the same text/g)).toHaveLength(2);
  expect(notices).toMatch(/^b 1\.0\.0: ISC$/m);
  expect(notices).toMatch(/^b 1\.0\.0, d 1\.0\.0$/m);
  expect(notices).toContain('(c brings no text; its package.json says: BSD)');
});

it('each package that ships names its licence', async () => {
  const { dependencies } = await readJson(join(ownProjectRoot, 'package.json'));
  const packages = await shippedPackages(ownProjectRoot, Object.keys(dependencies));
  expect(packages.filter(({ licence }) => licence === 'not named')).toEqual([]);
  // Permissive ones alone: another is looked at first.
  const known = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|OFL-1\.1|0BSD|Unlicense|\(?MIT OR Apache-2\.0\)?)$/;
  expect(
    packages.filter(({ licence }) => !known.test(licence)).map(({ name, licence }) => `${name} ${licence}`),
  ).toEqual([]);
});
