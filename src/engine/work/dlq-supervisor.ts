/**
 * Ends the tasks that died without a word: their deliveries are exhausted, and no worker buried them (protocol.md W3).
 * Law: a task is deleted only after its dead letter is stored; what is done, or buried already, gets no dead letter.
 *
 * It hears of them by advisories, which wait in their stream while no supervisor runs, and it sweeps: on a queue where nothing is
 * pending and nothing in flight, whatever still stands is exhausted. A claim that nobody renews and nobody pulls after is neither:
 * such a queue has no worker, which is an alert, and its tasks wait for one.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { checkToken, parseSubject } from '../../shared/protocol/subject.ts';
import type { ConsumerSpec, Delivery, DurablePlane, MaxDeliveriesAdvisory, StoredMessage } from '../bus/durable.ts';
import { advisorySubject, decodeMaxDeliveries } from '../bus/max-deliveries-advisory.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type Death, taskLeafOf } from './dead-letter.ts';
import type { DeadLetterOffice } from './dead-letter-office.ts';
import { startPullLoop } from './pull-loop.ts';
import type { TaskBook } from './task-book.ts';
import type { WorkFollower } from './work-follower.ts';
import { queueOfConsumer, taskSubject, workStreamOf } from './work-queue.ts';

/** What became of a task that the supervisor looked at. `settled`: it was done or buried before, and only had to go. */
export interface SupervisorEvent {
  readonly kind: 'buried' | 'settled';
  readonly queue: string;
  readonly seq: number;
  readonly taskId: string | null;
}

export interface DlqSupervisorDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly reader: EnvelopeReader;
  readonly office: DeadLetterOffice;
  /** What is known of the tasks; the follower fills it. */
  readonly book: TaskBook;
  readonly follower: WorkFollower;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onEvent: (event: SupervisorEvent) => void;
  /** Told once of each time during which advisories cannot be read. */
  readonly onTrouble: (code: string, message: string) => void;
  /** Told when they can be read again. */
  readonly onBack?: () => void;
}

export interface DlqSupervisor {
  /** Looks at every queue now. Throws what reading throws. */
  sweep(): Promise<void>;
  /** Ends what is under way, and stops. */
  close(): Promise<void>;
}

const sweepEveryMs = 30_000;
const batch = 16;
const pageLimit = 100;
/** A dead letter of it waits to be stored; then it is asked again, ms. */
const againMs = 5_000;

/** Name of the stream of what a server says of tasks that nobody ended. */
export function advisoryStreamOf(workspace: string): string {
  return `VAK_ADV_${checkToken(workspace, 'workspace')}`;
}

/** The supervisor's consumer of it. */
export function advisoryConsumer(workspace: string): ConsumerSpec {
  const filter = advisorySubject(workStreamOf(workspace), '>');
  // An advisory is kept until its task has an end, however often that fails.
  return { name: 'dlq-supervisor', filter, ackWaitMs: 30_000, maxDeliver: 1_000_000, maxInFlight: 256, start: 'all' };
}

const wordless = 'Its workers claimed it and never said what became of it: they died, or lost the connection.';

/** Begins to supervise. Throws what making the consumer of advisories throws: `not-found` (the streams are not there) … */
export async function startDlqSupervisor(deps: DlqSupervisorDeps): Promise<DlqSupervisor> {
  const { workspace, durable, reader, office, book, follower, clock, logger, onEvent } = deps;
  const work = durable.stream(workStreamOf(workspace));
  const advisories = durable.stream(advisoryStreamOf(workspace));
  const spec = advisoryConsumer(workspace);
  const lane = createSerialLane();
  let isClosing = false;

  function deathOf(leaf: string, deliveries: number): Death {
    const receipts = book.get(leaf)?.receipts ?? [];
    const last = receipts.at(-1);
    const history = receipts.map(({ attempt, workerId, startedAt, endedAt, reason = '', exitCode }) => ({
      ...{ attempt, workerId, startedAt, endedAt, reason },
      ...(exitCode === undefined ? {} : { exitCode }),
    }));
    // The last attempt told its end: its worker died before it could bury the task.
    const isTold = last !== undefined && last.attempt >= deliveries;
    return {
      ...{ attempts: deliveries, history, failedAt: new Date(clock.now()).toISOString() },
      reason: isTold ? (last.reason ?? wordless) : wordless,
      errorClass: isTold ? (last.errorClass ?? 'failed') : 'worker-lost',
      ...(isTold && last.stack !== undefined ? { stack: last.stack } : {}),
      workerId: last?.workerId ?? null,
    };
  }

  /** Gives the task its end; false: it has to be looked at again later. */
  async function end(message: StoredMessage, deliveries: number): Promise<boolean> {
    await follower.refresh();
    const reading = reader.read(message.data);
    const leaf = taskLeafOf(message, reading);
    const known = book.get(leaf);
    const isSettled = known?.deadLetter !== undefined || known?.state === 'done';
    const isBuried = isSettled || (await office.bury({ message, reading, death: deathOf(leaf, deliveries) }));
    if (!isBuried) return false;
    await work.delete(message.seq);
    const { entity: queue } = parseSubject(message.subject);
    const taskId = reading.kind === 'envelope' ? reading.envelope.id : null;
    onEvent({ kind: isSettled ? 'settled' : 'buried', queue, seq: message.seq, taskId });
    return true;
  }

  /** The task of an advisory; undefined: it is gone, or the advisory is none of a queue. */
  async function taskOf({ stream, consumer, streamSeq }: MaxDeliveriesAdvisory): Promise<StoredMessage | undefined> {
    const queue = queueOfConsumer(consumer);
    if (queue === undefined || stream !== workStreamOf(workspace)) return undefined;
    const message = await work.get(streamSeq);
    return message?.subject === taskSubject({ workspace, queue }) ? message : undefined;
  }

  async function take(delivery: Delivery): Promise<void> {
    const advisory = decodeMaxDeliveries(delivery.message.data);
    if (advisory === undefined) return await delivery.term();
    const message = await taskOf(advisory);
    const isOver = message === undefined || (await end(message, advisory.deliveries));
    await (isOver ? delivery.ack() : delivery.nak(againMs));
  }

  async function takeSafely(delivery: Delivery): Promise<void> {
    try {
      await lane.run(() => take(delivery));
    } catch (error) {
      if (isVakError(error)) logger.warn('dlq-supervisor', { code: error.code });
      else logger.bug('dlq-supervisor', error);
      await delivery.nak(againMs).catch(() => undefined);
    }
  }

  /** What stands in a queue up to a place although nothing of it is pending or in flight. */
  async function sweepQueue(subject: string, lastSeq: number, deliveries: number): Promise<void> {
    let fromSeq: number | undefined = 1;
    while (fromSeq !== undefined && !isClosing) {
      const page = await work.read({ fromSeq, subject, limit: pageLimit });
      for (const message of page.messages) {
        if (message.seq > lastSeq) return;
        await end(message, deliveries);
      }
      fromSeq = page.nextSeq;
    }
  }

  async function sweepAll(): Promise<void> {
    // First the place, then the consumers: what comes in between is not swept.
    const { lastSeq, messageCount } = await work.state();
    if (messageCount === 0) return;
    for (const { spec: consumer, pendingCount, inFlightCount } of await work.consumers()) {
      const queue = queueOfConsumer(consumer.name);
      if (queue === undefined || consumer.filter !== taskSubject({ workspace, queue })) continue;
      if (pendingCount === 0 && inFlightCount === 0) await sweepQueue(consumer.filter, lastSeq, consumer.maxDeliver);
    }
  }

  const sweep = (): Promise<void> => lane.run(async () => (isClosing ? undefined : await sweepAll()));

  function sweepSafely(): void {
    sweep().catch((error: unknown) => {
      if (isVakError(error)) logger.warn('dlq-supervisor.sweep', { code: error.code });
      else logger.bug('dlq-supervisor.sweep', error);
    });
  }

  const ensure = () => advisories.ensureConsumer(spec);
  const { onTrouble, onBack = () => {} } = deps;
  const loop = startPullLoop(
    {
      ...{ ensure, clock, logger, onTrouble, onBack, room: () => batch },
      async take(deliveries) {
        for (const delivery of deliveries) await takeSafely(delivery);
      },
    },
    await ensure(),
  );
  const ticker = clock.setTicker(sweepEveryMs, sweepSafely);
  sweepSafely();

  return {
    sweep,
    async close() {
      isClosing = true;
      ticker.dispose();
      await loop.close();
      await lane.idle();
    },
  };
}
