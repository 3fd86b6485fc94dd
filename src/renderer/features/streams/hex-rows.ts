/** Bytes as hex rows: offset, 16 bytes, ASCII. */

/** Bytes in one row. */
export const hexRowBytes = 16;

export interface HexRow {
  readonly offset: string;
  /** `00 01 … 0f`, with a wider gap in the middle; the last row is filled up with spaces. */
  readonly hex: string;
  readonly ascii: string;
}

const two = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Row `index` of the bytes. */
export function hexRowAt(bytes: Uint8Array, index: number): HexRow {
  const start = index * hexRowBytes;
  const part = bytes.subarray(start, start + hexRowBytes);
  const cells = Array.from({ length: hexRowBytes }, (_, i) => (i < part.length ? two(part[i] as number) : '  '));
  return {
    offset: start.toString(16).padStart(8, '0'),
    hex: `${cells.slice(0, 8).join(' ')}  ${cells.slice(8).join(' ')}`,
    ascii: Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(''),
  };
}
