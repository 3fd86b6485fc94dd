/**
 * How much a publisher may leave on its way (protocol.md B8; `whenWritable` of bus.ts).
 * Law: what the server has not confirmed by an answer counts as pending, and past a hard limit nothing more is taken.
 */
import type { Disposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';

/** Pending bytes from which `whenWritable` waits. */
const windowBytes = 1024 * 1024;
/** Most pending bytes: they lie in this process if the server does not read. */
const hardLimitBytes = 16 * 1024 * 1024;
/** Pending bytes from which the server is asked to confirm. */
const confirmBytes = 64 * 1024;
/** How long a publisher is held while there is no connection: what it publishes is dropped, but it must not spin. */
const downPauseMs = 50;

export interface Outflow extends Disposable {
  /** Whether so much may be published now. */
  hasRoom(bytes: number): boolean;
  /** Counts what was published just now. */
  add(bytes: number): void;
  /** Rejects with `closed`. */
  whenWritable(): Promise<void>;
  /** The connection went, and what was pending with it. */
  reset(): void;
}

export interface OutflowDeps {
  readonly clock: Clock;
  readonly isUp: () => boolean;
  /** A word there and back, behind all that was published. */
  readonly confirm: () => Promise<void>;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: VakError) => void;
}

export function createOutflow({ clock, isUp, confirm }: OutflowDeps): Outflow {
  let pending = 0;
  let isConfirming = false;
  let epoch = 0;
  let waiters: Waiter[] = [];
  let downPause: Disposable | undefined;
  let isClosed = false;
  const closed = (): VakError => new VakError('closed', 'publish: the bus is closed');

  function release(): void {
    const all = waiters;
    waiters = [];
    for (const { resolve } of all) resolve();
  }
  function ask(): void {
    if (isConfirming || pending <= confirmBytes || !isUp()) return;
    const asked = { epoch, bytes: pending };
    const settle = (): void => {
      isConfirming = false;
      if (asked.epoch === epoch) pending -= asked.bytes;
      if (pending <= windowBytes) release();
      ask();
    };
    isConfirming = true;
    confirm().then(settle, () => {
      isConfirming = false;
    });
  }

  return {
    hasRoom: (bytes) => pending + bytes <= hardLimitBytes,
    add(bytes) {
      pending += bytes;
      ask();
    },
    whenWritable() {
      if (isClosed) return Promise.reject(closed());
      if (isUp() && pending <= windowBytes) return Promise.resolve();
      const wait = new Promise<void>((resolve, reject) => waiters.push({ resolve, reject }));
      if (isUp()) ask();
      else {
        downPause ??= clock.setTimer(downPauseMs, () => {
          downPause = undefined;
          release();
        });
      }
      return wait;
    },
    reset() {
      epoch++;
      pending = 0;
      release();
    },
    dispose() {
      isClosed = true;
      downPause?.dispose();
      const all = waiters;
      waiters = [];
      for (const { reject } of all) reject(closed());
    },
  };
}
