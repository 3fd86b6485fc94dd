/** The programs that tests start as real processes: bundled once a run of vitest, by the first test file that asks. */
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { inject } from 'vitest';
import { cheapPassphrases } from './cheap-passphrase-cost.ts';

const sources = {
  worker: 'src/peers/worker.ts',
  vak: 'src/peers/vak.ts',
  swarmParent: 'tests/support/swarm-parent.ts',
  fabricWriter: 'tests/support/fabric-writer.ts',
  journalWriter: 'tests/support/journal-writer.ts',
  keyStoreWriter: 'tests/support/key-store-writer.ts',
  managedOwner: 'tests/support/managed-owner.ts',
} as const;

/** Path of each bundled program; Node runs it. */
export type TestPrograms = Readonly<Record<keyof typeof sources, string>>;

async function bundle(folder: string): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/.$/, '');
  const input = Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, join(root, path)]));
  await build({
    ...{ configFile: false, logLevel: 'error', root },
    resolve: { alias: [cheapPassphrases(root)] },
    ssr: { noExternal: true, external: ['classic-level'] },
    build: {
      ...{ ssr: true, target: 'node20.18', outDir: folder, emptyOutDir: false },
      rollupOptions: { input, output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  });
}

/** Bundles them, unless another test file of this run has. The run removes them when it ends. */
export async function buildTestPrograms(): Promise<TestPrograms> {
  const runFolder = inject('runFolder');
  const folder = join(runFolder, 'programs');
  if (!existsSync(folder)) {
    const own = await mkdtemp(join(runFolder, 'bundle-'));
    await bundle(own);
    try {
      // Whole or not at all: two test files may be at it.
      await rename(own, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      await rm(own, { recursive: true });
    }
  }
  const paths = Object.keys(sources).map((name) => [name, join(folder, `${name}.mjs`)]);
  return Object.fromEntries(paths) as TestPrograms;
}
