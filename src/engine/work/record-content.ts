/**
 * Whether who soundly signed a record of the work plane may say what it says there (protocol.md W4, W6, §3).
 * Law: it judges as those who count the records do, so that what is shown as refused is what does not count.
 *
 * It knows the message alone: whether a receipt is of that very task, or a verdict of that request, is for who knows those.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodePayload, type KnownType } from '../../shared/protocol/payloads.ts';
import type { ContentProblem, ContentSigner, SaidContent } from '../envelope/message-judge.ts';
import { judgeSaidLetter } from './dead-letter-judge.ts';
import { judgeSaidAction } from './purge-records.ts';
import { judgeSaidReceipt } from './receipts.ts';

/** Types that are read by their schema, and by nothing else. */
const plainTypes: ReadonlySet<string> = new Set<KnownType>([
  'vak.work.task',
  'vak.approvals.request',
  'vak.approvals.verdict',
]);

function malformed(type: KnownType, payload: Uint8Array): ContentProblem | undefined {
  try {
    decodePayload(type, payload);
    return undefined;
  } catch (error) {
    if (isVakError(error)) return { reason: 'malformed', why: `${error.message}.`, isFinal: true };
    throw error;
  }
}

/** Who may not say it: what it is made of is for good, what was granted may change. */
function problemOf(verdict: { readonly kind: string; readonly why?: string; readonly isFinal?: boolean }) {
  const { kind, why, isFinal = true } = verdict;
  if (kind !== 'invalid' || why === undefined) return undefined;
  return { reason: 'sender', why, isFinal } as const;
}

/** Why a sound message does not count; undefined: nothing in it speaks against it. */
export function recordProblem(said: SaidContent, signer: () => ContentSigner): ContentProblem | undefined {
  const { type } = said.envelope;
  if (plainTypes.has(type)) return malformed(type as KnownType, said.payload);
  switch (type) {
    case 'vak.receipts.completed':
      return malformed(type, said.payload) ?? problemOf(judgeSaidReceipt({ ...said, ...signer() }));
    case 'vak.dlq.failed':
      return malformed(type, said.payload) ?? problemOf(judgeSaidLetter({ ...said, ...signer() }));
    case 'vak.audit.action':
      return malformed(type, said.payload) ?? problemOf(judgeSaidAction({ ...said, ...signer() }));
    default:
      return undefined;
  }
}
