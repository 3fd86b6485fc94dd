/** For `globalSetup` of vitest: a folder of the run, where programs are bundled once for all of its test files. */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty at first, beside a `node_modules` that is the project's. */
    readonly runFolder: string;
  }
}

/** Makes the folder and gives what removes it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-test-run-'));
  // What has a native part is not bundled; it is found where it is installed.
  await symlink(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
    'junction',
  );
  project.provide('runFolder', folder);
  // Sources may have changed since, when files are watched.
  project.onTestsRerun(() => rm(join(folder, 'programs'), { recursive: true, force: true }));
  return () => rm(folder, { recursive: true, force: true });
}
