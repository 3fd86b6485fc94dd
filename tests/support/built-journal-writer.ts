/** Builds tests/support/journal-writer.ts into a folder of its own, and runs it as a real process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** One run of the program. */
export interface JournalWriter {
  readonly process: ChildProcess;
  /** Resolves when it has told so many lines; also if it ends before. */
  toldAtLeast(count: number): Promise<void>;
  /** Resolves when it has ended: its whole lines, and how it ended. */
  readonly ended: Promise<{
    readonly lines: readonly string[];
    readonly errors: string;
    readonly signal: string | null;
  }>;
}

export interface JournalWriterOptions {
  readonly folder: string;
  readonly durability: 'written' | 'fsynced';
  /** Commits under way at a time. */
  readonly window: number;
  /** Of a value. */
  readonly bytes?: number;
  /** No file that it writes may become longer, KiB. */
  readonly fileLimitKib?: number;
}

export interface BuiltJournalWriter {
  start(options: JournalWriterOptions): JournalWriter;
  remove(): Promise<void>;
}

function run(command: string, args: readonly string[]): JournalWriter {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  let errors = '';
  let isEnded = false;
  let lineCount = 0;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    told += String(chunk);
    lineCount += String(chunk).split('\n').length - 1;
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  const ended = new Promise<Awaited<JournalWriter['ended']>>((resolve) => {
    child.on('close', (_code, signal) => {
      isEnded = true;
      wake();
      // The last line may be cut off by a kill: only whole ones count.
      resolve({ lines: told.split('\n').slice(0, -1), errors, signal });
    });
  });
  return {
    ...{ process: child, ended },
    toldAtLeast: (count) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (lineCount < count && !isEnded) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

export async function buildJournalWriter(): Promise<BuiltJournalWriter> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  // Inside the tree: the program finds `classic-level`, whose binary cannot be bundled, as any file there does.
  const folder = join(root, 'node_modules/.cache', `vak-journal-writer-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await build({
    ...{ configFile: false, logLevel: 'error', root },
    ssr: { noExternal: true, external: ['classic-level'] },
    build: {
      ...{ ssr: true, target: 'node20.18', outDir: folder, emptyOutDir: false },
      rollupOptions: {
        input: { writer: join(root, 'tests/support/journal-writer.ts') },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return {
    start({ folder: store, durability, window, bytes = 300, fileLimitKib }) {
      const args = [join(folder, 'writer.mjs'), store, durability, String(window), String(bytes)];
      if (fileLimitKib === undefined) return run(process.execPath, args);
      // POSIX counts this limit in half KiB, bash in whole ones.
      const limited = 'ulimit -f "$0" && exec "$@"';
      return run('/bin/sh', ['-c', limited, String(fileLimitKib * 2), process.execPath, ...args]);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
