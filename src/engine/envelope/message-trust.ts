/**
 * What is known of a message's trust, kept beside it in the engine's buffer.
 * Law: small, for there is one a message; what can be computed again (envelope, opened payload) is not in it.
 */
import type { Refusal } from '../../shared/contract/trust-report.ts';
import type { LinkVerdict } from '../../shared/protocol/chain-verdict.ts';
import type { ChainMark, SealMark, SignatureMark, TrustMarks } from '../../shared/protocol/trust-marks.ts';

/** A message's place in its chain, as it was when it was judged (E11). */
export interface ArrivedLink {
  verdict: LinkVerdict;
  /** The first envelope of its source that was seen here. */
  readonly isFirst: boolean;
  /** Place in the buffer of the envelope that it names as the one before it; else of the one with the number before its own. */
  readonly previousSeq: number | undefined;
  /** Its chain has moved on by it, and did not take that back. */
  isHeld: boolean;
}

/** Filled in as more becomes known: a signature is checked when its message is handled or looked at. */
export interface MessageTrust {
  /** Undefined: no envelope. */
  link: ArrivedLink | undefined;
  seal: SealMark;
  signature: SignatureMark;
  /** Set while it breaks the policy: it is not handled. One that lacked only what was not known here may be taken back. */
  refusal: Refusal | undefined;
  /** It was handed to whoever asked; nothing that changes later takes that back. */
  isAccepted: boolean;
  /** It was read from a stream: its place in its chain is not judged. */
  readonly isStored?: true;
}

function chainMarkOf({ link, isStored, seal }: Pick<MessageTrust, 'link' | 'isStored' | 'seal'>): ChainMark {
  if (link === undefined) return isStored === true && seal !== 'none' ? 'unplaced' : 'none';
  return link.verdict.kind === 'ok' && link.isFirst ? 'first' : link.verdict.kind;
}

/** What a row shows of it. */
export function marksOf(trust: Omit<MessageTrust, 'isAccepted'>): TrustMarks {
  const { seal, signature, refusal } = trust;
  return { seal, signature, chain: chainMarkOf(trust), isRefused: refusal !== undefined };
}
