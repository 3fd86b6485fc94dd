/**
 * The slow, exact values that windows mirror (architecture.md §4).
 * Law: a value goes out whole, with a version that rises, at most ten times a second, and never if it has not changed.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { Contract, SnapshotName, SnapshotUpdate, SnapshotValue } from '../../shared/contract/define-contract.ts';
import type { Clock } from '../ports/clock.ts';

const intervalMs = 100;

/** How the current value of each snapshot is read. A missing one does not compile. */
export type SnapshotReaders<C extends Contract> = { readonly [N in SnapshotName<C>]: () => SnapshotValue<C, N> };

export interface SnapshotHub<C extends Contract> extends Disposable {
  /** Says that a value may have changed; it is read and sent soon, together with later changes. */
  changed(name: SnapshotName<C>): void;
  /** Every value that may be seen, as it is now. */
  current(): SnapshotUpdate[];
  /** Sends every value that may be seen, changed or not: what may be seen is another now. */
  resend(): void;
  subscribe(listener: (update: SnapshotUpdate) => void): Disposable;
}

/** Creates the hub over the readers. What `isVisible` denies is neither read nor sent; `resend` when that changes. */
export function createSnapshotHub<C extends Contract>(
  readers: SnapshotReaders<C>,
  clock: Clock,
  isVisible: (name: SnapshotName<C>) => boolean = () => true,
): SnapshotHub<C> {
  type Name = SnapshotName<C>;
  const listeners = new Set<(update: SnapshotUpdate) => void>();
  const latest = new Map<Name, { readonly version: number; readonly text: string; readonly value: unknown }>();
  const dirty = new Set<Name>();
  let lastFlushMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  let isDisposed = false;
  let timer: Disposable | undefined;

  /** Reads a value; returns whether it differs from the last one read. */
  function refresh(name: Name): boolean {
    const value: unknown = readers[name]();
    const text = JSON.stringify(value);
    const known = latest.get(name);
    if (known?.text === text) return false;
    latest.set(name, { version: (known?.version ?? 0) + 1, text, value });
    return true;
  }

  function updateOf(name: Name): SnapshotUpdate {
    const { version, value } = latest.get(name) as { version: number; value: unknown };
    return { name, version, value };
  }

  /** Reads a value, and sends it to everybody if it is another one. */
  function sendChange(name: Name): void {
    dirty.delete(name);
    if (!refresh(name)) return;
    for (const listener of [...listeners]) listener(updateOf(name));
  }

  function flush(): void {
    isScheduled = false;
    if (isDisposed) return;
    lastFlushMs = clock.monotonic();
    const names = [...dirty];
    dirty.clear();
    for (const name of names.filter(isVisible)) sendChange(name);
  }

  function visibleNames(): Name[] {
    return (Object.keys(readers) as Name[]).filter(isVisible);
  }

  function changed(name: Name): void {
    dirty.add(name);
    if (isScheduled || isDisposed) return;
    isScheduled = true;
    const waitMs = intervalMs - (clock.monotonic() - lastFlushMs);
    if (waitMs <= 0) clock.defer(flush);
    else timer = clock.setTimer(waitMs, flush);
  }

  return {
    changed,
    current() {
      return visibleNames().map((name) => {
        // A change that is first seen here is one for all: nobody else would learn of it.
        sendChange(name);
        return updateOf(name);
      });
    },
    resend() {
      for (const name of visibleNames()) {
        const known = latest.get(name);
        // A text that no value has: the next reading counts as a change.
        if (known !== undefined) latest.set(name, { ...known, text: '' });
        changed(name);
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    dispose() {
      isDisposed = true;
      timer?.dispose();
      listeners.clear();
    },
  };
}
