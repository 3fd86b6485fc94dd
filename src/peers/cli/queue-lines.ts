/** What `vak queues` prints of each queue (protocol.md W9). */
import { shortDuration } from '../../engine/work/command-words.ts';
import { drainMsOf, type QueueFigures } from '../../engine/work/queue-figures.ts';
import type { QueueFlag } from '../../engine/work/queue-flags.ts';
import type { QueueRate } from '../../engine/work/queue-rates.ts';

export interface QueueLook {
  readonly figures: Omit<QueueFigures, 'inPerSec' | 'outPerSec' | 'drainMs'>;
  /** Undefined: not known, or not yet. */
  readonly rate: QueueRate | undefined;
  /** `unknown`: nobody can judge here who may say so. Undefined: nobody ever did. */
  readonly flag: QueueFlag | 'unknown' | undefined;
}

const headings = [
  'QUEUE',
  'PENDING',
  'IN FLIGHT',
  'REDELIVERED',
  'OLDEST',
  'IN/S',
  'OUT/S',
  'DRAIN',
  'WAITING WORKERS',
  'PAUSED',
];

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** One queue for programs; rates and drain are null while they are not known, drain also where the lag does not get smaller. */
export function queueValue({ figures, rate, flag }: QueueLook, nowMs: number) {
  const { queue, pendingCount, inFlightCount, redeliveredCount, lag, oldestMs, waitingCount, maxDeliver } = figures;
  const known = flag === 'unknown' ? undefined : flag;
  const paused = known?.isPaused === true ? { by: known.by, since: iso(known.atMs) } : null;
  return {
    ...{ at: iso(nowMs), queue, pending: pendingCount, inFlight: inFlightCount, redelivered: redeliveredCount, lag },
    ...{ oldest: iso(oldestMs), inPerSec: rate?.inPerSec ?? null, outPerSec: rate?.outPerSec ?? null },
    drainMs: rate === undefined ? null : drainMsOf(lag, rate.inPerSec, rate.outPerSec),
    ...{ waitingWorkers: waitingCount, maxRetries: maxDeliver - 1 },
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

function cellsOf(look: QueueLook, nowMs: number): readonly string[] {
  const { queue, pendingCount, inFlightCount, redeliveredCount, oldestMs, waitingCount } = look.figures;
  const perSec = (count: number | undefined): string => (count === undefined ? '-' : count.toFixed(1));
  return [
    queue,
    ...[pendingCount, inFlightCount, redeliveredCount].map(String),
    oldestMs === null ? '-' : shortDuration(Math.max(0, nowMs - oldestMs)),
    ...[perSec(look.rate?.inPerSec), perSec(look.rate?.outPerSec), drainText(look)],
    ...[String(waitingCount), pausedText(look)],
  ];
}

/** The queues for people. */
export function queueTable(looks: readonly QueueLook[], nowMs: number): string {
  const rows = [headings, ...looks.map((look) => cellsOf(look, nowMs))];
  const widths = headings.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
