/** The worker by hand at its console: messages on stdout, one a line, and whoever ends it from there. */
import type { SessionOutlet } from '../engine/work/session-publisher.ts';
import type { StopOptions, WorkerSession } from '../engine/work/worker-session.ts';
import { toText } from '../shared/base/bytes.ts';
import type { WorkerHost } from './worker-host.ts';

/** Exit codes of every `vak` command. */
export const exitCodes = { done: 0, failed: 1, badUsage: 2, unreachable: 3, interrupted: 4 } as const;

/** Signals that end the program. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Prints what the session says; whoever says much waits for stdout. */
export function createPrintingOutlet({ clock }: WorkerHost): SessionOutlet {
  const { stdout } = process;
  return {
    publish(subject, data) {
      if (!stdout.writable) return;
      const payload: unknown = JSON.parse(toText(data));
      stdout.write(`${JSON.stringify({ at: clock.now(), subject, payload })}\n`);
    },
    async isWritable() {
      if (!stdout.writableNeedDrain) return true;
      await new Promise((resolve) => {
        stdout.once('drain', resolve);
        stdout.once('close', resolve);
      });
      return true;
    },
  };
}

/** Ends the command when its reader goes (no error) or a signal comes; says which. */
export function watchForEnd(session: Pick<WorkerSession, 'stop'>): { cause(): 'reader' | 'signal' | undefined } {
  let cause: 'reader' | 'signal' | undefined;
  const end = (why: 'reader' | 'signal', reason: string): void => {
    const isAgain = cause !== undefined;
    cause ??= why;
    const limits = isAgain ? { finishWithinMs: 0, graceMs: 0 } : { finishWithinMs: 0, graceMs: 2_000 };
    const options: StopOptions = { reason, cause: why === 'signal' ? 'cancelled' : 'bus-closed', ...limits };
    void session.stop(options);
  };
  // EPIPE and the like: `| head` has read enough.
  process.stdout.on('error', () => end('reader', 'the reader of the output has gone'));
  for (const signal of endSignals) process.on(signal, () => end('signal', signal));
  return { cause: () => cause };
}

/** Resolves when stdout has taken everything, or nobody reads it any more. */
export function flushStdout(): Promise<void> {
  return new Promise((resolve) => {
    if (!process.stdout.writable) return resolve();
    process.stdout.once('close', resolve);
    process.stdout.write('', () => resolve());
  });
}
