/**
 * Waiting on the clock port.
 * Law: nothing waits without a limit, and no timer outlives what it waited for.
 */
import type { Clock } from './ports/clock.ts';

/** Resolves after `delayMs`. */
export function delay(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}

/** Resolves after `delayMs`, or when the signal is aborted. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.dispose();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(delayMs, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

/** Whether `work` settled, either way, within `limitMs`. */
export function settlesWithin(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(limitMs, () => resolve(false));
    const settled = (): void => {
      timer.dispose();
      resolve(true);
    };
    work.then(settled, settled);
  });
}

/** A promise with its handles outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a promise that the caller settles (`Promise.withResolvers`, which Node 20 lacks). */
export function createDeferred<T>(): Deferred<T> {
  let handles: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    handles = { resolve, reject };
  });
  // The executor has run: the handles are there.
  return { promise, ...(handles as unknown as Pick<Deferred<T>, 'resolve' | 'reject'>) };
}
