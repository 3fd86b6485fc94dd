/**
 * Takes `L(label, f1, f2 …)` apart again (protocol.md, "Words").
 * Law: only what would be written exactly so is read; the reader never looks beyond the bytes that are there.
 */
import { utf8 } from '../base/bytes.ts';

const absentLength = 0xffffffff;
const lengthBytes = 4;

function beginsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  return bytes.length >= head.length && head.every((byte, index) => bytes[index] === byte);
}

/** Its fields, as views, absent ones undefined; undefined unless label and number of fields are these and nothing follows. */
export function readLabelledFields(
  bytes: Uint8Array,
  label: string,
  count: number,
): readonly (Uint8Array | undefined)[] | undefined {
  const head = utf8(`${label}\0`);
  if (!beginsWith(bytes, head)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields: (Uint8Array | undefined)[] = [];
  let at = head.length;
  while (fields.length < count) {
    if (bytes.length - at < lengthBytes) return undefined;
    const length = view.getUint32(at);
    at += lengthBytes;
    if (length === absentLength) {
      fields.push(undefined);
      continue;
    }
    if (bytes.length - at < length) return undefined;
    fields.push(bytes.subarray(at, at + length));
    at += length;
  }
  return at === bytes.length ? fields : undefined;
}
