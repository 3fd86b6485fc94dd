/**
 * A map that forgets what was used longest ago: what is dear to compute and may be computed again.
 * Law: it never holds more than its capacity, however many keys come.
 */

export interface BoundedCache<V, K = string> {
  /** The value, which counts as used now. */
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  readonly size: number;
}

/** A second bound, in whatever unit `weightOf` gives; the newest entry is kept however heavy. */
export interface CacheWeight<V> {
  readonly maxWeight: number;
  readonly weightOf: (value: V) => number;
}

/** Creates a cache of at most `capacity` entries. */
export function createBoundedCache<V, K = string>(capacity: number, weight?: CacheWeight<V>): BoundedCache<V, K> {
  const entries = new Map<K, V>();
  let held = 0;

  function remove(key: K): void {
    const value = entries.get(key);
    if (value === undefined) return;
    held -= weight?.weightOf(value) ?? 0;
    entries.delete(key);
  }

  const isOver = (): boolean => entries.size > capacity || (weight !== undefined && held > weight.maxWeight);

  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      entries.set(key, value);
      held += weight?.weightOf(value) ?? 0;
      for (const oldest of entries.keys()) {
        if (entries.size === 1 || !isOver()) return;
        remove(oldest);
      }
    },
    get size() {
      return entries.size;
    },
  };
}
