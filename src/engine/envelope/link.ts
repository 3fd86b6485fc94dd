/**
 * What one envelope is to the one before it in its chain (protocol.md E11).
 * Law: hashes are compared in constant time; an envelope whose payload is not its own is no link at all.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ChainHead, LinkVerdict } from '../../shared/protocol/chain-verdict.ts';
import { type Envelope, genesisHash } from '../../shared/protocol/envelope.ts';
import { isFabricSource } from '../../shared/protocol/envelope-fields.ts';

/** An envelope with the hashes of what came, 64 lower hex digits each. */
export interface LinkInput {
  readonly envelope: Envelope;
  readonly leaf: string;
  /** Of the payload as it came; `envelope.payloadhash` is what its sender says. */
  readonly payloadHash: string;
}

/** Whether two hashes in hex are the same, in constant time. */
export function isSameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, 'latin1'), Buffer.from(right, 'latin1')];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Whether the payload that came is the one that the envelope names. */
export function hasOwnPayload({ envelope, payloadHash }: LinkInput): boolean {
  return isSameHash(payloadHash, envelope.payloadhash);
}

/** A chain's beginning: ours begins at 0 after the genesis hash, a foreign one anywhere (E10); a later place proves nothing alone. */
export function judgeFirst({ envelope }: LinkInput): LinkVerdict {
  const isBegun = envelope.seqnum === 0 && isFabricSource(envelope.source);
  return isBegun && !isSameHash(envelope.prevhash, genesisHash) ? { kind: 'forged-link' } : { kind: 'ok' };
}

/**
 * The verdict of `current` after `previous` of the same chain; without one, as the first that is seen. `reordered` covers a
 * repeat and what comes late; `gap` names the missing places, both included.
 */
export function verifyLink(previous: ChainHead | undefined, current: LinkInput): LinkVerdict {
  const { source, seqnum, prevhash } = current.envelope;
  if (previous !== undefined && previous.source !== source) return { kind: 'foreign-source' };
  if (!hasOwnPayload(current)) return { kind: 'forged-payload' };
  if (previous === undefined) return judgeFirst(current);
  if (seqnum === previous.seq) return { kind: isSameHash(current.leaf, previous.leaf) ? 'reordered' : 'fork' };
  if (seqnum < previous.seq) return { kind: 'reordered' };
  if (seqnum > previous.seq + 1) return { kind: 'gap', from: previous.seq + 1, to: seqnum - 1 };
  return { kind: isSameHash(prevhash, previous.leaf) ? 'ok' : 'forged-link' };
}
