/**
 * Reads what lies on a room's log: first the envelope, then the entry in it (docs/spec/rooms.md R15, R21, R23).
 * Law: only what membershipd soundly signed is an entry of the log; whether it counts only the log says.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { maxRoomEntryBytes } from '../../shared/protocol/payload-room-control.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { EntryVerdict, RoomLog } from './room-log.ts';
import { roomEntryType } from './room-subjects.ts';

/** What was made of a message. `unproven`: as far as is known here its signer may not write there. `locked`: nobody can tell yet. */
export type EntryReading =
  | EntryVerdict
  | { readonly kind: 'refused' | 'unproven'; readonly detail: string; readonly signer: string | undefined }
  | { readonly kind: 'locked' };

/** What its JSON says. Throws `invalid-payload`. */
function entryOf(payload: Uint8Array): unknown {
  return parseJson(payload, roomEntryType);
}

/** Reads the message into the log; its place is behind all that was read. Never throws for what is in it. */
export function readStoredEntry(log: RoomLog, message: StoredMessage, judge: StoredJudge): EntryReading {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') {
    const { reading, refusal, isFinal } = verdict;
    const signer = reading.kind === 'envelope' ? reading.envelope.signed?.signer : undefined;
    return { kind: isFinal ? 'refused' : 'unproven', detail: refusal.why, signer };
  }
  const { envelope, payload, roles } = verdict;
  if (!roles.includes('membershipd')) {
    // A workspace that takes unsigned messages takes none of these: a log is worth its signatures.
    return { kind: 'refused', detail: 'Its envelope is not signed.', signer: undefined };
  }
  const isEntry = envelope.type === roomEntryType && payload.length <= maxRoomEntryBytes;
  if (!isEntry) return { kind: 'skipped', why: 'bad-form', detail: 'It is no entry, or too large for one.' };
  try {
    return log.read(entryOf(payload), message.seq, message.storedMs);
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { kind: 'skipped', why: 'bad-form', detail: error.message };
  }
}
