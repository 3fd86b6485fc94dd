/**
 * Judges signatures, and looks for grants before one is missed (protocol.md I4).
 * Law: what another process has granted a moment ago is known before anybody is refused for want of it.
 */
import type { SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { TrustKnowledge } from './trust-knowledge.ts';

/** Judges the signature of an envelope on a subject, by the grant in force then; undefined while the grants are not known. */
export type CheckSignature = (envelope: Envelope, subject: string, atMs: number) => SignatureReport | undefined;

export interface SeekingCheckDeps {
  readonly checkSignature: CheckSignature;
  readonly knowledge: Pick<TrustKnowledge, 'seekGrants'>;
}

/** The check, which seeks by itself; a cheap look before it is the caller's. */
export function createSeekingCheck({ checkSignature, knowledge }: SeekingCheckDeps): CheckSignature {
  return (envelope, subject, atMs) => {
    const report = checkSignature(envelope, subject, atMs);
    if (report?.kind !== 'invalid' || report.isFinal) return report;
    knowledge.seekGrants();
    return checkSignature(envelope, subject, atMs);
  };
}
