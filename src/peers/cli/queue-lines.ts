/** What `vak queues` prints of each queue (protocol.md W9). */
import { shortDuration } from '../../engine/work/command-words.ts';
import { drainMsOf } from '../../engine/work/queue-figures.ts';
import type { QueueRate } from '../../engine/work/queue-rates.ts';
import type { JudgedQueue } from './queue-look.ts';
import { textTable } from './text-table.ts';

export interface QueueLook extends JudgedQueue {
  /** Undefined: not known, or not yet. */
  readonly rate: QueueRate | undefined;
}

const headings = [
  ...['QUEUE', 'PENDING', 'IN FLIGHT', 'REDELIVERED', 'OLDEST', 'IN/S', 'OUT/S', 'DRAIN'],
  ...['WAITING WORKERS', 'LAST CLAIM', 'STATE', 'PAUSED'],
];

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** What stands in a queue and who works on it, for programs. */
export function standingValue({ figures, health }: JudgedQueue) {
  const { queue, pendingCount, inFlightCount, redeliveredCount, lag, oldestMs, waitingCount } = figures;
  return {
    ...{ queue, pending: pendingCount, inFlight: inFlightCount, redelivered: redeliveredCount, lag },
    ...{ oldest: iso(oldestMs), waitingWorkers: waitingCount, lastClaim: iso(health.lastClaimMs) },
    ...{ state: health.state, stateSince: iso(health.sinceMs) },
  };
}

/** One queue for programs; rates and drain are null while they are not known, drain also where the lag does not get smaller. */
export function queueValue(look: QueueLook, nowMs: number) {
  const { figures, rate, flag } = look;
  const known = flag === 'unknown' ? undefined : flag;
  const paused = known?.isPaused === true ? { by: known.by, since: iso(known.atMs) } : null;
  return {
    ...{ at: iso(nowMs), ...standingValue(look) },
    ...{ inPerSec: rate?.inPerSec ?? null, outPerSec: rate?.outPerSec ?? null },
    drainMs: rate === undefined ? null : drainMsOf(figures.lag, rate.inPerSec, rate.outPerSec),
    maxRetries: figures.maxDeliver - 1,
    isPaused: flag === 'unknown' ? null : paused !== null,
    paused,
  };
}

function drainText({ figures, rate }: QueueLook): string {
  if (rate === undefined) return '-';
  const drainMs = drainMsOf(figures.lag, rate.inPerSec, rate.outPerSec);
  return drainMs === null ? 'never' : shortDuration(drainMs);
}

function pausedText({ flag }: QueueLook): string {
  if (flag === 'unknown') return '?';
  return flag?.isPaused === true ? `by ${flag.by}` : '-';
}

/** How long ago something was, for people. */
export const agoText = (ms: number | null, nowMs: number): string =>
  ms === null ? '-' : shortDuration(Math.max(0, nowMs - ms));

/** An alarm says since when. */
export function stateText({ health: { state, sinceMs } }: JudgedQueue, nowMs: number): string {
  const isAlarm = state === 'stuck' || state === 'no-consumer';
  return isAlarm ? `${state} for ${agoText(sinceMs, nowMs)}` : state;
}

function cellsOf(look: QueueLook, nowMs: number): readonly string[] {
  const { queue, pendingCount, inFlightCount, redeliveredCount, oldestMs, waitingCount } = look.figures;
  const perSec = (count: number | undefined): string => (count === undefined ? '-' : count.toFixed(1));
  return [
    queue,
    ...[pendingCount, inFlightCount, redeliveredCount].map(String),
    agoText(oldestMs, nowMs),
    ...[perSec(look.rate?.inPerSec), perSec(look.rate?.outPerSec), drainText(look)],
    ...[String(waitingCount), agoText(look.health.lastClaimMs, nowMs), stateText(look, nowMs), pausedText(look)],
  ];
}

/** The queues for people. */
export function queueTable(looks: readonly QueueLook[], nowMs: number): string {
  return textTable([headings, ...looks.map((look) => cellsOf(look, nowMs))]);
}
