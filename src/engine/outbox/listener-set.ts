/**
 * Who listens to the outbox.
 * Law: a listener that throws is a bug that is logged, and harms no other.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { Logger } from '../ports/logger.ts';

/** Creates an empty set. */
export function createListenerSet<T>(logger: Logger) {
  const listeners = new Set<(value: T) => void>();
  return {
    tell(value: T): void {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          logger.bug('outbox.listener', error);
        }
      }
    },
    on(listener: (value: T) => void): Disposable {
      const own = (value: T): void => listener(value);
      listeners.add(own);
      return toDisposable(() => listeners.delete(own));
    },
  };
}
