/** Pages of a text of which a part is at hand. Pure. Law: pages put together are the whole, no character in two halves. */
import { decodeText } from '../visible-text.ts';

/** Bytes of one page. */
export const pageBytes = 65_536;
/** Bytes behind a page that belong to its last character at most (RFC 3629). */
export const overhangBytes = 3;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Continuation bytes at `at`, at most three: they belong to the character before. */
function continued(bytes: Uint8Array, at: number): number {
  let count = 0;
  while (count < overhangBytes && isContinuation(bytes[at + count])) count++;
  return count;
}

/** Text of a page: `bytes` are its own and up to `overhangBytes` behind them. */
export function pageText(bytes: Uint8Array, isFirst: boolean): string {
  const start = isFirst ? 0 : continued(bytes, 0);
  const end = bytes.length <= pageBytes ? bytes.length : pageBytes + continued(bytes, pageBytes);
  return decodeText(bytes.subarray(start, end)).text;
}
