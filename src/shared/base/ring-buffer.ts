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
  let size = 0;

  function grow(): void {
    const next: (T | undefined)[] = new Array(Math.min(capacity, slots.length * 2));
    for (let i = 0; i < size; i++) next[i] = slots[(head + i) % slots.length];
    slots = next;
    head = 0;
  }

  function shift(): T | undefined {
    if (size === 0) return undefined;
    const value = slots[head];
    slots[head] = undefined;
    head = (head + 1) % slots.length;
    size--;
    return value;
  }

  return {
    capacity,
    get size() {
      return size;
    },
    push(value) {
      if (size === slots.length && size < capacity) grow();
      const overwritten = size === capacity ? shift() : undefined;
      slots[(head + size) % slots.length] = value;
      size++;
      return overwritten;
    },
    shift,
    at(index) {
      return index < 0 || index >= size ? undefined : slots[(head + index) % slots.length];
    },
    drain() {
      const all: T[] = [];
      while (size > 0) all.push(shift() as T);
      return all;
    },
    clear() {
      slots = new Array(Math.min(capacity, 16));
      head = 0;
      size = 0;
    },
  };
}
