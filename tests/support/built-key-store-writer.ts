/** Builds tests/support/key-store-writer.ts into a folder of its own, and runs it as a real process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** One run of the program. */
export interface KeyStoreWriter {
  readonly process: ChildProcess;
  /** Resolves with the first serial that it has told; never if it ends before. */
  readonly firstSerial: Promise<number>;
  /** Resolves when it has ended and all that it told is read: every serial, and how it ended. */
  readonly ended: Promise<{
    readonly serials: readonly number[];
    readonly errors: string;
    readonly signal: string | null;
  }>;
}

export interface BuiltKeyStoreWriter {
  /** Starts it on a store; it stops by itself after `count` changes, if that is given. */
  start(file: string, count?: number): KeyStoreWriter;
  remove(): Promise<void>;
}

function run(program: string, args: readonly string[]): KeyStoreWriter {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  let errors = '';
  // The last line may be cut off by a kill: only whole ones count.
  const serials = (): number[] => told.split('\n').slice(0, -1).map(Number);
  const firstSerial = new Promise<number>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      told += String(chunk);
      const [first] = serials();
      if (first !== undefined) resolve(first);
    });
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  const ended = new Promise<Awaited<KeyStoreWriter['ended']>>((resolve) => {
    child.on('close', (_code, signal) => resolve({ serials: serials(), errors, signal }));
  });
  return { process: child, firstSerial, ended };
}

export async function buildKeyStoreWriter(): Promise<BuiltKeyStoreWriter> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-writer-'));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  await build({
    ...{ configFile: false, logLevel: 'error', root },
    ssr: { noExternal: true },
    build: {
      ...{ ssr: true, target: 'node20.18', outDir: folder, emptyOutDir: false },
      rollupOptions: {
        input: { writer: join(root, 'tests/support/key-store-writer.ts') },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return {
    start: (file, count) => run(join(folder, 'writer.mjs'), [file, ...(count === undefined ? [] : [String(count)])]),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
