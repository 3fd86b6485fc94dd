/** A program that tells what it does, a line each thing, and may be killed at any moment. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface TellingProcess {
  readonly process: ChildProcess;
  /** Resolves when it has told so many lines; also if it ends before. */
  toldAtLeast(count: number): Promise<void>;
  /** Resolves when it has ended and all that it told is read: its whole lines, and how it ended. */
  readonly ended: Promise<{
    readonly lines: readonly string[];
    readonly errors: string;
    readonly signal: string | null;
  }>;
}

/** Starts it. */
export function startTelling(command: string, args: readonly string[]): TellingProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const told: Buffer[] = [];
  let errors = '';
  let isEnded = false;
  let lineCount = 0;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    told.push(chunk);
    lineCount += String(chunk).split('\n').length - 1;
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  const ended = new Promise<Awaited<TellingProcess['ended']>>((resolve) => {
    child.on('close', (_code, signal) => {
      isEnded = true;
      wake();
      // The last line may be cut off by a kill: only whole ones count.
      resolve({ lines: String(Buffer.concat(told)).split('\n').slice(0, -1), errors, signal });
    });
  });
  const toldAtLeast = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (lineCount < count && !isEnded) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { process: child, toldAtLeast, ended };
}
