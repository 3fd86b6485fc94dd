/**
 * Reads `void` records (protocol.md E12): what a sender says it had refused for good.
 * Law: a record speaks for the chains of its own sender alone; anything else says nothing.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { isSameSender, parseSource } from '../../shared/protocol/envelope-fields.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';

const voidType = 'vak.audit.void';

function readPayload(envelope: Envelope): PayloadOf<typeof voidType> | undefined {
  try {
    return decodePayload(voidType, payloadBytesOf(envelope));
  } catch (error) {
    if (!isVakError(error)) throw error;
    return undefined;
  }
}

/** The place that an envelope declares void; undefined if it is no such record, or not about its own sender. */
export function readVoidRecord(envelope: Envelope): ChainHead | undefined {
  if (envelope.type !== voidType || envelope.seal !== undefined) return undefined;
  const record = readPayload(envelope);
  if (record === undefined) return undefined;
  const { source, seq, leaf } = record;
  const isOurs = parseSource(source) !== undefined;
  return isOurs && isSameSender(envelope.source, source) ? { source, seq, leaf } : undefined;
}
