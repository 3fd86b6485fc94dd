/**
 * Where every message of the bus enters this process: judged once, kept in the buffer, handed to whoever handles its subject.
 * Law: what breaks the workspace's policy goes to the quarantine and to no handler (E8); nothing is decided twice.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { OpenedPayload, Refusal, SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { checkPattern, matches } from '../../shared/protocol/subject.ts';
import type { Message } from '../bus/bus.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';
import type { SubjectReader } from '../feeds/subject-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { EnvelopeReader, EnvelopeReading } from './envelope-reader.ts';
import { createLinkWatch, type Soundness } from './link-watch.ts';
import type { MessageTrust } from './message-trust.ts';
import { isNeverSealed } from './never-sealed.ts';
import type { EnvelopeOpener } from './open-envelope.ts';
import { ownText } from './own-text.ts';
import type { Quarantine } from './quarantine.ts';
import { judgeLink, judgeReceived, type ReceivePolicy } from './receive-policy.ts';

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

/** Told of each message on its subjects, inside its arrival. `admit` is what the intake answers; ask it at once or later. */
export type MessageHandler = (held: HeldMessage) => void;

export interface Intake {
  /** Takes a message of the bus. */
  take(message: Message): void;
  /** Names the peer of a session, before it speaks. */
  claim(session: string, peer: string): void;
  /** Whether a message is soundly signed, as far as that is asked for, and nothing speaks against it; it need not open. */
  isSound(held: HeldMessage): boolean;
  /** Calls back for messages on subjects that a pattern matches. Throws `invalid-pattern`. */
  handle(pattern: string, handler: MessageHandler): Disposable;
  /** Whether a message may be handled, with its opened payload; what is refused is in the quarantine then. */
  admit(held: HeldMessage): Admission;
  /** Checks the signature; `none` for what is no envelope, and while the grants are not known. */
  checkSignature(held: HeldMessage): SignatureReport;
  /** Opens the payload, whether or not the message may be handled. */
  open(held: HeldMessage): OpenedPayload;
}

/** What the intake is made of. */
export interface IntakeDeps {
  readonly buffer: MessageBuffer;
  readonly reader: EnvelopeReader;
  readonly subjects: SubjectReader;
  readonly opener: EnvelopeOpener;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly workspace: string;
  readonly policy: () => ReceivePolicy;
  /** Judges a signature; `undefined` while the grants are not known. */
  readonly checkSignature: (envelope: Envelope, subject: string, atMs: number) => SignatureReport | undefined;
}

/** Sessions whose peer is remembered; beyond it the one silent for longest is forgotten. */
const maxSessions = 4096;

function initialTrust(reading: EnvelopeReading, subjectType: string): Pick<MessageTrust, 'seal' | 'signature'> {
  if (reading.kind === 'none') return { seal: 'none', signature: 'none' };
  const { seal, signed } = reading.envelope;
  return {
    seal: seal !== undefined ? 'sealed' : isNeverSealed(subjectType) ? 'exempt' : 'plain',
    signature: signed === undefined ? 'unsigned' : 'unchecked',
  };
}

/** Creates an intake over the engine's buffer. */
export function createIntake(deps: IntakeDeps): Intake {
  const { buffer, reader, subjects, opener, quarantine, clock, workspace, policy } = deps;
  /** The peer of each session. */
  const owners = createBoundedCache<string>(maxSessions);
  const handlers = new Set<{ readonly pattern: string; readonly handler: MessageHandler }>();

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

  const watch = createLinkWatch({ soundnessOf: ({ envelope }) => soundnessOf(envelope, clock.now()), soundnessAt });

  /** Whether the session is another peer's: it belongs to the one that was named for it, or soundly spoke in it first. */
  function isOfAnother({ sessionid, agentid, signed }: Envelope): boolean {
    if (sessionid === undefined || signed === undefined) return false;
    const owner = owners.get(sessionid) ?? ownText(agentid);
    owners.set(ownText(sessionid), owner);
    return owner !== agentid;
  }

  function refuse(held: HeldMessage, refusal: Refusal): Refusal {
    held.trust.refusal = refusal;
    quarantine.add(held, refusal);
    return refusal;
  }

  function open(held: HeldMessage): OpenedPayload {
    const reading = reader.read(held.data);
    if (reading.kind !== 'envelope') return { kind: 'opened', bytes: held.data, wasSealed: false };
    const opened = opener.open(reading.envelope);
    if (reading.envelope.seal === undefined) return opened;
    if (opened.kind === 'opened') held.trust.seal = 'opens';
    else if (opened.failure.kind !== 'locked') held.trust.seal = 'fails';
    return opened;
  }

  function checkSignature(held: HeldMessage): SignatureReport {
    const reading = reader.read(held.data);
    if (reading.kind !== 'envelope') return { kind: 'none' };
    if (reading.envelope.signed === undefined) return { kind: 'unsigned' };
    const report = deps.checkSignature(reading.envelope, held.subject, held.atMs);
    if (report === undefined) return { kind: 'none' };
    held.trust.signature = report.kind === 'valid' ? 'valid' : 'invalid';
    if (report.kind === 'valid' && !isOfAnother(reading.envelope)) watch.vouch(reading.envelope.source, held.seq);
    if (report.kind === 'invalid' && held.trust.refusal === undefined) {
      refuse(held, { reason: 'signature', why: report.why });
    }
    return report;
  }

  /** Whether a message is refused by now; `unknown`: its signature cannot be judged yet. */
  function standing(held: HeldMessage): 'sound' | 'refused' | 'unknown' {
    const { trust } = held;
    const reading = reader.read(held.data);
    // Also of what is refused already: a row tells everything that is wrong.
    if (trust.signature === 'unchecked') checkSignature(held);
    if (trust.refusal === undefined && reading.kind === 'envelope' && trust.signature !== 'unchecked') {
      if (isOfAnother(reading.envelope)) {
        refuse(held, { reason: 'misplaced', why: `Its session ${reading.envelope.sessionid} is another peer's.` });
      }
    }
    if (trust.refusal !== undefined) return 'refused';
    return trust.signature === 'unchecked' ? 'unknown' : 'sound';
  }

  function admit(held: HeldMessage): Admission {
    const { trust, subject, atMs } = held;
    const reading = reader.read(held.data);
    const stands = standing(held);
    if (trust.refusal !== undefined) return { kind: 'refused', refusal: trust.refusal };
    if (stands !== 'sound' || reading.kind !== 'envelope') return { kind: 'locked' };
    const opened = open(held);
    if (opened.kind === 'opened') {
      trust.isAccepted = true;
      return { kind: 'accepted', subject, atMs, envelope: reading.envelope, payload: opened.bytes };
    }
    // What was accepted once stays so, although its secret is out of use now.
    if (opened.failure.kind === 'locked' || trust.isAccepted) return { kind: 'locked' };
    return { kind: 'refused', refusal: refuse(held, { reason: 'unopenable', why: opened.failure.why }) };
  }

  /** Judges a message as it comes, and puts it into the buffer. */
  function receive(message: Message): HeldMessage {
    const { subject } = message;
    const reading = reader.read(message.data);
    const at = { workspace, policy: policy() };
    const early = judgeReceived({ subject, reading }, at);
    const place = buffer.newestSeq + 1;
    const link =
      reading.kind === 'envelope' ? watch.observe(reading, { place, mayMove: early === undefined }) : undefined;
    const seen = initialTrust(reading, subjects.read(subject).type);
    const trust: MessageTrust = { link, ...seen, refusal: undefined, isAccepted: false };
    const held = buffer.append(message, { atMs: clock.now(), trust });
    const refusal = early ?? judgeLink(link?.verdict);
    if (refusal !== undefined) refuse(held, refusal);
    return held;
  }

  return {
    take(message) {
      const held = receive(message);
      for (const { pattern, handler } of handlers) if (matches(pattern, message.subject)) handler(held);
    },
    claim(session, peer) {
      owners.set(session, peer);
    },
    isSound: (held) => standing(held) === 'sound',
    handle(pattern, handler) {
      const entry = { pattern: checkPattern(pattern), handler };
      handlers.add(entry);
      return toDisposable(() => handlers.delete(entry));
    },
    ...{ admit, checkSignature, open },
  };
}
