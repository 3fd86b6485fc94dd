/**
 * One consumer of an embedded stream (protocol.md B4): pulls, ends of deliveries, ack waits; what it knows is journaled.
 * Law: an end that resolved is kept and never undone; a delivery is staged before anybody has it.
 */
import type { Disposable } from '../../../shared/base/disposer.ts';
import type { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { checkDelay, checkPull } from '../check-durable.ts';
import type { ConsumerSpec, ConsumerState, Delivery, PullOptions, StoredMessage } from '../durable.ts';
import { type ConsumerProgress, createConsumerProgress, type Taken } from './consumer-progress.ts';
import type { JournalChange } from './journal.ts';
import { encodeU64 } from './journal-keys.ts';
import { createSubjectMatch, type IndexedMessage } from './message-index.ts';
import type { StreamStore } from './message-store.ts';
import { createPullQueue, pullAborted } from './pull-queue.ts';
import type { StreamLog } from './stream-log.ts';
import { maxPageBytes } from './stream-page.ts';
import { encodeDelivery, type KeptDelivery, streamKeys } from './stream-records.ts';

export interface PullConsumerOptions {
  readonly spec: ConsumerSpec;
  /** Numbers under which its records lie. */
  readonly stream: number;
  readonly number: number;
  /** The first seq that it never delivered. */
  readonly cursor: number;
  readonly log: StreamLog;
  /** Runs when a message was acknowledged or termed. */
  readonly onEnded: (seq: number) => void;
  /** Runs when a message was given up: no delivery is left. */
  readonly onExhausted: (message: Taken) => void;
}

export interface PullConsumer {
  readonly spec: ConsumerSpec;
  readonly number: number;
  pull(options: PullOptions): Promise<readonly Delivery[]>;
  state(): ConsumerState;
  /** Whether it still has to deliver the message, or to see it ended. */
  needs(message: Pick<IndexedMessage, 'seq' | 'subject'>): boolean;
  /** For a message that is gone from the stream. */
  forget(seq: number): void;
  /** Looks whether something is to be done: new messages, a wait that ended. */
  wake(): void;
  /** Takes over what the journal holds of a message; it is due at once. */
  restore(seq: number, kept: KeptDelivery): void;
  /** Stages all that it keeps, as it is now: at its making. */
  stageAll(): void;
  /** Ends it: what waits is refused so. */
  stop(makeError: () => VakError): void;
  /** What is to be removed from the journal beside its specification when it is deleted; it keeps nothing after. */
  removal(): readonly JournalChange[];
}

/** One timer, for what is due first. One that was set too early only looks again. */
function createDueTimer(clock: Clock, run: () => void): { set(dueMs: number | undefined): void } {
  let timer: (Disposable & { readonly dueMs: number }) | undefined;
  return {
    set(dueMs) {
      if (dueMs !== undefined && timer !== undefined && timer.dueMs <= dueMs) return;
      timer?.dispose();
      timer = undefined;
      if (dueMs === undefined) return;
      const set = clock.setTimer(Math.max(0, dueMs - clock.monotonic()), () => {
        timer = undefined;
        run();
      });
      timer = { dueMs, dispose: () => set.dispose() };
    },
  };
}

/** What the journal is told of a consumer: its cursor, and each message whose state has changed since. */
function createConsumerRecord(
  { stream, number }: Pick<PullConsumerOptions, 'stream' | 'number'>,
  progress: ConsumerProgress,
) {
  const changed = new Set<number>();
  const cursorKey = streamKeys.cursor(stream, number);
  const keyOf = (seq: number): Uint8Array => streamKeys.outstanding(stream, number, seq);
  let isRemoved = false;
  return {
    add(seq: number): void {
      changed.add(seq);
    },
    changes(): JournalChange[] {
      if (isRemoved) return [];
      const changes = Array.from(changed, (seq) => {
        const kept = progress.kept(seq);
        return { key: keyOf(seq), value: kept && encodeDelivery(kept) };
      });
      changed.clear();
      return [{ key: cursorKey, value: encodeU64(progress.cursor()) }, ...changes];
    },
    removal(): JournalChange[] {
      isRemoved = true;
      const seqs = [...progress.outstanding(), ...changed];
      return [cursorKey, ...seqs.map(keyOf)].map((key) => ({ key, value: undefined }));
    },
  };
}

/** Creates a consumer. */
export function createPullConsumer(store: StreamStore, options: PullConsumerOptions): PullConsumer {
  const { writer, clock } = store;
  const { spec, log, number } = options;
  const match = createSubjectMatch(spec.filter);
  const progress = createConsumerProgress(spec, options.cursor);
  const queue = createPullQueue<Taken>(clock);
  const record = createConsumerRecord(options, progress);
  const timer = createDueTimer(clock, wake);
  let makeEndError: (() => VakError) | undefined;
  let deliveredCount = 0;
  let lastActiveMs: number | null = null;
  let lastEndedMs: number | null = null;

  function keep(seq: number): void {
    if (makeEndError !== undefined || !writer.isKeeping) return;
    record.add(seq);
    writer.touch(record);
  }

  function checkOpen(): void {
    if (makeEndError !== undefined) throw makeEndError();
  }

  const arm = (): void => timer.set(makeEndError === undefined ? progress.nextDueMs() : undefined);

  function giveUp(message: Taken): void {
    keep(message.seq);
    options.onExhausted(message);
  }

  const nextNew = (fromSeq: number): number | undefined => {
    const seq = log.index.next(fromSeq, match);
    return seq !== undefined && seq <= log.visibleSeq() ? seq : undefined;
  };

  function claim(batch: number): Taken[] {
    const claimed: Taken[] = [];
    const nowMs = clock.monotonic();
    let bytes = 0;
    while (claimed.length < batch && bytes < maxPageBytes) {
      const taken = progress.take(nowMs, nextNew);
      if (taken === undefined) break;
      bytes += log.index.sizeOf(taken.seq);
      keep(taken.seq);
      claimed.push(taken);
    }
    deliveredCount += claimed.length;
    if (claimed.length > 0) lastActiveMs = clock.now();
    return claimed;
  }

  function refresh(): void {
    log.expire();
    for (const message of progress.expire(clock.monotonic())) giveUp(message);
  }

  function wake(): void {
    if (makeEndError !== undefined || writer.readOnlyReason() !== undefined) return;
    refresh();
    queue.serve(claim);
    arm();
  }

  function endDelivery(seq: number): void {
    if (!progress.end(seq)) return;
    lastEndedMs = clock.now();
    keep(seq);
    options.onEnded(seq);
    // It made room for who waits; else the timer sees to what is due.
    if (queue.size() > 0) wake();
    else arm();
  }

  function toDelivery(message: StoredMessage, taken: Taken): Delivery {
    let isEnded = false;
    /** Whether this is the call that ends it; whoever comes later waits until that is kept, too. */
    function isFirstEnd(): boolean {
      checkOpen();
      const isFirst = !isEnded;
      isEnded = true;
      return isFirst;
    }
    function end(): Promise<void> {
      try {
        if (isFirstEnd()) endDelivery(taken.seq);
        return writer.flushed();
      } catch (error) {
        return Promise.reject(error);
      }
    }
    return {
      message,
      deliveryCount: taken.deliveries,
      ack: end,
      term: end,
      async nak(delayMs = 0) {
        checkDelay(delayMs);
        if (isFirstEnd()) {
          if (progress.nak(taken, clock.monotonic() + delayMs)) giveUp(taken);
          wake();
        }
        await writer.flushed();
      },
      async working() {
        checkOpen();
        if (!isEnded && progress.working(taken, clock.monotonic())) lastActiveMs = clock.now();
      },
    };
  }

  async function deliver(claimed: readonly Taken[]): Promise<readonly Delivery[]> {
    const loads = claimed.map(({ seq }) => log.load(seq));
    const isInMemory = !loads.some((load) => load instanceof Promise);
    const messages = isInMemory ? (loads as readonly (StoredMessage | undefined)[]) : await Promise.all(loads);
    const deliveries: Delivery[] = [];
    claimed.forEach((taken, at) => {
      const message = messages[at];
      if (message !== undefined) deliveries.push(toDelivery(message, taken));
    });
    return deliveries;
  }

  return {
    spec,
    number,
    async pull(pullOptions) {
      checkOpen();
      checkPull(pullOptions);
      writer.checkWritable(`pull from ${spec.name}`);
      if (pullOptions.signal?.aborted) throw pullAborted();
      refresh();
      const claimed = queue.size() > 0 ? [] : claim(pullOptions.batch);
      arm();
      if (claimed.length > 0 || pullOptions.waitMs === 0) return deliver(claimed);
      return deliver(await queue.wait(pullOptions));
    },
    state: () => ({
      spec,
      pendingCount:
        log.index.countFrom(progress.cursor(), match) -
        log.index.countFrom(Math.max(progress.cursor(), log.visibleSeq() + 1), match),
      inFlightCount: progress.inFlightCount(),
      redeliveredCount: progress.redeliveredCount(),
      waitingCount: queue.size(),
      ...{ deliveredCount, deliveredSeq: progress.cursor() - 1, lastActiveMs, lastEndedMs },
    }),
    needs: ({ seq, subject }) => (seq >= progress.cursor() ? match.isMatch(subject) : progress.kept(seq) !== undefined),
    forget(seq) {
      if (progress.end(seq)) keep(seq);
    },
    wake,
    restore: (seq, kept) => progress.restore(seq, kept, clock.monotonic()),
    stageAll() {
      writer.touch(record);
    },
    stop(makeError) {
      makeEndError = makeError;
      queue.rejectAll(makeError);
      arm();
    },
    removal: record.removal,
  };
}
