/**
 * The slow, exact values that windows mirror (architecture.md §4).
 * Law: a value goes out whole, with a version that rises, at most ten times a second, and never if it has not changed. One that has
 * grown large goes out less often: no value takes more than its share of what window and main have time for.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { Contract, SnapshotName, SnapshotUpdate, SnapshotValue } from '../../shared/contract/define-contract.ts';
import type { Clock } from '../ports/clock.ts';

const intervalMs = 100;
/** Most characters of one value that go out in a second, on average; from 52 Ki of them on it is sent less often than ten times. */
const charactersPerMs = (512 * 1024) / 1000;

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
  const latest = new Map<Name, { readonly version: number; readonly text: string }>();
  const dirty = new Set<Name>();
  /** When a value may be read again. */
  const readableAtMs = new Map<Name, number>();
  /** Values that have changed and may not be read yet. */
  const late = new Map<Name, Disposable>();
  let lastFlushMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  let isDisposed = false;
  let timer: Disposable | undefined;

  /** Reads a value; returns whether it differs from the last one read. */
  function refresh(name: Name): boolean {
    const text = JSON.stringify(readers[name]());
    const restMs = text.length / charactersPerMs;
    if (restMs > intervalMs) readableAtMs.set(name, clock.monotonic() + restMs);
    else readableAtMs.delete(name);
    const known = latest.get(name);
    if (known?.text === text) return false;
    latest.set(name, { version: (known?.version ?? 0) + 1, text });
    return true;
  }

  function updateOf(name: Name): SnapshotUpdate {
    const { version, text } = latest.get(name) as { version: number; text: string };
    return { name, version, text };
  }

  function forget(name: Name): void {
    dirty.delete(name);
    late.get(name)?.dispose();
    late.delete(name);
  }

  /** Reads a value, and sends it to everybody if it is another one. */
  function sendChange(name: Name): void {
    forget(name);
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

  function schedule(name: Name): void {
    dirty.add(name);
    if (isScheduled) return;
    isScheduled = true;
    const waitMs = intervalMs - (clock.monotonic() - lastFlushMs);
    if (waitMs <= 0) clock.defer(flush);
    else timer = clock.setTimer(waitMs, flush);
  }

  function changed(name: Name): void {
    if (isDisposed || late.has(name)) return;
    const waitMs = (readableAtMs.get(name) ?? 0) - clock.monotonic();
    if (waitMs <= 0) {
      schedule(name);
      return;
    }
    const onTime = (): void => {
      late.delete(name);
      schedule(name);
    };
    late.set(name, clock.setTimer(waitMs, onTime));
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
        // A text that no value has: the next reading counts as a change, and is waited for by somebody who sees nothing.
        if (known !== undefined) latest.set(name, { ...known, text: '' });
        forget(name);
        readableAtMs.delete(name);
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
      for (const one of late.values()) one.dispose();
      listeners.clear();
    },
  };
}
