/**
 * Grants and revocations by the root that a profile holds (protocol.md I4).
 * Law: each is newer than every one that was seen, and only whoever holds the root's seed makes one.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import { findEd25519Fault } from '../crypto/public-key-check.ts';
import type { Clock } from '../ports/clock.ts';
import { signGrant, type VerifiedGrant } from './grants.ts';
import type { KeyStoreContents, StoredWorkspace } from './key-store.ts';
import { createNkeySigner, decodeNkey } from './nkey.ts';

/** Whom a grant names, and what it must be newer than. */
export interface GrantTarget {
  readonly contents: KeyStoreContents;
  readonly workspace: string;
  readonly peer: string;
  /** The peer's signing key, `U…`. */
  readonly sign: string;
  /** The highest serial of this peer's grants that was seen (`SerialFloor.highest`); 0 for none. */
  readonly seenSerial: number;
  readonly clock: Clock;
}

/** What it gives. */
export interface GrantRequest extends GrantTarget {
  readonly roles: readonly Role[];
  /** Queues of `worker`. */
  readonly queues: readonly string[];
  /** Seconds since the epoch; 0: without end. */
  readonly notAfter: number;
}

/** Throws `invalid-input` that names the field unless it is a token (S1). */
export function checkInputToken(text: string, field: string): void {
  if (isToken(text)) return;
  const message = `${field}: expected 1–64 of A–Z a–z 0–9 _ -, got ${text.length} characters`;
  throw new VakError('invalid-input', message, { details: { field } });
}

/** The workspace of that name; throws `not-found`. */
export function workspaceIn({ workspaces }: KeyStoreContents, workspace: string): StoredWorkspace {
  const found = workspaces.find((one) => one.workspace === workspace);
  if (found === undefined) throw new VakError('not-found', `this profile does not belong to workspace ${workspace}`);
  return found;
}

/**
 * The serial of the next card or grant: above the last one, and not below the time in seconds, so that whoever lost count
 * (a profile begun anew) still goes above what others saw.
 */
export function nextSerial(lastSerial: number, clock: Clock): number {
  return Math.max(lastSerial + 1, Math.floor(clock.now() / 1000));
}

function checkRequest({ workspace, peer, sign, roles, queues, notAfter, clock }: GrantRequest): void {
  checkInputToken(workspace, 'workspace');
  checkInputToken(peer, 'peer');
  for (const queue of queues) checkInputToken(queue, 'queue');
  if (new Set(roles).size !== roles.length || new Set(queues).size !== queues.length) {
    throw new VakError('invalid-input', 'a role or queue is named twice');
  }
  if (roles.includes('worker') !== queues.length > 0) {
    throw new VakError('invalid-input', 'queues: the role worker needs one at least, and no other role has any', {
      details: { field: 'queues' },
    });
  }
  if (notAfter !== 0 && notAfter * 1000 <= clock.now()) {
    throw new VakError('invalid-input', 'notAfter: it is past already', { details: { field: 'notAfter' } });
  }
  const fault = findEd25519Fault(decodeNkey(sign, 'sign'));
  if (fault !== undefined) {
    throw new VakError('invalid-input', `sign: the key fails the check "${fault}"`, {
      details: { field: 'sign', check: fault },
    });
  }
}

function signAsRoot(request: GrantRequest): VerifiedGrant {
  const { contents, workspace, peer, sign, roles, queues, notAfter, seenSerial, clock } = request;
  const { rootSeed } = workspaceIn(contents, workspace);
  if (rootSeed === null) {
    const advice = `let ${peer} be granted where it is held (vak grant add), and take the grant over here (vak grant import)`;
    throw new VakError('forbidden', `this profile does not hold the root key of workspace ${workspace}: ${advice}`);
  }
  const root = createNkeySigner(rootSeed);
  try {
    const serial = nextSerial(seenSerial, clock);
    return signGrant({ ws: workspace, peer, sign, roles: [...roles], queues: [...queues], serial, notAfter }, root);
  } finally {
    root.dispose();
  }
}

/**
 * A new grant, which supersedes all before. Throws `forbidden` if this profile does not hold the root, `not-found`,
 * `invalid-input` and `invalid-payload` that name the field.
 */
export function grant(request: GrantRequest): VerifiedGrant {
  checkRequest(request);
  return signAsRoot(request);
}

/** Revokes: a newer grant of the same key with no roles (I4). What was stored before it still counts as it did. Throws as {@link grant} does. */
export function revokeGrant(target: GrantTarget): VerifiedGrant {
  return grant({ ...target, roles: [], queues: [], notAfter: 0 });
}
