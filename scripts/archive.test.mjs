import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extractTarMember, extractZip } from './archive.mjs';
import { makeTarball, makeZip } from './test-archives.mjs';
import { makeTempFolder } from './test-folder.mjs';

async function writeTemp(name, bytes) {
  const folder = await makeTempFolder();
  const file = join(folder, name);
  await writeFile(file, bytes);
  return { folder, file };
}

describe('extractTarMember', () => {
  it('writes the one member that is asked for, whatever its size', async () => {
    for (const sizeBytes of [1, 511, 512, 513, 200_001]) {
      const wanted = randomBytes(sizeBytes);
      const members = { 'package/a': randomBytes(70_001), 'package/b': wanted, 'package/c': randomBytes(3) };
      const { folder, file } = await writeTemp('x.tgz', makeTarball(members));
      await extractTarMember(file, 'package/b', join(folder, 'b'));
      expect(wanted.equals(await readFile(join(folder, 'b')))).toBe(true);
    }
  });

  it('refuses an archive without the member', async () => {
    const { folder, file } = await writeTemp('x.tgz', makeTarball({ a: Buffer.from('a') }));
    await expect(extractTarMember(file, 'b', join(folder, 'b'))).rejects.toThrow('holds no b');
  });

  it('refuses an archive that was cut off', async () => {
    const whole = makeTarball({ a: randomBytes(100_000) });
    const { folder, file } = await writeTemp('x.tgz', whole.subarray(0, 50_000));
    await expect(extractTarMember(file, 'a', join(folder, 'a'))).rejects.toThrow();
  });
});

describe('extractZip', () => {
  it('extracts the placed members, packed, stored and empty ones, with their modes', async () => {
    const members = { 'd/packed': Buffer.alloc(90_000, 'x'), 'd/stored': randomBytes(900), 'd/empty': Buffer.alloc(0) };
    const zip = makeZip({ 'd/': Buffer.alloc(0), ...members, 'other/no': Buffer.from('no') }, { stored: ['d/stored'] });
    const { folder, file } = await writeTemp('x.zip', zip);
    const shares = [];
    const count = await extractZip(file, join(folder, 'out'), {
      place: (name) => (name.startsWith('d/') ? `new/${name.slice(2)}` : undefined),
      onProgress: (done, total) => shares.push(done / total),
    });
    expect(count).toBe(3);
    expect(shares.at(-1)).toBe(1);
    expect(await readdir(join(folder, 'out'))).toEqual(['new']);
    for (const [name, bytes] of Object.entries(members)) {
      expect(bytes.equals(await readFile(join(folder, 'out', 'new', name.slice(2))))).toBe(true);
    }
    expect((await stat(join(folder, 'out', 'new', 'packed'))).mode & 0o777).toBe(0o755);
  });

  it('refuses a name that leaves the folder', async () => {
    const { folder, file } = await writeTemp('x.zip', makeZip({ '../evil': Buffer.from('x') }));
    await expect(extractZip(file, join(folder, 'out'), { place: (name) => name })).rejects.toThrow(
      'outside its folder',
    );
    expect(await readdir(folder)).toEqual(['x.zip']);
  });

  it('refuses a zip file that was cut off', async () => {
    const zip = makeZip({ a: randomBytes(5_000) });
    const { folder, file } = await writeTemp('x.zip', zip.subarray(0, 4_000));
    await expect(extractZip(file, join(folder, 'out'), { place: (name) => name })).rejects.toThrow(
      'not a whole zip file',
    );
  });
});
