import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFindOnPath } from './find-on-path.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vak-path-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('finds the first program of that name that may be run; a folder, a plain file and a relative place are none', async () => {
  for (const folder of ['a', 'b', 'c', 'd']) mkdirSync(join(root, folder));
  mkdirSync(join(root, 'a', 'tool-x'));
  writeFileSync(join(root, 'b', 'tool-x'), '', { mode: 0o644 });
  writeFileSync(join(root, 'c', 'tool-x'), '');
  chmodSync(join(root, 'c', 'tool-x'), 0o755);
  writeFileSync(join(root, 'd', 'tool-x'), '');
  chmodSync(join(root, 'd', 'tool-x'), 0o755);
  const path = ['.', 'relative', ...['a', 'b', 'c', 'd'].map((folder) => join(root, folder))].join(delimiter);
  expect(await createFindOnPath(path)('tool-x')).toBe(join(root, 'c', 'tool-x'));
  expect(await createFindOnPath('')('tool-x')).toBeUndefined();
});
