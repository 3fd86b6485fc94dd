import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findEnduranceTests } from './endurance.mjs';
import { makeTempFolder } from './test-folder.mjs';

it('finds the tests that have a size for endurance, and nothing else', async () => {
  const projectRoot = await makeTempFolder();
  const knows = "const count = process.env['VAK_ENDURANCE'] === '1' ? 9 : 1;";
  for (const [name, text] of [
    ['src/a/b/long.test.ts', knows],
    ['tests/long.test.tsx', knows],
    ['src/a/short.test.ts', 'it("VAK_ENDURANCE")'],
    ['src/a/long.ts', knows],
  ]) {
    await mkdir(join(projectRoot, name, '..'), { recursive: true });
    await writeFile(join(projectRoot, name), text);
  }
  expect(await findEnduranceTests(projectRoot)).toEqual([
    join('src', 'a', 'b', 'long.test.ts'),
    join('tests', 'long.test.tsx'),
  ]);
});

it('finds the fuzz and kill tests of the key store', async () => {
  const found = await findEnduranceTests();
  for (const name of ['key-store-fuzz', 'key-store-processes', 'settings-file'])
    expect(found.filter((file) => file.includes(name))).toHaveLength(1);
});
