/**
 * What becomes of one message: accepted, refused with its reason, or open as long as the keys are not there (protocol.md E8, E11, E13).
 * Law: what its own bytes speak against stays refused; what only lacked a grant or a secret is said to, and may be judged again.
 */
import type { OpenedPayload, Refusal, SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { Message } from '../bus/bus.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';
import type { SubjectReader } from '../feeds/subject-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { EnvelopeReader, EnvelopeReading, ReadEnvelope } from './envelope-reader.ts';
import { createLinkWatch, type Soundness } from './link-watch.ts';
import type { ArrivedLink, MessageTrust } from './message-trust.ts';
import { isNeverSealed } from './never-sealed.ts';
import { type EnvelopeOpener, mayOpenLater } from './open-envelope.ts';
import { ownText } from './own-text.ts';
import type { Quarantine } from './quarantine.ts';
import { judgeLink, judgeReceived, type ReceivePolicy } from './receive-policy.ts';
import type { SoundMessage } from './stored-judge.ts';
import type { TrustKnowledge, Want } from './trust-knowledge.ts';

/** A message that may be handled. */
export interface AcceptedMessage {
  readonly subject: string;
  readonly atMs: number;
  readonly envelope: Envelope;
  /** Opened; nobody may write to it. */
  readonly payload: Uint8Array;
}

/** `locked`: nobody can tell yet, the keys are not there. */
export type Admission =
  | ({ readonly kind: 'accepted' } & AcceptedMessage)
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'locked' };

/** Where messages that may be judged otherwise later are noted. */
export interface Waiting {
  add(seq: number, want: Want): void;
  remove(seq: number): void;
}

export interface MessageJudge {
  /** Judges a message as it comes, and puts it into the buffer. */
  receive(message: Message): HeldMessage;
  /** Names the peer of a session, before it speaks. */
  claim(session: string, peer: string): void;
  /** Whether a message is refused by now; `unknown`: its signature cannot be judged yet. */
  standing(held: HeldMessage): 'sound' | 'refused' | 'unknown';
  /** Whether a message may be handled, with its opened payload. */
  admit(held: HeldMessage): Admission;
  /** Checks the signature; `none` for what is no envelope, and while the grants are not known. */
  checkSignature(held: HeldMessage): SignatureReport;
  /** Opens the payload, whether or not the message may be handled. */
  open(held: HeldMessage): OpenedPayload;
  /** Judges a message that waited as if it came now, by its own time of arrival; it waits on if it lacks something still. */
  judgeAgain(held: HeldMessage, want: Want): void;
}

/** Why a sound message does not count for what it says. `isFinal`: no grant that may yet become known says otherwise. */
export interface ContentProblem extends Refusal {
  readonly isFinal: boolean;
}

/** What a message says. */
export type SaidContent = Pick<SoundMessage, 'envelope' | 'payload'>;
/** Who signed it. */
export type ContentSigner = Pick<SoundMessage, 'roles' | 'queues'>;

/** What it is made of. */
export interface MessageJudgeDeps {
  readonly buffer: MessageBuffer;
  readonly reader: EnvelopeReader;
  readonly subjects: SubjectReader;
  readonly opener: EnvelopeOpener;
  readonly quarantine: Pick<Quarantine, 'add' | 'change'>;
  readonly clock: Clock;
  readonly workspace: string;
  readonly policy: () => ReceivePolicy;
  /** Judges a signature; `undefined` while the grants are not known. */
  readonly checkSignature: (envelope: Envelope, subject: string, atMs: number) => SignatureReport | undefined;
  /** Judges what a message says that is sound by itself; undefined: nothing speaks against it. `signer` is asked for only if it matters. */
  readonly contentProblem: (said: SaidContent, signer: () => ContentSigner) => ContentProblem | undefined;
  readonly waiting: Waiting;
  readonly knowledge: Pick<TrustKnowledge, 'followsAliases'>;
  /** Looks for grants, and judges first what waited for one; whether something came to be known. */
  readonly seekGrants: () => boolean;
  /** Absent: those who are heard. */
  readonly owners?: SessionOwners;
}

/** Whose sessions are whose. */
export interface SessionOwners {
  claim(session: string, peer: string): void;
  /** Whether the session is another peer's than the sender's, who is sound. */
  isOfAnother(envelope: Envelope): boolean;
}

/** Sessions whose peer is remembered; beyond it the one silent for longest is forgotten. */
const maxSessions = 4096;

/** A refusal, and what it lacks if it is not for good. */
interface Judgement {
  readonly refusal: Refusal;
  readonly want: Want | undefined;
}

/** What an envelope says of its trust before anything is checked. */
export function initialTrust(reading: EnvelopeReading, subjectType: string): Pick<MessageTrust, 'seal' | 'signature'> {
  if (reading.kind === 'none') return { seal: 'none', signature: 'none' };
  const { seal, signed } = reading.envelope;
  return {
    seal: seal !== undefined ? 'sealed' : isNeverSealed(subjectType) ? 'exempt' : 'plain',
    signature: signed === undefined ? 'unsigned' : 'unchecked',
  };
}

const grantOf = ({ agentid }: Envelope): Want => ({ kind: 'grant', peer: ownText(agentid) });

/** What a bad signature says of a message; what its grant says may change. */
function signatureJudgement(report: SignatureReport & { readonly kind: 'invalid' }, envelope: Envelope): Judgement {
  const want = report.isFinal ? undefined : grantOf(envelope);
  return { refusal: { reason: report.fault, why: report.why }, want };
}

function sealJudgement(
  { failure }: OpenedPayload & { readonly kind: 'failed' },
  { seal }: Envelope,
  { followsAliases }: MessageJudgeDeps['knowledge'],
): Judgement {
  const kind = mayOpenLater(failure);
  const isFinal = seal === undefined || kind === undefined || (kind === 'alias' && followsAliases !== true);
  const want: Want | undefined = isFinal ? undefined : { kind, keyId: ownText(seal.keyid) };
  return { refusal: { reason: 'unopenable', why: failure.why }, want };
}

/** Who signed nothing. */
const nobody = { roles: [], queues: [] };

/** Whose sessions are whose: a session belongs to the peer that was named for it, or that soundly spoke in it first. */
function createSessionOwners(): SessionOwners {
  const owners = createBoundedCache<string>(maxSessions);
  return {
    claim: owners.set,
    isOfAnother({ sessionid, agentid, signed }: Envelope): boolean {
      if (sessionid === undefined || signed === undefined) return false;
      const owner = owners.get(sessionid) ?? ownText(agentid);
      owners.set(ownText(sessionid), owner);
      return owner !== agentid;
    },
  };
}

/** Creates a judge over the engine's buffer. */
export function createMessageJudge(deps: MessageJudgeDeps): MessageJudge {
  const { buffer, reader, subjects, opener, quarantine, clock, workspace, policy, waiting } = deps;
  const { claim, isOfAnother } = deps.owners ?? createSessionOwners();

  function soundnessOf(envelope: Envelope, atMs: number): Soundness {
    if (envelope.signed === undefined) return policy().acceptUnsigned ? 'unsigned' : 'unsound';
    const isValid = deps.checkSignature(envelope, envelope.subject ?? '', atMs)?.kind === 'valid';
    return isValid && !isOfAnother(envelope) ? 'signed' : 'unsound';
  }

  function soundnessAt(place: number): Soundness {
    const held = buffer.get(place);
    const reading = held === undefined ? undefined : reader.read(held.data);
    return held === undefined || reading?.kind !== 'envelope' ? 'unsound' : soundnessOf(reading.envelope, held.atMs);
  }

  const watch = createLinkWatch({ soundnessOf: ({ envelope }, atMs) => soundnessOf(envelope, atMs), soundnessAt });

  /** Refuses what was not refused before; what it lacks is waited for. */
  function refuse(held: HeldMessage, { refusal, want }: Judgement): Refusal {
    held.trust.refusal = refusal;
    quarantine.add(held, refusal);
    if (want === undefined) waiting.remove(held.seq);
    else waiting.add(held.seq, want);
    return refusal;
  }

  const refuseForGood = (held: HeldMessage, refusal: Refusal): Refusal => refuse(held, { refusal, want: undefined });

  function open(held: HeldMessage): OpenedPayload {
    const reading = reader.read(held.data);
    if (reading.kind !== 'envelope') return { kind: 'opened', bytes: held.data, wasSealed: false };
    const opened = opener.openDecoded(reading.envelope);
    if (reading.envelope.seal === undefined) return opened;
    if (opened.kind === 'opened') held.trust.seal = 'opens';
    else if (opened.failure.kind !== 'locked') held.trust.seal = 'fails';
    return opened;
  }

  function judgeSignature({ trust, subject, atMs }: HeldMessage, envelope: Envelope): SignatureReport {
    if (envelope.signed === undefined) return { kind: 'unsigned' };
    const report = deps.checkSignature(envelope, subject, atMs);
    if (report === undefined) return { kind: 'none' };
    trust.signature = report.kind === 'valid' ? 'valid' : 'invalid';
    return report;
  }

  function checkSignature(held: HeldMessage): SignatureReport {
    const reading = reader.read(held.data);
    if (reading.kind !== 'envelope') return { kind: 'none' };
    const { envelope } = reading;
    const report = judgeSignature(held, envelope);
    if (report.kind === 'valid' && !isOfAnother(envelope)) watch.vouch(envelope.source, held.seq);
    // What was accepted once stays so.
    if (report.kind === 'invalid' && held.trust.refusal === undefined && !held.trust.isAccepted) {
      refuse(held, signatureJudgement(report, envelope));
    }
    return report;
  }

  const strayed = ({ sessionid }: Envelope): Refusal => ({
    reason: 'misplaced',
    why: `Its session ${sessionid} is another peer's.`,
  });

  function standing(held: HeldMessage): 'sound' | 'refused' | 'unknown' {
    const { trust } = held;
    const reading = reader.read(held.data);
    // Also of what is refused already: a row tells everything that is wrong.
    if (trust.signature === 'unchecked') checkSignature(held);
    if (trust.refusal === undefined && reading.kind === 'envelope' && trust.signature !== 'unchecked') {
      if (isOfAnother(reading.envelope)) refuseForGood(held, strayed(reading.envelope));
    }
    if (trust.refusal !== undefined) return 'refused';
    return trust.signature === 'unchecked' ? 'unknown' : 'sound';
  }

  /** What its opened payload says against it. */
  function contentJudgement(held: HeldMessage, envelope: Envelope, payload: Uint8Array): Judgement | undefined {
    const problem = deps.contentProblem({ envelope, payload }, () => {
      const report = deps.checkSignature(envelope, held.subject, held.atMs);
      return report?.kind === 'valid' ? report : nobody;
    });
    if (problem === undefined) return undefined;
    const { reason, why, isFinal } = problem;
    return { refusal: { reason, why }, want: isFinal ? undefined : grantOf(envelope) };
  }

  function admit(held: HeldMessage): Admission {
    const { trust, subject, atMs } = held;
    const reading = reader.read(held.data);
    const stands = standing(held);
    if (trust.refusal !== undefined) return { kind: 'refused', refusal: trust.refusal };
    if (stands !== 'sound' || reading.kind !== 'envelope') return { kind: 'locked' };
    const { envelope } = reading;
    const opened = open(held);
    if (opened.kind === 'failed') {
      // What was accepted once stays so, although its secret is out of use now.
      if (opened.failure.kind === 'locked' || trust.isAccepted) return { kind: 'locked' };
      return { kind: 'refused', refusal: refuse(held, sealJudgement(opened, envelope, deps.knowledge)) };
    }
    const said = trust.isAccepted ? undefined : contentJudgement(held, envelope, opened.bytes);
    if (said !== undefined) return { kind: 'refused', refusal: refuse(held, said) };
    trust.isAccepted = true;
    return { kind: 'accepted', subject, atMs, envelope, payload: opened.bytes };
  }

  /** Whether it would have a place in its chain if its sender were known. */
  const lacksGrant = ({ envelope }: ReadEnvelope, { verdict, isHeld }: ArrivedLink): boolean => {
    return !isHeld && envelope.signed !== undefined && judgeLink(verdict) === undefined;
  };

  function observe(read: ReadEnvelope, atMs: number, mayMove: boolean): ArrivedLink {
    const arrival = () => ({ place: buffer.newestSeq + 1, atMs, mayMove });
    const link = watch.observe(read, arrival());
    // Who was granted it a moment ago is not refused first.
    return mayMove && lacksGrant(read, link) && deps.seekGrants() ? watch.observe(read, arrival()) : link;
  }

  function receive(message: Message): HeldMessage {
    const { subject } = message;
    const reading = reader.read(message.data);
    const early = judgeReceived({ subject, reading }, { workspace, policy: policy() });
    const atMs = clock.now();
    const link = reading.kind === 'envelope' ? observe(reading, atMs, early === undefined) : undefined;
    const seen = initialTrust(reading, subjects.read(subject).type);
    const held = buffer.append(message, { atMs, trust: { link, ...seen, refusal: undefined, isAccepted: false } });
    const refusal = early ?? judgeLink(link?.verdict);
    if (refusal !== undefined) refuseForGood(held, refusal);
    // Its chain does not stand by it: whoever comes to be known later is judged again, and so is its place.
    else if (reading.kind === 'envelope' && link !== undefined && lacksGrant(reading, link)) {
      waiting.add(held.seq, grantOf(reading.envelope));
    }
    return held;
  }

  /** What a message is refused for now that was refused for its grant, or that nobody could judge; `unknown`: still so. */
  function vouchAgain(held: HeldMessage, read: ReadEnvelope): Judgement | 'sound' | 'unknown' {
    const { trust, seq: place, atMs } = held;
    const { envelope } = read;
    const report = judgeSignature(held, envelope);
    if (report.kind === 'invalid') return signatureJudgement(report, envelope);
    if (report.kind !== 'valid') return 'unknown';
    if (isOfAnother(envelope)) return { refusal: strayed(envelope), want: undefined };
    // Another copy of it may have its place by now.
    if (trust.link?.isHeld !== true) trust.link = watch.observe(read, { place, atMs, mayMove: true });
    const refusal = judgeLink(trust.link.verdict);
    if (refusal !== undefined) return { refusal, want: undefined };
    watch.vouch(envelope.source, place);
    const opened = open(held);
    return opened.kind === 'opened' ? (contentJudgement(held, envelope, opened.bytes) ?? 'sound') : 'sound';
  }

  function openAgain(held: HeldMessage, { envelope }: ReadEnvelope): Judgement | 'sound' | 'unknown' {
    const opened = open(held);
    if (opened.kind === 'opened') return 'sound';
    return opened.failure.kind === 'locked' ? 'unknown' : sealJudgement(opened, envelope, deps.knowledge);
  }

  /** Puts what was found out later in the place of what was known before. */
  function replace(held: HeldMessage, now: Judgement | undefined): void {
    const { trust, seq } = held;
    const before = trust.refusal;
    if (before === undefined) {
      if (now !== undefined) refuse(held, now);
      return;
    }
    trust.refusal = now?.refusal;
    quarantine.change(held, before, trust.refusal);
    if (now?.want !== undefined) waiting.add(seq, now.want);
  }

  return {
    ...{ receive, claim, standing, admit, checkSignature, open },
    judgeAgain(held, want) {
      const reading = reader.read(held.data);
      if (reading.kind !== 'envelope' || held.trust.isAccepted) return;
      const now = want.kind === 'grant' ? vouchAgain(held, reading) : openAgain(held, reading);
      if (now === 'unknown') waiting.add(held.seq, want);
      else replace(held, now === 'sound' ? undefined : now);
    },
  };
}
