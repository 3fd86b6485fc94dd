/**
 * The purges that this app is at, and how far each has come (protocol.md W7d).
 * Law: one that has ended, however, is gone from the list.
 */
import type { QueuePurgeProgress } from '../../shared/contract/queues-contract.ts';

/** One purge, for who runs it. */
export interface RunningPurge {
  /** So many tasks have gone; `totalCount`: that stood there when it began. */
  note(doneCount: number, totalCount: number): void;
  end(): void;
}

export interface PurgeProgress {
  /** `signal`: aborted, it stops after the part that is under way. */
  begin(purge: { readonly operationId: string; readonly queue: string; readonly signal: AbortSignal }): RunningPurge;
  /** In the order in which they began. */
  list(): readonly QueuePurgeProgress[];
}

/** Creates it with none. `onChange`: told of each step; the caller bounds its rate. */
export function createPurgeProgress(onChange: () => void): PurgeProgress {
  const running = new Map<string, QueuePurgeProgress>();

  function put(progress: QueuePurgeProgress): void {
    running.set(progress.operationId, progress);
    onChange();
  }

  return {
    list: () => [...running.values()],
    begin({ operationId, queue, signal }) {
      put({ operationId, queue, doneCount: 0, totalCount: null, isStopping: signal.aborted });
      const change = (more: Partial<QueuePurgeProgress>): void => {
        const known = running.get(operationId);
        if (known !== undefined) put({ ...known, ...more });
      };
      const stop = (): void => change({ isStopping: true });
      signal.addEventListener('abort', stop);
      return {
        note: (doneCount, totalCount) => change({ doneCount, totalCount }),
        end() {
          signal.removeEventListener('abort', stop);
          running.delete(operationId);
          onChange();
        },
      };
    },
  };
}
