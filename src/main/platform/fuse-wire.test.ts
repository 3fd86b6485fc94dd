import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { wantedFuses } from '../../../scripts/package.mjs';
import { fuseFile, releasedFuses, wrongFuses } from './fuse-wire.ts';

const folder = mkdtempSync(join(tmpdir(), 'vak-fuses-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const released = releasedFuses.map(([, isOn]) => (isOn ? '1' : '0')).join('');

function program(wire: string, before: number, version = 1): string {
  const file = join(folder, 'program');
  const head = Buffer.from([version, wire.length]);
  const after = Buffer.alloc(100, 'x');
  writeFileSync(
    file,
    Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(sentinel), head, Buffer.from(wire), after]),
  );
  return file;
}

test('the fuses that are wanted are those that a package is checked for', () => {
  expect(Object.fromEntries(releasedFuses)).toEqual(wantedFuses);
});

test('a wire is read wherever it stands, across the parts of reading too, and each wrong fuse is named', async () => {
  const mebibytes = 4 * 1024 * 1024;
  for (const before of [0, 1_000, mebibytes - 45, mebibytes - 33, mebibytes - 10, mebibytes - 1, mebibytes + 5])
    expect(await wrongFuses(program(released, before)), `${before}`).toEqual([]);
  for (const [at, [name, isOn]] of releasedFuses.entries()) {
    const wire = `${released.slice(0, at)}${isOn ? '0' : '1'}${released.slice(at + 1)}1`;
    expect(await wrongFuses(program(wire, 77))).toEqual([name]);
    // `r`: that Electron has taken the fuse away.
    expect(await wrongFuses(program(`${released.slice(0, at)}r${released.slice(at + 1)}`, 77))).toEqual([name]);
  }
});

test('without a wire, with a strange one or a cut-off one there is nothing to say', async () => {
  expect(await wrongFuses(program(released, 5, 2))).toBeNull();
  const file = join(folder, 'none');
  writeFileSync(file, 'x'.repeat(500));
  expect(await wrongFuses(file)).toBeNull();
  writeFileSync(file, `${'x'.repeat(500)}${sentinel}\u0001`);
  expect(await wrongFuses(file)).toBeNull();
  await expect(wrongFuses(join(folder, 'gone'))).rejects.toThrow('ENOENT');
});

test('on macOS the fuses stand in the framework', () => {
  expect(fuseFile('/opt/vak/vak', 'linux')).toBe('/opt/vak/vak');
  expect(fuseFile('/A.app/Contents/MacOS/A', 'darwin')).toBe(
    '/A.app/Contents/Frameworks/Electron Framework.framework/Electron Framework',
  );
});
