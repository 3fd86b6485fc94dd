/**
 * The purges that this app is at, and how far each has come (protocol.md W7d).
 * Law: one that has ended, however, is gone from the list.
 */
import type { QueuePurgeProgress } from '../../shared/contract/queues-contract.ts';

/** One purge, for who runs it. */
export interface RunningPurge {
  /** Aborted by whoever asked for it, or by `stop`. */
  readonly signal: AbortSignal;
  /** So many tasks have gone; `totalCount`: that stood there when it began. */
  note(doneCount: number, totalCount: number): void;
  end(): void;
}

export interface PurgeProgress {
  /** `signal`: aborted, it stops after the part that is under way. */
  begin(purge: { readonly operationId: string; readonly queue: string; readonly signal: AbortSignal }): RunningPurge;
  /** Ends one after the part that is under way; false: there is none of this id. */
  stop(operationId: string): boolean;
  /** In the order in which they began. */
  list(): readonly QueuePurgeProgress[];
}

/** Creates it with none. `onChange`: told of each step; the caller bounds its rate. */
export function createPurgeProgress(onChange: () => void): PurgeProgress {
  const running = new Map<string, QueuePurgeProgress>();
  const stops = new Map<string, AbortController>();

  function put(progress: QueuePurgeProgress): void {
    running.set(progress.operationId, progress);
    onChange();
  }

  return {
    list: () => [...running.values()],
    stop(operationId) {
      stops.get(operationId)?.abort();
      return stops.has(operationId);
    },
    begin({ operationId, queue, signal: asked }) {
      const ending = new AbortController();
      const signal = AbortSignal.any([asked, ending.signal]);
      stops.set(operationId, ending);
      put({ operationId, queue, doneCount: 0, totalCount: null, isStopping: signal.aborted });
      const change = (more: Partial<QueuePurgeProgress>): void => {
        const known = running.get(operationId);
        if (known !== undefined) put({ ...known, ...more });
      };
      const stop = (): void => change({ isStopping: true });
      signal.addEventListener('abort', stop);
      return {
        signal,
        note: (doneCount, totalCount) => change({ doneCount, totalCount }),
        end() {
          signal.removeEventListener('abort', stop);
          running.delete(operationId);
          stops.delete(operationId);
          onChange();
        },
      };
    },
  };
}
