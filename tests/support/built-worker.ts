/** Builds the programs that tests start as real processes: once a test file, in a folder of its own. */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface BuiltPrograms {
  /** src/peers/worker.ts. */
  readonly worker: string;
  /** src/peers/vak.ts. */
  readonly vak: string;
  /** tests/support/swarm-parent.ts. */
  readonly parent: string;
  remove(): Promise<void>;
}

/** Bundles the peers and a parent for the worker, with everything that they need. */
export async function buildPrograms(): Promise<BuiltPrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-programs-'));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  // What has a native part is not bundled; it is found where it is installed.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await build({
    ...{ configFile: false, logLevel: 'error', root },
    ssr: { noExternal: true, external: ['classic-level'] },
    build: {
      ...{ ssr: true, target: 'node20.18', outDir: folder, emptyOutDir: false },
      rollupOptions: {
        input: {
          worker: join(root, 'src/peers/worker.ts'),
          vak: join(root, 'src/peers/vak.ts'),
          parent: join(root, 'tests/support/swarm-parent.ts'),
        },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  return {
    worker: join(folder, 'worker.mjs'),
    vak: join(folder, 'vak.mjs'),
    parent: join(folder, 'parent.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
