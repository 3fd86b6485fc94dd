/**
 * What of the work plane is not told on the desktop (product.md "Operations Center").
 * Law: muted is silent and not counted on the icon; it stays listed, and what is over by its time speaks again by itself.
 */
import type { MuteState } from '../../shared/contract/operations-contract.ts';
import { isNoticeKind, type NoticeKind } from '../../shared/protocol/incident-kinds.ts';
import { listOf } from '../../shared/settings/setting-keys.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';

/** What the settings mute at a time, ms since the epoch. */
export function muteStateOf(
  { mutedKinds, mutedQueues, mutedUntil }: Settings['notifications'],
  nowMs: number,
): MuteState {
  const untilMs = mutedUntil === null ? Number.NaN : Date.parse(mutedUntil);
  return {
    kinds: listOf(mutedKinds).filter(isNoticeKind),
    queues: listOf(mutedQueues),
    untilMs: untilMs > nowMs ? untilMs : null,
  };
}

/** Whether nothing is told of it, by its kind or its queue; the time for all is another matter. */
export function isMuted({ kinds, queues }: MuteState, kind: NoticeKind, queue: string | null): boolean {
  return kinds.includes(kind) || (queue !== null && queues.includes(queue));
}

/** A list with a part in it, or without. */
export function withPart(parts: readonly string[], part: string, isIn: boolean): readonly string[] {
  const others = parts.filter((one) => one !== part);
  return isIn ? [...others, part] : others;
}
