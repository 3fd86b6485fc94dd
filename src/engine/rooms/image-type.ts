/**
 * Which image some bytes are (product.md "Rooms").
 * Law: said by the bytes alone; four kinds are shown, and nothing that could run.
 */

/** The type of an image by its first bytes; undefined: none that is shown. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const begins = (at: number, ...expected: readonly number[]): boolean =>
    expected.every((byte, index) => bytes[at + index] === byte);
  if (begins(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (begins(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (begins(0, 0x47, 0x49, 0x46, 0x38) && (begins(4, 0x37, 0x61) || begins(4, 0x39, 0x61))) return 'image/gif';
  const isWebp = begins(0, 0x52, 0x49, 0x46, 0x46) && begins(8, 0x57, 0x45, 0x42, 0x50);
  return isWebp ? 'image/webp' : undefined;
}
