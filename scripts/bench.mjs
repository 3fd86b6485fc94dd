// `npm run bench [-- P1 … --rounds=N --gate]`: set-up, then P1–P4 and P12 beside their peers on plain Node and P14 with the built app; a table,
// and all figures as JSON. The program is bundled anew each time, into a folder inside node_modules, where it finds its packages; the
// folder goes after.
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { needsVirtualDisplay, runInForeground } from './foreground.mjs';
import { runMain, SetUpError } from './report.mjs';
import { setUp } from './set-up.mjs';

const known = /^(P[1-4]|P12|P14|--rounds=\d{1,3}|--gate)$/i;

/** Whether what is asked for opens a window: P14 by its name, or as one of all. */
export function needsWindow(args) {
  const plans = args.filter((arg) => /^P\d/i.test(arg));
  return plans.length === 0 || plans.some((plan) => plan.toUpperCase() === 'P14');
}

/** Scripts find the project by where they lie: they are imported from there. */
const scriptsStay = {
  name: 'scripts-stay',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === undefined || !/\/scripts\/[a-z-]+\.mjs$/.test(id)) return undefined;
    return { id: pathToFileURL(resolve(dirname(importer), id)).href, external: true };
  },
};

/**
 * Bundles `bench/bench.ts` and the load's program into a folder; gives the file to run. Packages stay outside: they are measured as they
 * ship.
 */
export async function bundleBench(folder, projectRoot = ownProjectRoot) {
  const { build } = await import('vite');
  const entry = (name) => join(projectRoot, 'bench', `${name}.ts`);
  await build({
    configFile: false,
    logLevel: 'error',
    root: projectRoot,
    plugins: [scriptsStay],
    build: {
      ssr: true,
      target: 'node20.18',
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: {
        input: { bench: entry('bench'), 'load-program': entry('load-program') },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  return join(folder, 'bench.mjs');
}

async function runBench(args) {
  const unknown = args.find((arg) => !known.test(arg));
  if (unknown)
    throw new SetUpError(
      `${unknown} is unknown here.\nNext: npm run bench -- [P1 P2 P3 P4 P12 P14] [--rounds=N] [--gate]`,
    );
  const isWindowed = needsWindow(args);
  await setUp({ need: isWindowed ? 'test' : 'unit' });
  if (isWindowed) await ensureBuilt();
  const folder = join(ownProjectRoot, 'node_modules', '.cache', `vak-bench-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    const program = await bundleBench(folder);
    return await runInForeground({
      command: process.execPath,
      args: ['--expose-gc', program, ...args],
      cwd: ownProjectRoot,
      isVirtual: isWindowed && needsVirtualDisplay(),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (isStartedScript(import.meta.url)) await runMain(() => runBench(process.argv.slice(2)));
