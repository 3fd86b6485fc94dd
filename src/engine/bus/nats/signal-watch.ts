/**
 * Many that wait for one signal, behind one listener (protocol.md B5).
 * Law: a signal has one listener while anybody waits, and none after; however many questions are under way.
 */
import { type Disposable, toDisposable } from '../../../shared/base/disposer.ts';

export interface SignalWatch {
  /** Calls `act` if the signal, which has not aborted yet, does so before what comes back is disposed. */
  add(signal: AbortSignal, act: () => void): Disposable;
}

interface Watched {
  readonly acts: Set<() => void>;
  readonly onAbort: () => void;
}

/** Creates it; each `act` is its own, also where one function is given twice. */
export function createSignalWatch(): SignalWatch {
  const watched = new Map<AbortSignal, Watched>();

  function watch(signal: AbortSignal): Watched {
    const acts = new Set<() => void>();
    const onAbort = (): void => {
      watched.delete(signal);
      for (const act of [...acts]) act();
    };
    const made = { acts, onAbort };
    watched.set(signal, made);
    signal.addEventListener('abort', onAbort, { once: true });
    return made;
  }

  return {
    add(signal, act) {
      const { acts, onAbort } = watched.get(signal) ?? watch(signal);
      const own = (): void => act();
      acts.add(own);
      return toDisposable(() => {
        if (!acts.delete(own) || acts.size > 0) return;
        watched.delete(signal);
        signal.removeEventListener('abort', onAbort);
      });
    },
  };
}
