/** Bytes as hex rows: offset, bytes, ASCII. */

/** Bytes in one row: as many as a panel of that width can show without scrolling sideways. */
export function hexRowBytesFor(widthPx: number): 8 | 16 {
  return widthPx >= 560 ? 16 : 8;
}

export interface HexRow {
  readonly offset: string;
  /** `00 01 … 07`, of 16 bytes with a wider gap in the middle; the last row is filled up with spaces. */
  readonly hex: string;
  readonly ascii: string;
}

const two = (byte: number): string => byte.toString(16).padStart(2, '0');

export interface HexPlace {
  /** Of the row in the whole. */
  readonly index: number;
  readonly rowBytes: 8 | 16;
  /** Where in the whole the bytes at hand begin. */
  readonly from?: number;
}

/** One row of a whole of which these bytes are at hand; cells of others are blank. */
export function hexRowAt(bytes: Uint8Array, { index, rowBytes, from = 0 }: HexPlace): HexRow {
  const start = index * rowBytes;
  const part = bytes.subarray(Math.max(0, start - from), Math.max(0, start - from + rowBytes));
  const cells = Array.from({ length: rowBytes }, (_, i) => (i < part.length ? two(part[i] as number) : '  '));
  const halves = [cells.slice(0, 8), cells.slice(8)].filter((half) => half.length > 0);
  return {
    offset: start.toString(16).padStart(8, '0'),
    hex: halves.map((half) => half.join(' ')).join('  '),
    ascii: Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(''),
  };
}
