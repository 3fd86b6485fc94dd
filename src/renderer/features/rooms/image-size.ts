/**
 * Width and height of an image from its first bytes (PNG, GIF, WebP, JPEG), before anything decodes it. Pure.
 * Law: a small file can hold an image that takes gigabytes; what is too large, or no such image, is never decoded.
 */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Most pixels that are decoded: 160 MiB. */
const maxPixels = 40_000_000;

const startsWith = (bytes: Uint8Array, text: string, at = 0): boolean =>
  [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0));

function pngSize(view: DataView): ImageSize | undefined {
  return view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(view: DataView): ImageSize | undefined {
  return view.byteLength < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpSize(view: DataView, bytes: Uint8Array): ImageSize | undefined {
  if (view.byteLength < 30) return undefined;
  if (startsWith(bytes, 'VP8X', 12)) {
    const read24 = (at: number): number => view.getUint16(at, true) + ((bytes[at + 2] ?? 0) << 16);
    return { width: read24(24) + 1, height: read24(27) + 1 };
  }
  if (startsWith(bytes, 'VP8L', 12)) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!startsWith(bytes, 'VP8 ', 12)) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** Segments are gone through up to the one that begins a frame. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    const length = view.getUint16(at + 2);
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

/** Undefined: it is none of those images, or says no size. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, '\u0089PNG\r\n\u001a\n')) return pngSize(view);
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return gifSize(view);
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return webpSize(view, bytes);
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpegSize(view) : undefined;
}

/** Why it is not decoded; undefined: it can be. */
export function imageFault(bytes: Uint8Array): string | undefined {
  const size = imageSize(bytes);
  if (size === undefined || size.width === 0 || size.height === 0)
    return 'It is no PNG, JPEG, GIF or WebP image. Save it to look at it in another program.';
  if (size.width * size.height <= maxPixels) return undefined;
  return `It has ${size.width} × ${size.height} pixels, more than are shown here. Save it to look at it in another program.`;
}
