/**
 * What does not count, and why: the newest, and how many there were.
 * Law: each thing is told once; what turns out to count after all is taken back.
 */

/** Where it lies; `why` is a sentence for people. */
export interface RefusedThing {
  readonly seq: number;
  readonly atMs: number;
  readonly why: string;
}

export interface RefusalList<T extends RefusedThing> {
  /** The same key again changes nothing. */
  add(key: string, refused: T): void;
  takeBack(key: string): void;
  /** All that were told and not taken back. */
  count(): number;
  /** Newest first. */
  newest(): readonly T[];
}

/** Creates an empty list that holds so many; those told longest ago give way, and stay counted. */
export function createRefusalList<T extends RefusedThing>(capacity: number): RefusalList<T> {
  const held = new Map<string, T>();
  let count = 0;
  return {
    add(key, refused) {
      if (held.has(key)) return;
      count++;
      held.set(key, refused);
      const oldest = held.keys().next();
      if (held.size > capacity && !oldest.done) held.delete(oldest.value);
    },
    takeBack(key) {
      if (held.delete(key)) count--;
    },
    count: () => count,
    newest: () => [...held.values()].sort((a, b) => b.atMs - a.atMs || b.seq - a.seq),
  };
}
