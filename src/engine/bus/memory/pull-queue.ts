/**
 * Pulls that wait for messages (protocol.md B4).
 * Law: served in the order in which they came; one that ended before it was served takes nothing and holds nothing.
 */
import { createDisposer } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PullOptions } from '../durable.ts';

export interface PullQueue<T> {
  size(): number;
  /** Waits; gives nothing when the time is over. Rejects with `aborted`, or what `rejectAll` says. */
  wait(options: PullOptions): Promise<readonly T[]>;
  /** Gives the first pulls what `take` finds, until it finds nothing. */
  serve(take: (batch: number) => readonly T[]): void;
  rejectAll(makeError: () => VakError): void;
}

interface WaitingPull<T> {
  readonly batch: number;
  settle(act: (settle: { resolve: (taken: readonly T[]) => void; reject: (error: VakError) => void }) => void): void;
}

/** The failure of a pull whose caller cancelled it. */
export function pullAborted(): VakError {
  return new VakError('aborted', 'pull: cancelled');
}

/** Creates an empty queue. */
export function createPullQueue<T>(clock: Clock): PullQueue<T> {
  const waiting = new Set<WaitingPull<T>>();
  return {
    size: () => waiting.size,
    wait({ batch, waitMs, signal }) {
      return new Promise((resolve, reject) => {
        const held = createDisposer();
        const pull: WaitingPull<T> = {
          batch,
          settle(act) {
            if (!waiting.delete(pull)) return;
            held.dispose();
            act({ resolve, reject });
          },
        };
        waiting.add(pull);
        held.add(clock.setTimer(waitMs, () => pull.settle((settle) => settle.resolve([]))));
        if (signal === undefined) return;
        const abort = (): void => pull.settle((settle) => settle.reject(pullAborted()));
        signal.addEventListener('abort', abort, { once: true });
        held.defer(() => signal.removeEventListener('abort', abort));
      });
    },
    serve(take) {
      for (const pull of waiting) {
        const taken = take(pull.batch);
        if (taken.length === 0) return;
        pull.settle((settle) => settle.resolve(taken));
      }
    },
    rejectAll(makeError) {
      for (const pull of [...waiting]) pull.settle((settle) => settle.reject(makeError()));
    },
  };
}
