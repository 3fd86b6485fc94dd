/**
 * Who may be given the key of an epoch, and by whom (protocol.md R5, R6, docs/spec/rooms.md R28, R30, R31).
 * Law: the log alone says so, alike for who gives and for who takes.
 */
import type { WithheldReason } from '../../shared/protocol/room-key-records.ts';
import type { EpochStart, RoomLog } from './room-log.ts';

/** Where the holder of a key came in last; undefined: it never joined. */
function joinOf(log: RoomLog, sign: string): EpochStart | undefined {
  return log.epochs().findLast(({ kind, author }) => author === sign && (kind === 'JOIN' || kind === 'CREATE'));
}

/** Keys whose packages of an epoch count for that member. */
export function giversFor(
  log: RoomLog,
  { epoch, kind, author, givers }: EpochStart,
  member: string,
): readonly string[] {
  if (kind === 'JOIN' && author === member) return givers;
  const join = joinOf(log, member);
  const isBefore = join !== undefined && epoch < join.epoch;
  // Whoever came later has history from who let it in.
  return isBefore && log.standing()?.history === 'shared' ? [author, ...join.givers] : [author];
}

/** Why the holder of a key is not given that epoch's; undefined: it may have it. */
export function whyWithheld(log: RoomLog, { epoch, seq }: EpochStart, sign: string): WithheldReason | undefined {
  if (log.standing()?.members.has(sign) !== true) return 'not-member';
  const wasIn = log.roleAt(sign, seq + 1) !== undefined;
  if (wasIn || log.standing()?.history === 'shared') return undefined;
  return epoch < (joinOf(log, sign)?.epoch ?? 0) ? 'joined-later' : 'not-member';
}
