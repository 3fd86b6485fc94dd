/**
 * Judges one message of a stream by itself, before anything handles it (protocol.md A4, E8, E9, E13, I4).
 * Law: by the grants in force when it was stored. Its place in the chain is not judged: whoever claims sees a part of the chain only.
 */
import type { Refusal, SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader, EnvelopeReading, ReadEnvelope } from './envelope-reader.ts';
import { hasOwnPayload } from './link.ts';
import { type EnvelopeOpener, mayOpenLater } from './open-envelope.ts';
import { judgeReceived, type ReceivePolicy } from './receive-policy.ts';
import { type CheckSignature, createSeekingCheck } from './seeking-check.ts';
import type { TrustKnowledge } from './trust-knowledge.ts';

/** What was soundly said, and by whom. */
export interface SoundMessage {
  readonly envelope: Envelope;
  /** Opened; nobody may write to it. */
  readonly payload: Uint8Array;
  /** Of its signer; empty if it is unsigned, and the policy lets that be. */
  readonly roles: readonly string[];
  /** That its signer is granted. */
  readonly queues: readonly string[];
}

/** `locked`: nobody can tell yet, the keys or the grants are not there. `leaf`: 64 lower hex digits (E10). */
export type StoredVerdict =
  | ({ readonly kind: 'accepted'; readonly leaf: string } & SoundMessage)
  /** `isFinal`: nothing that may yet become known says otherwise. */
  | {
      readonly kind: 'refused';
      readonly reading: EnvelopeReading;
      readonly refusal: Refusal;
      readonly isFinal: boolean;
      /** Given where only its key is gone: what its signer is granted. Nothing that it says is known. */
      readonly signer?: Pick<SoundMessage, 'roles' | 'queues'>;
    }
  | { readonly kind: 'locked' };

export interface StoredJudgeDeps {
  readonly reader: EnvelopeReader;
  readonly opener: Pick<EnvelopeOpener, 'open'>;
  readonly workspace: string;
  readonly policy: () => ReceivePolicy;
  readonly checkSignature: CheckSignature;
  readonly knowledge: Pick<TrustKnowledge, 'look' | 'seekGrants' | 'seekSecrets' | 'followsAliases'>;
}

export type StoredJudge = (message: Pick<StoredMessage, 'subject' | 'data' | 'storedMs'>) => StoredVerdict;

/** Who signed nothing. */
const nobody = { roles: [], queues: [] };

type Refused = Extract<StoredVerdict, { kind: 'refused' }>;

function refused(reading: EnvelopeReading, refusal: Refusal, isFinal = true): Refused {
  return { kind: 'refused', reading, refusal, isFinal };
}

const goneKinds: ReadonlySet<string> = new Set(['revoked-secret', 'expired-secret', 'unknown-secret']);

/** What an envelope says of itself, whatever is known of grants and secrets. */
function judgeAlone(reading: EnvelopeReading, early: Refusal | undefined): Refused | ReadEnvelope {
  if (early !== undefined) return refused(reading, early);
  if (reading.kind !== 'envelope') return refused(reading, { reason: 'malformed', why: 'It is no envelope.' });
  if (hasOwnPayload(reading)) return reading;
  const why = 'Its payload is not the one that its hash names: it was changed on the way.';
  return refused(reading, { reason: 'chain', why });
}

/** Creates the judge of a workspace. */
export function createStoredJudge(deps: StoredJudgeDeps): StoredJudge {
  const { reader, opener, workspace, policy, knowledge } = deps;
  const signatureOf = createSeekingCheck(deps);

  function openFor(
    read: ReadEnvelope,
    { roles, queues }: Pick<SignatureReport & { kind: 'valid' }, 'roles' | 'queues'>,
  ): StoredVerdict {
    const { envelope, leaf } = read;
    const opened = opener.open(envelope);
    if (opened.kind === 'opened') return { kind: 'accepted', envelope, leaf, payload: opened.bytes, roles, queues };
    const { failure } = opened;
    if (failure.kind === 'locked') return { kind: 'locked' };
    const lacks = mayOpenLater(failure);
    if (lacks === 'secret') knowledge.seekSecrets();
    const isFinal = lacks === undefined || (lacks === 'alias' && knowledge.followsAliases !== true);
    const verdict = refused(read, { reason: 'unopenable', why: failure.why }, isFinal);
    return goneKinds.has(failure.kind) ? { ...verdict, signer: { roles, queues } } : verdict;
  }

  return ({ subject, data, storedMs }) => {
    knowledge.look();
    const reading = reader.read(data);
    const alone = judgeAlone(reading, judgeReceived({ subject, reading }, { workspace, policy: policy() }));
    if (alone.kind === 'refused') return alone;
    const { envelope } = alone;
    if (envelope.signed === undefined) return openFor(alone, nobody);
    const report = signatureOf(envelope, subject, storedMs);
    if (report === undefined) return { kind: 'locked' };
    if (report.kind === 'invalid') return refused(alone, { reason: report.fault, why: report.why }, report.isFinal);
    return openFor(alone, report.kind === 'valid' ? report : nobody);
  };
}
