/** Reads a message on either wire: CloudEvents JSON, or that of the Rust crate (protocol.md E2, E5). */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
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
