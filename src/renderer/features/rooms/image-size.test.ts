import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageFault, imageSize } from './image-size.ts';

const ascii = (text: string): number[] => [...text].map((one) => one.charCodeAt(0));
const u16 = (value: number): number[] => [value >> 8, value & 255];
const u16le = (value: number): number[] => [value & 255, value >> 8];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const png = (width: number, height: number): Uint8Array =>
  Uint8Array.from([0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a, ...u32(13), ...ascii('IHDR'), ...u32(width), ...u32(height)]);
const webp = (kind: string, rest: number[]): Uint8Array =>
  Uint8Array.from([...ascii('RIFF'), ...zeros(4), ...ascii(`WEBP${kind}`), ...zeros(4), ...rest, ...zeros(20)]);

describe('R12 images in messages', () => {
  it.each<[string, Uint8Array]>([
    ['PNG', png(640, 480)],
    ['GIF', Uint8Array.from([...ascii('GIF89a'), ...u16le(640), ...u16le(480)])],
    ['WebP', webp('VP8 ', [...zeros(6), ...u16le(640), ...u16le(480)])],
    ['WebP lossless', webp('VP8L', [0x2f, 639 & 255, (639 >> 8) | ((479 & 3) << 6), (479 >> 2) & 255, 479 >> 10])],
    ['WebP extended', webp('VP8X', [...zeros(4), ...u16le(639), 0, ...u16le(479), 0])],
    [
      'JPEG',
      Uint8Array.from([
        ...[0xff, 0xd8, 0xff, 0xe0, ...u16(4), 1, 2, 0xff, 0xff, 0xc2, ...u16(17), 8],
        ...[...u16(480), ...u16(640), ...zeros(12)],
      ]),
    ],
  ])('R12 the size of a %s is known before it is decoded', (_kind, bytes) => {
    expect(imageSize(bytes)).toEqual({ width: 640, height: 480 });
    expect(imageFault(bytes)).toBeUndefined();
  });

  it('R12 what would take gigabytes, or is no image, is not decoded, and says so', () => {
    expect(imageFault(png(40_000, 40_000))).toContain('40000 × 40000 pixels');
    expect(imageFault(png(0, 5))).toContain('no PNG');
    expect(imageFault(Uint8Array.from(ascii('<svg xmlns="http://www.w3.org/2000/svg"/>')))).toContain('no PNG');
  });

  it('R12 any bytes end in an answer', () => {
    const heads = fc.constantFrom(
      [0xff, 0xd8, 0xff],
      [...png(1, 1)].slice(0, 9),
      ascii('RIFF1234WEBPVP8X'),
      ascii('GIF89a'),
      [],
    );
    fc.assert(
      fc.property(heads, fc.uint8Array({ maxLength: 64 }), (head, rest) => {
        imageSize(Uint8Array.from([...head, ...rest]));
      }),
    );
  });
});
