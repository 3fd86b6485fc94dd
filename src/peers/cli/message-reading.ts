/** Reads a message on either wire: CloudEvents JSON, or that of the Rust crate (protocol.md E2, E5). */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import { decodeVakRs, looksLikeVakRs } from '../../shared/protocol/vak-rs-codec.ts';

export interface Message {
  readonly wire: 'cloudevents' | 'vak-rs';
  readonly envelope: Envelope;
}

/** The message that the bytes hold. Throws `invalid-payload` that names the field, `limit-exceeded`. */
export function readMessage(bytes: Uint8Array): Message {
  try {
    return { wire: 'cloudevents', envelope: decodeEnvelope(bytes) };
  } catch (error) {
    if (!isVakError(error) || !looksLikeVakRs(bytes)) throw error;
    return { wire: 'vak-rs', envelope: decodeVakRs(bytes) };
  }
}

/** Whether the bytes are a line of `subscribe --open` or `stream view`: they hold an envelope as a member, and are none. */
export function isWrapped(bytes: Uint8Array): boolean {
  try {
    const value = parseJson(bytes, 'message');
    if (typeof value !== 'object' || value === null || Object.hasOwn(value, 'specversion')) return false;
    const { envelope } = value as { readonly envelope?: unknown };
    return typeof envelope === 'object' && envelope !== null && !Array.isArray(envelope);
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/** What is told of such a line; `where`: what holds it. */
export function wrappedError(where: string): VakError {
  const message = `${where}: this is not an envelope, its field envelope is: give that alone (jq -c .envelope)`;
  return new VakError('invalid-payload', message, { details: { field: 'envelope' } });
}
