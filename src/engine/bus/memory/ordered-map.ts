/**
 * Values by key, in the order of the keys' bytes, for the journal in memory (protocol.md B6).
 * Law: a view shows what was there when it was taken, whatever changes later; taking one copies no entry.
 */

/** A key as text of one code unit a byte (latin1), so that texts compare as the bytes do. */
export type ByteText = string;

/** The text of a key's bytes. */
export function byteText(bytes: Uint8Array): ByteText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a key's text. */
export function bytesOf(text: ByteText): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

export interface OrderedEntry<V> {
  readonly key: ByteText;
  readonly value: V;
}

export interface OrderedMap<V> {
  get(key: ByteText): V | undefined;
  set(key: ByteText, value: V): void;
  delete(key: ByteText): void;
  /** Entries from `from` (included) to `to` (excluded) as they are now. */
  view(from: ByteText, to: ByteText): Iterable<OrderedEntry<V>>;
}

/** A chunk is split when it has more. */
const maxChunk = 256;

/** Index of the first of `length` items for which `isAtLeast` holds; `length` if for none. */
function lowerBound(length: number, isAtLeast: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtLeast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

type Chunk<V> = readonly OrderedEntry<V>[];

function indexIn<V>(chunk: Chunk<V>, key: ByteText): number {
  return lowerBound(chunk.length, (index) => (chunk[index] as OrderedEntry<V>).key >= key);
}

function* walk<V>(chunks: readonly Chunk<V>[], from: ByteText, to: ByteText): Generator<OrderedEntry<V>> {
  for (const chunk of chunks) {
    for (let index = indexIn(chunk, from); index < chunk.length; index++) {
      const entry = chunk[index] as OrderedEntry<V>;
      if (entry.key >= to) return;
      yield entry;
    }
  }
}

/** Creates an empty map: chunks of entries, none of them ever empty, each replaced when it changes. */
export function createOrderedMap<V>(): OrderedMap<V> {
  const chunks: Chunk<V>[] = [];

  /** The chunk where the key is or belongs: the last one that begins at or before it. */
  function chunkOf(key: ByteText): number {
    const after = lowerBound(chunks.length, (index) => ((chunks[index] as Chunk<V>)[0] as OrderedEntry<V>).key > key);
    return Math.max(0, after - 1);
  }

  return {
    get(key) {
      const chunk = chunks[chunkOf(key)] ?? [];
      const entry = chunk[indexIn(chunk, key)];
      return entry?.key === key ? entry.value : undefined;
    },
    set(key, value) {
      const at = chunkOf(key);
      const chunk = chunks[at] ?? [];
      const index = indexIn(chunk, key);
      const changed = chunk.toSpliced(index, chunk[index]?.key === key ? 1 : 0, { key, value });
      if (changed.length <= maxChunk) {
        chunks[at] = changed;
        return;
      }
      // Keys mostly come in rising order: what was appended to stays full.
      const half = index === maxChunk ? maxChunk : maxChunk >> 1;
      chunks.splice(at, 1, changed.slice(0, half), changed.slice(half));
    },
    delete(key) {
      const at = chunkOf(key);
      const chunk = chunks[at] ?? [];
      const index = indexIn(chunk, key);
      if (chunk[index]?.key !== key) return;
      if (chunk.length === 1) chunks.splice(at, 1);
      else chunks[at] = chunk.toSpliced(index, 1);
    },
    view(from, to) {
      if (from >= to) return [];
      return walk(chunks.slice(chunkOf(from), chunkOf(to) + 1), from, to);
    },
  };
}
