/**
 * Who a stored record says that it is of (protocol.md E1, E13).
 * Law: it is a claim; whether it is proven is for whoever judged the record.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { RecordAuthor } from '../../shared/contract/approvals-contract.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import type { StoredMessage } from '../bus/durable.ts';

/** What an envelope claims; null for bytes that are none. */
export function claimedAuthor({ data }: Pick<StoredMessage, 'data'>): RecordAuthor | null {
  try {
    const { agentid: peer, sessionid: session = null, signed } = decodeEnvelope(data);
    return { peer, session, signer: signed?.signer ?? null, isProven: false };
  } catch (error) {
    if (isVakError(error)) return null;
    throw error;
  }
}
