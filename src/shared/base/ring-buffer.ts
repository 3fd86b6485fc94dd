/**
 * Fixed-capacity queue that overwrites its oldest entry (protocol.md B2, architecture.md §5).
 * Law: never grows beyond its capacity, and the caller learns what was overwritten, so that it can count it.
 */

/** A bounded first-in first-out queue of at most `capacity` entries. */
export interface RingBuffer<T> {
  readonly capacity: number;
  readonly size: number;
  /** Appends; returns the overwritten oldest entry when full, else undefined. */
  push(value: T): T | undefined;
  /** Removes and returns the oldest entry, or undefined when empty. */
  shift(): T | undefined;
  /** The entry `index` places after the oldest, or undefined beyond the end. */
  at(index: number): T | undefined;
  /** Removes and returns everything, oldest first. */
  drain(): T[];
  clear(): void;
}

/** Creates a ring; `capacity` is a whole number of entries ≥ 1. Storage grows by doubling up to it. */
export function createRingBuffer<T>(capacity: number): RingBuffer<T> {
  if (!Number.isSafeInteger(capacity) || capacity < 1) {
    throw new RangeError(`ring buffer: capacity must be a whole number ≥ 1, got ${capacity}`);
  }
  let slots: (T | undefined)[] = new Array(Math.min(capacity, 16));
  let head = 0;

  function grow(): void {
    const next: (T | undefined)[] = new Array(Math.min(capacity, slots.length * 2));
    for (let i = 0; i < ring.size; i++) next[i] = slots[(head + i) % slots.length];
    slots = next;
    head = 0;
  }

  function shift(): T | undefined {
    if (ring.size === 0) return undefined;
    const value = slots[head];
    slots[head] = undefined;
    head = (head + 1) % slots.length;
    ring.size--;
    return value;
  }

  // A field, not a getter: engines keep objects with getters of their own in slow dictionaries.
  const ring = {
    capacity,
    size: 0,
    push(value: T) {
      if (ring.size === slots.length && ring.size < capacity) grow();
      const overwritten = ring.size === capacity ? shift() : undefined;
      slots[(head + ring.size) % slots.length] = value;
      ring.size++;
      return overwritten;
    },
    shift,
    at(index: number) {
      return index < 0 || index >= ring.size ? undefined : slots[(head + index) % slots.length];
    },
    drain() {
      const all: T[] = [];
      while (ring.size > 0) all.push(shift() as T);
      return all;
    },
    clear() {
      slots = new Array(Math.min(capacity, 16));
      head = 0;
      ring.size = 0;
    },
  };
  return ring;
}
