import { expect, it } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';

it('R12 bytes of a file come back as they went, whatever their length', () => {
  for (const length of [0, 1, 2, 3, 0x8000 - 1, 0x8000 + 1, 200_000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) & 255);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    expect(Buffer.from(fromBase64(toBase64(bytes))).equals(Buffer.from(bytes))).toBe(true);
  }
});
