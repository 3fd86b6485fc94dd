import { describe, expect, it } from 'vitest';
import { hexRowAt, hexRowBytesFor } from './hex-rows.ts';

const bytes = Uint8Array.from({ length: 20 }, (_, index) => index + 60);

describe('hex rows', () => {
  it('show offset, bytes and ASCII, the last row filled up', () => {
    expect(hexRowAt(bytes, { index: 0, rowBytes: 16 })).toEqual({
      offset: '00000000',
      hex: '3c 3d 3e 3f 40 41 42 43  44 45 46 47 48 49 4a 4b',
      ascii: '<=>?@ABCDEFGHIJK',
    });
    expect(hexRowAt(bytes, { index: 2, rowBytes: 8 })).toEqual({
      offset: '00000010',
      hex: '4c 4d 4e 4f            ',
      ascii: 'LMNO',
    });
    expect(hexRowAt(new Uint8Array([0, 127, 255]), { index: 0, rowBytes: 8 }).ascii).toBe('···');
  });

  it('show a part of a whole at its place, and blanks where its bytes are not at hand', () => {
    const block = { rowBytes: 8, from: 1_048_576 } as const;
    expect(hexRowAt(bytes, { index: 131_073, ...block })).toMatchObject({
      offset: '00100008',
      hex: '44 45 46 47 48 49 4a 4b',
    });
    expect(hexRowAt(bytes, { index: 131_080, ...block })).toMatchObject({ offset: '00100040', ascii: '' });
  });

  it('have 16 bytes where the panel is wide enough for the ASCII beside them', () => {
    expect([hexRowBytesFor(420), hexRowBytesFor(559), hexRowBytesFor(560)]).toEqual([8, 8, 16]);
  });
});
