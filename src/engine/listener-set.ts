/**
 * Who listens to something that happens now and then.
 * Law: a listener that throws is a bug that is logged, and harms neither the others nor who tells.
 */
import { type Disposable, toDisposable } from '../shared/base/disposer.ts';
import type { Logger } from './ports/logger.ts';

export interface ListenerSet<T> {
  /** Called with each value that is told, until it is disposed. A function that is added twice is called twice. */
  add(listener: (value: T) => void): Disposable;
  /** Tells those who listen now, in the order in which they came. */
  tell(value: T): void;
  /** Nobody is told anything any more. */
  clear(): void;
}

/** Creates an empty set; `event` names in the log what a listener was told. */
export function createListenerSet<T>(logger: Logger, event: string): ListenerSet<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      const own = (value: T): void => listener(value);
      listeners.add(own);
      return toDisposable(() => listeners.delete(own));
    },
    tell(value) {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (thrown) {
          logger.bug(event, thrown);
        }
      }
    },
    clear: () => listeners.clear(),
  };
}
