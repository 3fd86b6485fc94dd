/**
 * How fast tasks come into a queue and get out of it (protocol.md W9).
 * Law: over the last minute, or since the first look if that is less; each task counts once in, and once out.
 */
import type { Clock } from '../ports/clock.ts';
import type { TaskRecord, TaskState } from './task-book.ts';

/** Tasks a second. */
export interface QueueRate {
  readonly inPerSec: number;
  readonly outPerSec: number;
}

export interface QueueRates {
  /** What a book tells of each task. */
  note(record: Pick<TaskRecord, 'queue' | 'state'>, before: TaskState | undefined): void;
  of(queue: string): QueueRate;
}

const windowMs = 60_000;
const slotMs = 1_000;
/** What an operator has purged was not worked off. */
const settled: ReadonlySet<TaskState> = new Set(['done', 'dead', 'finished-late', 'lost']);

interface Slot {
  readonly at: number;
  inCount: number;
  outCount: number;
}

/** Creates the rates of a workspace; what is told before its first second is over counts as there before, and not as come. */
export function createQueueRates(clock: Clock): QueueRates {
  const slots = new Map<string, Slot[]>();
  const startMs = clock.monotonic();
  const isSettled = (state: TaskState | undefined): boolean => state !== undefined && settled.has(state);

  function slotOf(queue: string): Slot {
    const at = Math.floor(clock.monotonic() / slotMs);
    const list = slots.get(queue) ?? [];
    slots.set(queue, list);
    const last = list.at(-1);
    if (last?.at === at) return last;
    const slot = { at, inCount: 0, outCount: 0 };
    list.push(slot);
    while ((list[0]?.at ?? at) < at - windowMs / slotMs) list.shift();
    return slot;
  }

  return {
    note({ queue, state }, before) {
      if (clock.monotonic() - startMs < slotMs) return;
      const slot = slotOf(queue);
      if (before === undefined) slot.inCount++;
      if (isSettled(state) && !isSettled(before)) slot.outCount++;
    },
    of(queue) {
      const nowMs = clock.monotonic();
      const from = Math.floor(nowMs / slotMs) - windowMs / slotMs;
      const overSec = Math.max(slotMs, Math.min(windowMs, nowMs - startMs)) / 1_000;
      const sum = (count: (slot: Slot) => number): number =>
        (slots.get(queue) ?? []).filter(({ at }) => at > from).reduce((all, slot) => all + count(slot), 0) / overSec;
      return { inPerSec: sum(({ inCount }) => inCount), outPerSec: sum(({ outCount }) => outCount) };
    },
  };
}
