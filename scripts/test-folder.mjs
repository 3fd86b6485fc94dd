// A temporary folder for one test of these scripts, gone when the test is over.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function makeTempFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'vak-scripts-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
