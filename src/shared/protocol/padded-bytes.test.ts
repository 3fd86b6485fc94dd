import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { padBytes, unpadBytes } from './padded-bytes.ts';

describe('R35 padding', () => {
  test('R35 it is u32be length, bytes, zeros, in 32-byte steps', () => {
    expect(padBytes(Uint8Array.of(7, 8))).toEqual(Uint8Array.from([0, 0, 0, 2, 7, 8, ...new Uint8Array(26)]));
    expect([0, 28, 29, 60, 61].map((length) => padBytes(new Uint8Array(length)).length)).toEqual([32, 32, 64, 64, 96]);
  });

  test('R35 what was padded is found again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(unpadBytes(padBytes(bytes))).toEqual(bytes);
      }),
    );
  });

  test('R35 any other padding is refused: one form for one content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 130 }), (bytes) => {
        const found = unpadBytes(bytes);
        if (found !== undefined) expect(padBytes(found)).toEqual(bytes);
      }),
    );
    const padded = padBytes(Uint8Array.of(7, 8));
    const changed = (at: number, value: number) => padded.with(at, value);
    for (const bad of [changed(31, 1), changed(6, 1), changed(3, 29), changed(0, 255), padded.subarray(0, 31)])
      expect(unpadBytes(bad)).toBeUndefined();
    expect(unpadBytes(new Uint8Array(0))).toBeUndefined();
    // A step too much.
    expect(unpadBytes(Uint8Array.from([...padded, ...new Uint8Array(32)]))).toBeUndefined();
  });
});
