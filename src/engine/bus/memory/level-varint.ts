/**
 * Reads the numbers and byte strings of LevelDB's manifests and tables.
 * Law: never reads past the end, never loops without moving; what does not fit is `undefined`.
 */

export interface VarintReader {
  readonly isAtEnd: boolean;
  /** Where the next byte stands. */
  readonly position: number;
  /** A whole number up to 2^53−1; undefined if there is none. */
  number(): number | undefined;
  /** Bytes after their length. */
  bytes(): Uint8Array | undefined;
  /** The next `length` bytes. */
  take(length: number | undefined): Uint8Array | undefined;
}

/** Reads `source` from its beginning. */
export function createVarintReader(source: Uint8Array): VarintReader {
  let at = 0;
  const reader: VarintReader = {
    get isAtEnd() {
      return at >= source.length;
    },
    get position() {
      return at;
    },
    number() {
      let value = 0;
      for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
        const byte = source[at++];
        if (byte === undefined) return undefined;
        value += (byte & 127) * scale;
        if (byte < 128) return Number.isSafeInteger(value) ? value : undefined;
      }
      return undefined;
    },
    bytes: () => reader.take(reader.number()),
    take(length) {
      if (length === undefined || at + length > source.length) return undefined;
      at += length;
      return source.subarray(at - length, at);
    },
  };
  return reader;
}
