/**
 * What a message must be to be handled, as far as its envelope alone tells (protocol.md A4, E8, E13).
 * Law: the first rule that is broken is the reason; signature and seal are judged elsewhere, with keys.
 */

import { isVakError } from '../../shared/base/vak-error.ts';
import type { Refusal, RefusalReason } from '../../shared/contract/trust-report.ts';
import type { LinkVerdict } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { sourceOf } from '../../shared/protocol/envelope-fields.ts';
import { parseSubject, type SubjectParts, typeOfSubject } from '../../shared/protocol/subject.ts';
import type { EnvelopeReading } from './envelope-reader.ts';
import { isNeverSealed } from './never-sealed.ts';

/** The settings `policy.*`. */
export interface ReceivePolicy {
  readonly acceptPlain: boolean;
  readonly acceptUnsigned: boolean;
}

/** What is judged. */
export interface ReceivedMessage {
  readonly subject: string;
  readonly reading: EnvelopeReading;
}

/** Where it is judged. */
export interface ReceivePlace {
  readonly workspace: string;
  readonly policy: ReceivePolicy;
}

const refuse = (reason: RefusalReason, why: string): Refusal => ({ reason, why });

/** Planes whose subject names the sender's session; a verdict stands in the session that asked. */
function sessionIn({ plane, entity, verb }: SubjectParts): string | undefined {
  if (plane !== 'events' && plane !== 'receipts' && plane !== 'approvals') return undefined;
  return verb === 'verdict' ? undefined : entity;
}

/** The parts of a subject; undefined for one of no row (S4). */
function partsOf(subject: string): SubjectParts | undefined {
  try {
    return parseSubject(subject);
  } catch (error) {
    if (!isVakError(error)) throw error;
    return undefined;
  }
}

/** Planes whose subjects stand for one type each; inboxes, rooms, keys and control carry several. */
const typedPlanes: ReadonlySet<string> = new Set(['events', 'work', 'receipts', 'approvals', 'dlq', 'audit']);
const hasOwnType = ({ plane }: SubjectParts): boolean => typedPlanes.has(plane);

const isOfPeer = ({ plane }: SubjectParts): boolean => plane === 'dlq' || plane === 'audit';

/** Whether sender, session and subject fit together (A4), and the subject is the one that it was written for (E13). */
function findMisplacement(
  envelope: Envelope,
  { subject, parts }: { readonly subject: string; readonly parts: SubjectParts | undefined },
  workspace: string,
): string | undefined {
  const { workspaceid, agentid, sessionid, source } = envelope;
  if (envelope.subject !== subject) return 'It was written for another subject than the one that it came on.';
  if (workspaceid !== workspace) return 'It belongs to another workspace.';
  if (sessionid === undefined || source !== sourceOf(workspaceid, agentid, sessionid)) {
    return 'Its source is not the peer and session that it names.';
  }
  if (parts === undefined) return 'Its subject is none of the fabric.';
  if (parts.workspace !== workspace) return 'Its subject is of another workspace.';
  const session = sessionIn(parts);
  if (session !== undefined && session !== sessionid) return 'Its subject belongs to another session than its own.';
  if (hasOwnType(parts) && envelope.type !== typeOfSubject(parts)) return 'Its type is not that of its subject.';
  if (isOfPeer(parts) && parts.entity !== agentid) return 'Its subject belongs to another peer than its sender.';
  return undefined;
}

const chainWords: Partial<Record<LinkVerdict['kind'], string>> = {
  fork: 'Another envelope has its place in the chain already.',
  reordered: 'It is not newer than what its source has sent: a repeat, or out of order.',
  'forged-payload': 'Its payload is not the one that its hash names: it was changed on the way.',
  'forged-link': 'It does not follow the envelope that has the place before it.',
  'foreign-source': 'It belongs to another chain.',
};

function findPolicyBreach({ seal, signed }: Envelope, isExempt: boolean, policy: ReceivePolicy): Refusal | undefined {
  if (seal === undefined && !policy.acceptPlain && !isExempt) {
    return refuse('plain', 'It is not sealed, and this workspace accepts sealed messages only.');
  }
  if (signed === undefined && !policy.acceptUnsigned) {
    return refuse('unsigned', 'It is not signed, and this workspace accepts signed messages only.');
  }
  return undefined;
}

/** Why a message is refused, whatever its chain says; undefined if nothing speaks against it so far. Never throws. */
export function judgeReceived({ subject, reading }: ReceivedMessage, place: ReceivePlace): Refusal | undefined {
  if (reading.kind === 'none') return refuse('malformed', `It is no envelope: ${reading.why}.`);
  if (reading.kind === 'vak-rs') {
    return refuse('malformed', 'It is a message of the Rust crate vak-bus, which is shown and never handled.');
  }
  const { envelope } = reading;
  const parts = partsOf(subject);
  const misplaced = findMisplacement(envelope, { subject, parts }, place.workspace);
  if (misplaced !== undefined) return refuse('misplaced', misplaced);
  // By its subject: an envelope's own type is its sender's word.
  const isExempt = parts !== undefined && isNeverSealed(typeOfSubject(parts));
  return findPolicyBreach(envelope, isExempt, place.policy);
}

/** Why a place in its chain lets a message be refused, if so (E11): what is lost before it is no reason. */
export function judgeLink(verdict: LinkVerdict | undefined): Refusal | undefined {
  const broken = verdict === undefined ? undefined : chainWords[verdict.kind];
  return broken === undefined ? undefined : refuse('chain', broken);
}
