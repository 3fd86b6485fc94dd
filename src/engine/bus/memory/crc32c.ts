/**
 * CRC-32C (Castagnoli, RFC 3720 §12.1), the checksum of LevelDB's files and of the journal's values.
 * Law: finds damage, proves no origin: whoever can write the folder can write a fitting sum.
 */

const polynomial = 0x82f63b78;

/** Eight tables of 256 words, one after the other: eight bytes a step. */
const tables = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let word = byte;
  for (let bit = 0; bit < 8; bit++) word = word & 1 ? (word >>> 1) ^ polynomial : word >>> 1;
  tables[byte] = word;
}
for (let at = 256; at < tables.length; at++) {
  const before = tables[at - 256] as number;
  tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number);
}

/** The sum of `bytes` from `from` to `to` (excluded), 32 bits unsigned; `sum`: of what stands before them. */
export function crc32c(bytes: Uint8Array, sum = 0, [from, to]: readonly [number, number] = [0, bytes.length]): number {
  let crc = ~sum;
  let at = from;
  for (const end = to - 7; at < end; at += 8) {
    const low =
      crc ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    crc =
      (tables[1792 + (low & 0xff)] as number) ^
      (tables[1536 + ((low >>> 8) & 0xff)] as number) ^
      (tables[1280 + ((low >>> 16) & 0xff)] as number) ^
      (tables[1024 + (low >>> 24)] as number) ^
      (tables[768 + (bytes[at + 4] as number)] as number) ^
      (tables[512 + (bytes[at + 5] as number)] as number) ^
      (tables[256 + (bytes[at + 6] as number)] as number) ^
      (tables[bytes[at + 7] as number] as number);
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ (tables[(crc ^ (bytes[at] as number)) & 0xff] as number);
  return ~crc >>> 0;
}

/** The sum as LevelDB stores it: turned and shifted, so that sums of bytes that hold sums are sound. */
export function maskedCrc32c(bytes: Uint8Array, range: readonly [number, number]): number {
  const sum = crc32c(bytes, 0, range);
  return (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0;
}
