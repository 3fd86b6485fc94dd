/**
 * The bytes under an envelope's leaf hash (protocol.md E10).
 * Law: injective over what E1 accepts: no text in it has a `|`, and the raw sequence number has a fixed length.
 */
import { utf8 } from '../base/bytes.ts';
import type { Envelope } from './envelope.ts';
import { isEnvelopeTime } from './envelope-fields.ts';
import { kindOf, refuseField } from './refuse-field.ts';

/** Length of `yyyy-mm-ddThh:mm:ss`. */
const secondsLength = 19;

/**
 * A time as the leaf has it: `+00:00` for `Z`, and the fewest of 0, 3, 6, 9 fraction digits that hold the value (E10).
 * Throws `invalid-payload` for what is no time of E1.
 */
export function leafTime(time: string): string {
  if (!isEnvelopeTime(time)) refuseField('time', `expected RFC 3339 with T and Z, got ${kindOf(time)}`);
  let fraction = time.slice(secondsLength + 1, -1);
  let digits = fraction.length;
  while (digits > 0 && fraction[digits - 1] === '0') digits--;
  fraction = fraction.slice(0, digits).padEnd(Math.ceil(digits / 3) * 3, '0');
  return `${time.slice(0, secondsLength)}${fraction === '' ? '' : `.${fraction}`}+00:00`;
}

/** The bytes that SHA-256 makes a leaf of (E10). The envelope must have passed E1. */
export function leafInput(envelope: Envelope): Uint8Array {
  const { id, source, type, time, workspaceid, agentid, seqnum, prevhash, payloadhash } = envelope;
  const before = utf8(`1.0|${id}|${source}|${type}|${leafTime(time)}|${workspaceid}|${agentid}|`);
  const after = utf8(`|${prevhash}|${payloadhash}`);
  const bytes = new Uint8Array(before.length + 8 + after.length);
  bytes.set(before);
  new DataView(bytes.buffer).setBigUint64(before.length, BigInt(seqnum));
  bytes.set(after, before.length + 8);
  return bytes;
}
