/**
 * Whether anything may be sent to a peer (protocol.md I2).
 * Law: to a peer whose signing key has changed, or which the operator has blocked, nothing is sent, and the refusal says the true cause.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { PeerState } from '../../shared/contract/access-contract.ts';
import { type Plane, parseSubject, type SubjectParts } from '../../shared/protocol/subject.ts';
import type { PinnedPeer, Pins } from './pins.ts';

/** Planes whose subjects name the peer that is addressed. */
const addressed: ReadonlySet<Plane> = new Set(['agent', 'keys', 'control']);

/** Why nothing is sent to a peer; undefined: it is not blocked. */
export function whyBlocked({ offered, blockedMs }: Pick<PinnedPeer, 'offered' | 'blockedMs'>): string | undefined {
  if (blockedMs !== null) return `you blocked it at ${new Date(blockedMs).toISOString()}`;
  if (offered === null) return undefined;
  const at = new Date(offered.seenMs).toISOString();
  return `a card with another signing key came at ${at}, and nobody has accepted it`;
}

/** How a peer that was seen stands, for people. */
export function peerStateOf({ offered, blockedMs, verifiedMs }: PinnedPeer): PeerState {
  if (blockedMs !== null) return 'blocked';
  if (offered !== null) return 'changed';
  return verifiedMs === null ? 'pinned' : 'verified';
}

function partsOf(subject: string): SubjectParts | undefined {
  try {
    return parseSubject(subject);
  } catch (error) {
    // Whoever publishes it says what is wrong with it.
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/** Throws `forbidden` if the subject addresses a peer to which nothing is sent. */
export function checkRecipient(subject: string, pins: Pick<Pins, 'find'>): void {
  const parts = partsOf(subject);
  if (parts === undefined || !addressed.has(parts.plane)) return;
  const { workspace: ws, entity: peer } = parts;
  const pin = pins.find({ ws, peer });
  const why = pin && whyBlocked(pin);
  if (why === undefined) return;
  const message = `publish ${subject}: nothing is sent to ${peer}: ${why}; compare its safety number first (Identity & access, or vak safety ${peer})`;
  throw new VakError('forbidden', message, { details: { peer } });
}
