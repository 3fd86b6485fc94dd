/** What `vak metrics` prints of a look, for programs and for people (protocol.md W10). */
import { type HistogramSnapshot, summaryOf } from '../../engine/metrics/histogram.ts';
import { shortDuration } from '../../engine/work/command-words.ts';
import type { LiveLook, MetricsLook, TasksLook } from './metrics-look.ts';
import { agoText, standingValue, stateText } from './queue-lines.ts';
import { textTable } from './text-table.ts';

function liveValue({
  messageCount,
  bytes,
  droppedCount,
  planes,
  publishToDeliver,
  aheadCount,
  unmeasuredCount,
}: LiveLook) {
  return {
    ...{ received: messageCount, receivedBytes: bytes, dropped: droppedCount },
    planes: Object.fromEntries(
      planes.map((one) => [one.plane, { received: one.messageCount, receivedBytes: one.bytes }]),
    ),
    publishToDeliver: { ...summaryOf(publishToDeliver), ahead: aheadCount, unmeasured: unmeasuredCount },
  };
}

function tasksValue(tasks: TasksLook) {
  return {
    ...{ done: tasks.doneCount, finishedLate: tasks.finishedLateCount, dead: tasks.deadCount },
    ...{ failedAttempts: tasks.failedAttemptCount, lost: tasks.lostCount, refusedRecords: tasks.refusedCount },
    claimToDone: summaryOf(tasks.claimToDone),
  };
}

/** Those that count, if that can be judged; else all that lie there. */
function lettersValue({ deadLetterCount, letters }: MetricsLook) {
  if (letters === undefined)
    return { deadLetters: deadLetterCount, refusedDeadLetters: null, unjudgedDeadLetters: null };
  const { countingCount, refusedCount, unjudgedCount } = letters;
  return { deadLetters: countingCount, refusedDeadLetters: refusedCount, unjudgedDeadLetters: unjudgedCount };
}

function lettersText({ deadLetterCount, letters }: MetricsLook): string {
  if (letters === undefined) return deadLetterCount === null ? '-' : `${deadLetterCount} (not judged)`;
  const { countingCount, refusedCount, unjudgedCount } = letters;
  const aside = [
    ...(refusedCount === 0 ? [] : [`${refusedCount} refused`]),
    ...(unjudgedCount === 0 ? [] : [`${unjudgedCount} not judged`]),
  ];
  return `${countingCount}${aside.length === 0 ? '' : ` (${aside.join(', ')})`}`;
}

/** A look for programs: what is not known is null, what only watching tells is left out of a single look. */
export function metricsValue(look: MetricsLook) {
  const { atMs, workspace, activeQueueLag, queues, streams, live, tasks } = look;
  return {
    ...{ at: new Date(atMs).toISOString(), workspace, ...lettersValue(look), activeQueueLag },
    queues: queues.map(standingValue),
    streams: streams.map(({ stream, messageCount, bytes }) => ({ stream, messages: messageCount, bytes })),
    ...(live === undefined ? {} : { live: liveValue(live), tasks: tasks === undefined ? null : tasksValue(tasks) }),
  };
}

const isFigure = (column: number): boolean => column > 0;

function queuesText({ queues, atMs }: MetricsLook): string {
  if (queues.length === 0) return '';
  const headings = ['QUEUE', 'LAG', 'PENDING', 'IN FLIGHT', 'REDELIVERED', 'OLDEST', 'LAST CLAIM', 'STATE'];
  const rows = queues.map((one) => {
    const { queue, lag, pendingCount, inFlightCount, redeliveredCount, oldestMs } = one.figures;
    const claimed = agoText(one.health.lastClaimMs, atMs);
    const counts = [lag, pendingCount, inFlightCount, redeliveredCount].map(String);
    return [queue, ...counts, agoText(oldestMs, atMs), claimed, stateText(one, atMs)];
  });
  return `\n${textTable([headings, ...rows], (column) => isFigure(column) && column < headings.length - 1)}`;
}

function streamsText({ streams }: MetricsLook): string {
  if (streams.length === 0) return '';
  const rows = streams.map(({ stream, messageCount, bytes }) => [stream, String(messageCount), String(bytes)]);
  return `\n${textTable([['STREAM', 'MESSAGES', 'BYTES'], ...rows], isFigure)}`;
}

function msText(ms: number | null): string {
  if (ms === null) return '-';
  return ms < 1_000 ? `${ms} ms` : shortDuration(ms);
}

function timesText(name: string, histogram: HistogramSnapshot): string {
  const { count, meanMs, p50Ms, p90Ms, p99Ms, maxMs } = summaryOf(histogram);
  const figures = { mean: meanMs, p50: p50Ms, p90: p90Ms, p99: p99Ms, max: maxMs };
  return `${[`${name}  ${count} measured`, ...Object.entries(figures).map(([key, ms]) => `${key} ${msText(ms)}`)].join('  ')}\n`;
}

function liveText(live: LiveLook): string {
  const { messageCount, bytes, droppedCount, planes, publishToDeliver, aheadCount, unmeasuredCount } = live;
  const rows = planes
    .filter((one) => one.messageCount > 0)
    .map((one) => [one.plane, String(one.messageCount), String(one.bytes)]);
  const table = [['LIVE', 'RECEIVED', 'BYTES'], ...rows, ['all', String(messageCount), String(bytes)]];
  const aside = `dropped here ${droppedCount}  ahead of their time ${aheadCount}  not measured ${unmeasuredCount}\n`;
  return `\n${textTable(table, isFigure)}${aside}${timesText('publish → deliver', publishToDeliver)}`;
}

function tasksText(tasks: TasksLook): string {
  const { doneCount, finishedLateCount, deadCount, failedAttemptCount, lostCount, refusedCount } = tasks;
  const ends = `tasks done ${doneCount} (${finishedLateCount} late)  dead ${deadCount}  lost ${lostCount}`;
  const rest = `failed attempts ${failedAttemptCount}  records that do not count ${refusedCount}`;
  return `\n${ends}  ${rest}\n${timesText('claim → done', tasks.claimToDone)}`;
}

/** A look for people. */
export function metricsText(look: MetricsLook): string {
  const { atMs, workspace, activeQueueLag, live, tasks } = look;
  const head = `workspace ${workspace}  ${new Date(atMs).toISOString()}  dead letters ${lettersText(look)}  active queue lag ${activeQueueLag}\n`;
  return [
    ...[head, queuesText(look), streamsText(look)],
    ...[live === undefined ? '' : liveText(live), tasks === undefined ? '' : tasksText(tasks)],
  ].join('');
}
