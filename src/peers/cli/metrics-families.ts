/** A look of `vak metrics` as Prometheus knows it: names, helps and units (protocol.md W10). */
import type { Labels, MetricFamily } from '../../engine/metrics/prometheus-text.ts';
import { consumerConditions } from '../../engine/work/consumer-health.ts';
import type { LiveLook, MetricsLook, TasksLook } from './metrics-look.ts';
import type { JudgedQueue } from './queue-look.ts';

/** 100 µs to 10 s, and 10 ms to an hour. */
const deliverBoundsUs = [
  ...[100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000],
  ...[1_000_000, 2_500_000, 5_000_000, 10_000_000],
];
const doneBoundsUs = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600].map((seconds) =>
  Math.round(seconds * 1e6),
);

interface Value {
  readonly labels: Labels;
  /** Null: not known, left out. */
  readonly value: number | null;
}

function family(
  kind: 'counter' | 'gauge',
  [name, help]: readonly [string, string],
  values: readonly Value[],
): MetricFamily {
  const samples = values.flatMap(({ labels, value }) => (value === null ? [] : [{ labels, value }]));
  return { kind, name, help, samples };
}

function queueFamilies({ workspace, queues, atMs }: MetricsLook): MetricFamily[] {
  const gauge = (name: string, help: string, read: (one: JudgedQueue) => number | null): MetricFamily =>
    family(
      'gauge',
      [name, help],
      queues.map((one) => ({ labels: { workspace, queue: one.figures.queue }, value: read(one) })),
    );
  const ageOf = (ms: number | null): number => (ms === null ? 0 : Math.max(0, atMs - ms) / 1_000);
  const states = queues.flatMap(({ figures: { queue }, health }) =>
    consumerConditions.map((state) => ({ labels: { workspace, queue, state }, value: health.state === state ? 1 : 0 })),
  );
  return [
    gauge('vak_queue_lag_tasks', 'Tasks that stand in the queue, pending or in flight.', ({ figures }) => figures.lag),
    gauge('vak_queue_pending_tasks', 'Tasks that were not delivered yet.', ({ figures }) => figures.pendingCount),
    gauge(
      'vak_queue_in_flight_tasks',
      'Tasks that are claimed, or wait for their next attempt.',
      ({ figures }) => figures.inFlightCount,
    ),
    gauge(
      'vak_queue_redelivered_tasks',
      'Tasks in flight that were delivered more than once.',
      ({ figures }) => figures.redeliveredCount,
    ),
    gauge(
      'vak_queue_oldest_task_age_seconds',
      'Age of the oldest task that stands in the queue; 0 if none does.',
      ({ figures }) => ageOf(figures.oldestMs),
    ),
    gauge('vak_queue_waiting_workers', 'Workers that wait for a task now.', ({ figures }) => figures.waitingCount),
    gauge('vak_queue_last_claim_timestamp_seconds', 'When a task was claimed last, since the epoch.', ({ health }) =>
      health.lastClaimMs === null ? null : health.lastClaimMs / 1_000,
    ),
    family('gauge', ['vak_queue_state', 'How the workers of the queue get on: 1 for the state that it is in.'], states),
  ];
}

function standingFamilies(look: MetricsLook): MetricFamily[] {
  const { workspace, deadLetterCount, letters, activeQueueLag, streams } = look;
  const ofStreams = (read: (one: (typeof streams)[number]) => number): Value[] =>
    streams.map((one) => ({ labels: { workspace, stream: one.stream }, value: read(one) }));
  return [
    family(
      'gauge',
      ['vak_dead_letters', 'Dead letters that are kept; only those that count, where they can be judged.'],
      [{ labels: { workspace }, value: letters?.countingCount ?? deadLetterCount }],
    ),
    family(
      'gauge',
      ['vak_refused_dead_letters', 'Messages among the dead letters that do not count.'],
      [{ labels: { workspace }, value: letters?.refusedCount ?? null }],
    ),
    family(
      'gauge',
      ['vak_active_queue_lag_tasks', 'Tasks that stand in any queue of the workspace.'],
      [{ labels: { workspace }, value: activeQueueLag }],
    ),
    ...queueFamilies(look),
    family(
      'gauge',
      ['vak_stream_messages', 'Messages that lie in the stream.'],
      ofStreams(({ messageCount }) => messageCount),
    ),
    family(
      'gauge',
      ['vak_stream_bytes', 'Bytes that lie in the stream.'],
      ofStreams(({ bytes }) => bytes),
    ),
  ];
}

function liveFamilies(workspace: string, live: LiveLook): MetricFamily[] {
  const { planes, droppedCount, aheadCount, unmeasuredCount, publishToDeliver } = live;
  const ofPlanes = (read: (one: (typeof planes)[number]) => number): Value[] =>
    planes.map((one) => ({ labels: { workspace, plane: one.plane }, value: read(one) }));
  const counter = (name: string, help: string, value: number): MetricFamily =>
    family('counter', [name, help], [{ labels: { workspace }, value }]);
  return [
    family(
      'counter',
      ['vak_received_messages_total', 'Messages heard on the live bus.'],
      ofPlanes(({ messageCount }) => messageCount),
    ),
    family(
      'counter',
      ['vak_received_bytes_total', 'Bytes of the messages heard on the live bus.'],
      ofPlanes(({ bytes }) => bytes),
    ),
    counter('vak_dropped_messages_total', 'Messages that gave way here before they were counted.', droppedCount),
    counter(
      'vak_ahead_messages_total',
      'Measured messages that came before the time that their author gave them.',
      aheadCount,
    ),
    counter('vak_unmeasured_messages_total', 'Messages without a time, or older than an hour.', unmeasuredCount),
    {
      ...{ kind: 'histogram', name: 'vak_publish_to_deliver_seconds', boundsUs: deliverBoundsUs },
      help: 'From the time in an envelope to its arrival here, of those that were measured.',
      samples: [{ labels: { workspace }, histogram: publishToDeliver }],
    },
  ];
}

function taskFamilies(workspace: string, tasks: TasksLook): MetricFamily[] {
  const { doneCount, finishedLateCount, deadCount, failedAttemptCount, lostCount, refusedCount, claimToDone } = tasks;
  const counter = (name: string, help: string, value: number): MetricFamily =>
    family('counter', [name, help], [{ labels: { workspace }, value }]);
  return [
    counter('vak_tasks_done_total', 'Tasks with a valid receipt that says done.', doneCount),
    counter(
      'vak_tasks_finished_late_total',
      'Tasks that were done after their dead letter; they count as done and as dead.',
      finishedLateCount,
    ),
    counter('vak_tasks_dead_total', 'Tasks with a dead letter.', deadCount),
    counter(
      'vak_task_attempts_failed_total',
      'Attempts with a valid receipt that says that they failed.',
      failedAttemptCount,
    ),
    counter('vak_refused_records_total', 'Receipts and dead letters that do not count.', refusedCount),
    family(
      'gauge',
      ['vak_tasks_lost', 'Tasks that are gone without a receipt or dead letter, as far as is known now.'],
      [{ labels: { workspace }, value: lostCount }],
    ),
    {
      ...{ kind: 'histogram', name: 'vak_claim_to_done_seconds', boundsUs: doneBoundsUs },
      help: 'How long the attempt took that made a task done, by its receipt.',
      samples: [{ labels: { workspace }, histogram: claimToDone }],
    },
  ];
}

/** Everything that a look knows. */
export function metricFamilies(look: MetricsLook): readonly MetricFamily[] {
  const { workspace, live, tasks } = look;
  return [
    ...standingFamilies(look),
    ...(live === undefined ? [] : liveFamilies(workspace, live)),
    ...(tasks === undefined ? [] : taskFamilies(workspace, tasks)),
  ];
}
