/**
 * Judges one message of a stream by itself, before anything handles it (protocol.md A4, E8, E9, E13, I4).
 * Law: by the grants in force when it was stored. Its place in the chain is not judged: whoever claims sees a part of the chain only.
 */
import type { Refusal, SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader, EnvelopeReading } from './envelope-reader.ts';
import { hasOwnPayload } from './link.ts';
import type { EnvelopeOpener } from './open-envelope.ts';
import { judgeReceived, type ReceivePolicy } from './receive-policy.ts';

/** `locked`: nobody can tell yet, the keys or the grants are not there. */
export type StoredVerdict =
  | {
      readonly kind: 'accepted';
      readonly envelope: Envelope;
      /** 64 lower hex digits (E10). */
      readonly leaf: string;
      /** Opened; nobody may write to it. */
      readonly payload: Uint8Array;
    }
  | { readonly kind: 'refused'; readonly reading: EnvelopeReading; readonly refusal: Refusal }
  | { readonly kind: 'locked' };

export interface StoredJudgeDeps {
  readonly reader: EnvelopeReader;
  readonly opener: Pick<EnvelopeOpener, 'open'>;
  readonly workspace: string;
  readonly policy: () => ReceivePolicy;
  /** Undefined while the grants are not known. */
  readonly checkSignature: (envelope: Envelope, subject: string, atMs: number) => SignatureReport | undefined;
}

export type StoredJudge = (message: Pick<StoredMessage, 'subject' | 'data' | 'storedMs'>) => StoredVerdict;

/** Creates the judge of a workspace. */
export function createStoredJudge({ reader, opener, workspace, policy, checkSignature }: StoredJudgeDeps): StoredJudge {
  /** Undefined: the signature speaks for it, or none is asked for. */
  function findBadSignature(envelope: Envelope, subject: string, atMs: number): Refusal | 'locked' | undefined {
    if (envelope.signed === undefined) return undefined;
    const report = checkSignature(envelope, subject, atMs);
    if (report === undefined) return 'locked';
    return report.kind === 'invalid' ? { reason: 'signature', why: report.why } : undefined;
  }

  return ({ subject, data, storedMs }) => {
    const reading = reader.read(data);
    const early = judgeReceived({ subject, reading }, { workspace, policy: policy() });
    if (early !== undefined || reading.kind !== 'envelope') {
      const refusal = early ?? { reason: 'malformed', why: 'It is no envelope.' };
      return { kind: 'refused', reading, refusal };
    }
    if (!hasOwnPayload(reading)) {
      const why = 'Its payload is not the one that its hash names: it was changed on the way.';
      return { kind: 'refused', reading, refusal: { reason: 'chain', why } };
    }
    const { envelope, leaf } = reading;
    const bad = findBadSignature(envelope, subject, storedMs);
    if (bad === 'locked') return { kind: 'locked' };
    if (bad !== undefined) return { kind: 'refused', reading, refusal: bad };
    const opened = opener.open(envelope);
    if (opened.kind === 'opened') return { kind: 'accepted', envelope, leaf, payload: opened.bytes };
    if (opened.failure.kind === 'locked') return { kind: 'locked' };
    return { kind: 'refused', reading, refusal: { reason: 'unopenable', why: opened.failure.why } };
  };
}
