/**
 * A worker on a queue: claims as many tasks as it may run at once, and runs them (protocol.md W1, W9).
 * Law: it never claims what it cannot begin at once; when it stops, what it claimed is finished or given back.
 */
import type { Consumer, Delivery } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { settlesWithin } from '../wait.ts';
import { startPullLoop } from './pull-loop.ts';
import type { TaskRunner } from './task-attempt.ts';

export interface WorkerLoopDeps {
  readonly ensure: () => Promise<Consumer>;
  /** It was made before; the first pull is from it. */
  readonly consumer: Consumer;
  readonly runner: TaskRunner;
  /** Tasks at the same time, from 1. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onTrouble: (code: string, message: string) => void;
  readonly onBack?: () => void;
}

export interface WorkerLoop {
  /** Claims nothing while it is set; what runs goes on. */
  setPaused(isPaused: boolean): void;
  /** Tasks that run now. */
  readonly runningCount: number;
  /**
   * Claims no more; what runs may finish within `finishWithinMs`, then its signal is aborted. Resolves when all of it has ended, or
   * after `leaveWithinMs` more: while the server is away nobody takes a receipt, which waits in the outbox, and the task comes again.
   */
  close(limits: { readonly finishWithinMs: number; readonly leaveWithinMs: number }): Promise<void>;
}

/** Begins to work. */
export function startWorkerLoop(deps: WorkerLoopDeps): WorkerLoop {
  const { ensure, consumer, runner, concurrency, clock, logger, onTrouble, onBack } = deps;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isPaused = false;
  let wake = (): void => {};

  /** Resolves when something has changed. */
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  async function room(signal: AbortSignal): Promise<number> {
    while (!signal.aborted && (isPaused || running.size >= concurrency)) await changed();
    return signal.aborted ? 0 : Math.min(256, concurrency - running.size);
  }

  function begin(delivery: Delivery): void {
    const run = runner.run(delivery, stopping.signal).finally(() => {
      running.delete(run);
      wake();
    });
    running.add(run);
  }

  const loop = startPullLoop(
    {
      ...{ ensure, room, clock, logger, onTrouble },
      ...(onBack === undefined ? {} : { onBack }),
      take: (deliveries) => deliveries.forEach(begin),
    },
    consumer,
  );

  return {
    setPaused(next) {
      if (isPaused === next) return;
      isPaused = next;
      if (isPaused) loop.interrupt();
      wake();
    },
    get runningCount() {
      return running.size;
    },
    async close({ finishWithinMs, leaveWithinMs }) {
      const closed = loop.close();
      wake();
      await closed;
      const all = Promise.all(running);
      if (finishWithinMs === 0 || !(await settlesWithin(clock, finishWithinMs, all))) stopping.abort();
      await settlesWithin(clock, leaveWithinMs, all);
    },
  };
}
