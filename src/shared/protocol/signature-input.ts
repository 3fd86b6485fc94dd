/**
 * The bytes under an envelope's signature (protocol.md E13).
 * Law: with the leaf they cover every attribute that the protocol knows but `signer` and `signature` themselves.
 */
import { fromHex } from '../base/bytes.ts';
import type { Envelope } from './envelope.ts';
import { labelledFields } from './labelled-fields.ts';
import { kindOf, refuseField } from './refuse-field.ts';

/** `L("vak-envelope-sig-v1", …)` of E13; `leaf`: 64 lower hex digits. Throws `invalid-payload` that names the field. */
export function signatureInput(envelope: Envelope, leaf: string): Uint8Array {
  const { seal } = envelope;
  const leafBytes = fromHex(leaf, 'leaf');
  if (leafBytes.length !== 32) refuseField('leaf', `expected 64 hex digits, got ${kindOf(leaf)}`);
  return labelledFields('vak-envelope-sig-v1', [
    leafBytes,
    envelope.subject,
    envelope.datacontenttype,
    envelope.sessionid,
    envelope.parentagentid,
    envelope.causationid,
    envelope.resumes,
    envelope.traceparent,
    envelope.tracestate,
    seal?.encalg,
    seal?.keyid,
    seal === undefined ? undefined : fromHex(seal.nonce, 'nonce'),
  ]);
}
