// `npm run bench [-- P1 … --rounds=N --gate]`: set-up, then P1–P4 beside their peers, on plain Node; a table, and all figures as JSON.
// The program is bundled anew each time, into a folder inside node_modules, where it finds its packages; the folder goes after.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { runInForeground } from './foreground.mjs';
import { runMain, SetUpError } from './report.mjs';
import { setUp } from './set-up.mjs';

/** Bundles `bench/bench.ts` into a folder; gives the file to run. Packages stay outside: they are measured as they ship. */
export async function bundleBench(folder, projectRoot = ownProjectRoot) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    logLevel: 'error',
    root: projectRoot,
    build: {
      ssr: true,
      target: 'node20.18',
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: {
        input: { bench: join(projectRoot, 'bench', 'bench.ts') },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return join(folder, 'bench.mjs');
}

async function runBench(args) {
  const unknown = args.find((arg) => !/^(P[1-4]|--rounds=\d{1,3}|--gate)$/i.test(arg));
  if (unknown)
    throw new SetUpError(`${unknown} is unknown here.\nNext: npm run bench -- [P1 P2 P3 P4] [--rounds=N] [--gate]`);
  await setUp({ need: 'unit' });
  const folder = join(ownProjectRoot, 'node_modules', '.cache', `vak-bench-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    const program = await bundleBench(folder);
    return await runInForeground({
      command: process.execPath,
      args: ['--expose-gc', program, ...args],
      cwd: ownProjectRoot,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (isStartedScript(import.meta.url)) await runMain(() => runBench(process.argv.slice(2)));
