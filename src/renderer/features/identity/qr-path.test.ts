import decodeQR from 'qr/decode.js';
import { expect, it } from 'vitest';
import { safetyText } from '../../../shared/protocol/safety-text.ts';
import { qrPath } from './qr-path.ts';

/** Paints the path as a picture of `scale` pixels a module, and reads that as a phone does. */
function readBack(path: string, size: number, scale: number): string {
  const side = size * scale;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x = '', y = '', width = ''] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let dy = 0; dy < scale; dy++) {
      const from = ((Number(y) * scale + dy) * side + Number(x) * scale) * 4;
      for (let at = 0; at < Number(width) * scale; at++) data.fill(0, from + at * 4, from + at * 4 + 3);
    }
  }
  return decodeQR({ width: side, height: side, data });
}

it('I2 the QR code of two peers reads back as their text, the longest too', () => {
  const key = (letter: string): string => `U${letter.repeat(55)}`;
  for (const peer of ['ada', 'x'.repeat(64)]) {
    const text = safetyText({
      ws: peer,
      peers: [
        { peer, sign: key('A') },
        { peer: `${peer}`, sign: key('B') },
      ],
    });
    const { path, size } = qrPath(text);
    expect(readBack(path, size, 4)).toBe(text);
  }
});
