/** A QR code as one path of SVG, so that no style and no image is needed (ADR 6). Pure. */
import encodeQR from 'qr';

export interface QrPath {
  /** Side of the square in modules, its quiet zone with it. */
  readonly size: number;
  /** The dark modules, a rectangle a run. */
  readonly path: string;
}

/** Encodes a text; error correction M, four modules of quiet zone. */
export function qrPath(text: string): QrPath {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const runs: string[] = [];
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x++) {
      const from = x;
      while (row[x] === true) x++;
      if (x > from) runs.push(`M${from} ${y}h${x - from}v1h${from - x}z`);
    }
  }
  return { size: rows.length, path: runs.join('') };
}
