/**
 * One envelope of a chain as it lies in a stream, and whether it counts (protocol.md E10–E13, docs/spec/trace.md T7).
 * Law: what its signature does not vouch for accuses nobody: it is told, and is no part of the chain.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { ChainSide } from '../../shared/contract/chain-report.ts';
import { isFabricSource } from '../../shared/protocol/envelope-fields.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { ReadEnvelope } from '../envelope/envelope-reader.ts';
import { hasOwnPayload } from '../envelope/link.ts';
import type { CheckSignature } from '../envelope/seeking-check.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';

export interface ChainRecord {
  readonly seq: number;
  readonly isFabric: boolean;
  readonly resumes: string | undefined;
  /** What its hash names, and what came; null: they are the same. */
  readonly changed: { readonly expected: string; readonly found: string } | null;
  readonly side: ChainSide;
  /** Why it does not count; null: it does. */
  readonly why: string | null;
}

/** What judges it. */
export interface ChainJudging {
  readonly judge: StoredJudge;
  readonly checkSignature: CheckSignature;
}

const locked = 'The key store is locked.';

/** Of a payload that was changed on the way: its leaf names the one that was signed. */
function signatureRefusal(
  { envelope }: ReadEnvelope,
  { subject, storedMs }: StoredMessage,
  { checkSignature }: ChainJudging,
): string | null {
  if (envelope.signed === undefined) return 'It is not signed, and its payload was changed.';
  const report = checkSignature(envelope, subject, storedMs);
  if (report === undefined) return locked;
  return report.kind === 'invalid' ? visibleText(report.why) : null;
}

/** Why an envelope is not its sender's; null: it is. One that nobody here can open is, for that is judged by its signature. */
export function refusalOf(read: ReadEnvelope, message: StoredMessage, judging: ChainJudging): string | null {
  const verdict = judging.judge(message);
  if (verdict.kind === 'accepted') return null;
  if (verdict.kind === 'locked') return locked;
  const { reason, why } = verdict.refusal;
  if (reason === 'chain') return signatureRefusal(read, message, judging);
  return reason === 'unopenable' ? null : visibleText(why);
}

/** Reads it. */
export function toChainRecord(read: ReadEnvelope, message: StoredMessage, judging: ChainJudging): ChainRecord {
  const { envelope, leaf, payloadHash } = read;
  const { id, type, prevhash, signed, seqnum, source, resumes, payloadhash } = envelope;
  return {
    ...{ seq: seqnum, resumes, isFabric: isFabricSource(source), why: refusalOf(read, message, judging) },
    changed: hasOwnPayload(read) ? null : { expected: payloadhash, found: payloadHash },
    side: {
      ...{ id: visibleText(id), type: visibleText(type), leaf, prevhash, signer: signed?.signer ?? null },
      ...{ storedMs: message.storedMs, stream: message.stream, streamSeq: message.seq },
    },
  };
}
