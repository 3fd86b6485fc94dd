/** Builds tests/support/fabric-writer.ts into a folder of its own, and runs it as a real process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** One run of the program. */
export interface FabricWriter {
  readonly process: ChildProcess;
  /** Resolves when it has told a first thing; never if it ends before. */
  readonly begun: Promise<void>;
  /** Resolves when it has ended and all that it told is read. */
  readonly ended: Promise<{
    readonly lines: readonly string[];
    readonly errors: string;
    readonly signal: string | null;
  }>;
}

export interface BuiltFabricWriter {
  start(...args: readonly string[]): FabricWriter;
  remove(): Promise<void>;
}

function run(program: string, args: readonly string[]): FabricWriter {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const told: Buffer[] = [];
  let errors = '';
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      told.push(chunk);
      resolve();
    });
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  const ended = new Promise<Awaited<FabricWriter['ended']>>((resolve) => {
    // The last line may be cut off by a kill: only whole ones count.
    child.on('close', (_code, signal) => {
      resolve({ lines: String(Buffer.concat(told)).split('\n').slice(0, -1), errors, signal });
    });
  });
  return { process: child, begun, ended };
}

export async function buildFabricWriter(): Promise<BuiltFabricWriter> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-fabric-writer-'));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  // What has a native part is not bundled; it is found where it is installed.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await build({
    ...{ configFile: false, logLevel: 'error', root },
    ssr: { noExternal: true, external: ['classic-level'] },
    build: {
      ...{ ssr: true, target: 'node20.18', outDir: folder, emptyOutDir: false },
      rollupOptions: {
        input: { writer: join(root, 'tests/support/fabric-writer.ts') },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return {
    start: (...args) => run(join(folder, 'writer.mjs'), args),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
