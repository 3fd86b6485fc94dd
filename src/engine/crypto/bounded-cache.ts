/**
 * A map that forgets what was used longest ago: what is dear to compute and may be computed again.
 * Law: it never holds more than its capacity, however many keys come.
 */

export interface BoundedCache<V> {
  /** The value, which counts as used now. */
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  readonly size: number;
}

/** Creates a cache of at most `capacity` entries. */
export function createBoundedCache<V>(capacity: number): BoundedCache<V> {
  const entries = new Map<string, V>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= capacity) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
    get size() {
      return entries.size;
    },
  };
}
