/**
 * Bytes in 32-byte steps: u32be length, the bytes, zeros (protocol.md R7, R35), so that a size tells little.
 * Law: there is one padding for each content; any other is refused.
 */
const step = 32;
const lengthBytes = 4;

/** The bytes with length and padding. */
export function padBytes(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((lengthBytes + bytes.length) / step) * step);
  new DataView(padded.buffer).setUint32(0, bytes.length);
  padded.set(bytes, lengthBytes);
  return padded;
}

/** The bytes without their padding, as a view; undefined if it is not the one that they would be given. */
export function unpadBytes(padded: Uint8Array): Uint8Array | undefined {
  if (padded.length === 0 || padded.length % step !== 0) return undefined;
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0);
  const end = lengthBytes + length;
  if (Math.ceil(end / step) * step !== padded.length) return undefined;
  return padded.subarray(end).every((byte) => byte === 0) ? padded.subarray(lengthBytes, end) : undefined;
}
