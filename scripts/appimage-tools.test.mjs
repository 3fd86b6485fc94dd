import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareAppImageTools, runtimeRecipe } from './appimage-tools.mjs';
import { run } from './child-process.mjs';
import { hashFile } from './files.mjs';
import { makeTempFolder } from './test-folder.mjs';

/** A source package whose AppImage is `bytes`, and the recipe for it. */
async function makeSource(bytes) {
  const folder = await makeTempFolder();
  const member = join(folder, runtimeRecipe.member);
  await mkdir(join(member, '..'), { recursive: true });
  await writeFile(member, bytes);
  const runtime = join(folder, 'runtime');
  await writeFile(runtime, bytes.subarray(0, 100));
  const tarball = join(folder, 'sources.orig.tar.gz');
  await run('tar', ['-czf', tarball, '-C', folder, runtimeRecipe.member]);
  const [tarballSha256, runtimeSha256] = [
    await hashFile(tarball, 'sha256', 'hex'),
    await hashFile(runtime, 'sha256', 'hex'),
  ];
  return { tarball, recipe: { ...runtimeRecipe, runtimeBytes: 100, tarballSha256, runtimeSha256 } };
}

it('makes the folder once, whole or not at all', async () => {
  const { tarball, recipe } = await makeSource(Buffer.alloc(5000, 7));
  const cacheRoot = await makeTempFolder();
  let fetched = 0;
  const fetchSource = async () => {
    fetched += 1;
    return tarball;
  };
  const folders = await Promise.all([1, 2].map(() => prepareAppImageTools({ cacheRoot, recipe, fetchSource })));
  expect([fetched, folders[0]]).toEqual([1, folders[1]]);
  expect(await readFile(join(folders[0], 'runtime-x64'))).toEqual(Buffer.alloc(100, 7));
  expect(await readlink(join(folders[0], 'linux-x64', 'mksquashfs'))).toBe('/usr/bin/mksquashfs');
  expect(await readdir(join(folders[0], 'lib'))).toEqual(['x64']);
});

it('takes no other bytes than the pinned ones, of the sources and of the runtime', async () => {
  const { tarball, recipe } = await makeSource(Buffer.alloc(5000, 7));
  const cacheRoot = await makeTempFolder();
  for (const name of ['tarballSha256', 'runtimeSha256']) {
    const asked = { cacheRoot, recipe: { ...recipe, [name]: '0'.repeat(64) }, fetchSource: async () => tarball };
    await expect(prepareAppImageTools(asked), name).rejects.toThrow('is not the pinned one');
  }
  expect((await readdir(cacheRoot)).filter((name) => !name.endsWith('.lock'))).toEqual([]);
});
