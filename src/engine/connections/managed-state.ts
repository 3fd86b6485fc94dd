/**
 * How the managed server is (product.md "Engines and headless peers").
 * Law: listeners hear of each change once; one that throws harms nobody.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ErrorShape } from '../../shared/base/vak-error.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

export type ManagedState =
  | { readonly kind: 'running'; readonly sinceMs: number }
  /** It died, and is started again. `attempt`: from 1. */
  | { readonly kind: 'restarting'; readonly sinceMs: number; readonly attempt: number }
  /** It died too often, and stays ended. */
  | { readonly kind: 'failed'; readonly sinceMs: number; readonly error: ErrorShape }
  | { readonly kind: 'stopped'; readonly sinceMs: number };

export interface ManagedStates {
  now(): ManagedState;
  change(next: ManagedState): void;
  /** Called at each change, with the new one. */
  add(listener: (state: ManagedState) => void): Disposable;
  clear(): void;
}

/** Begins as running. */
export function createManagedStates(clock: Clock, logger: Logger): ManagedStates {
  const listeners = createListenerSet<ManagedState>(logger, 'managed-server.listener-threw');
  let state: ManagedState = { kind: 'running', sinceMs: clock.now() };
  return {
    now: () => state,
    change(next) {
      state = next;
      listeners.tell(next);
    },
    add: listeners.add,
    clear: listeners.clear,
  };
}
