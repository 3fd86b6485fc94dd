/**
 * One subscription's end of a bus: its bound, its policy, its counts (protocol.md B2).
 * Law: accepting a message never waits and never throws; what gives way is counted.
 */
import { createArrivalRuns } from '../metrics/arrival-runs.ts';
import type { TurnTime } from '../metrics/turn-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { BufferedDelivery, Delivery, InlineDelivery, Message, SubscriptionStats } from './bus.ts';
import type { BusCounters } from './bus-counters.ts';

export interface SubscriptionSink {
  /** Of an inline subscription until it ends: `deliverTo` runs it itself, for one call less a message. */
  onMessage: InlineDelivery['onMessage'] | undefined;
  /** Plain fields, no accessors: sinks of one shape are what makes `deliverTo` fast. */
  deliveredCount: number;
  droppedCount: number;
  /** Counts and logs what its handler threw. */
  failed(thrown: unknown): void;
  /** Of a buffered subscription. */
  accept(message: Message): void;
  /** Adds what gave way before it came here; the next batch reports it. */
  countDrops(count: number): void;
  stats(): SubscriptionStats;
  /** Resolves when nothing waits any more and no handler runs. */
  drain(): Promise<void>;
  /** Ends it: what waits is discarded, and counts as dropped. */
  stop(): void;
}

/** What a sink is made of. */
export interface SinkOptions {
  readonly pattern: string;
  /** Of its bus: its drops and waits are added there. */
  readonly counters: BusCounters;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Hands one message to all. */
export function deliverTo(sinks: readonly SubscriptionSink[], message: Message): void {
  for (const sink of sinks) {
    const { onMessage } = sink;
    if (onMessage === undefined) {
      sink.accept(message);
      continue;
    }
    sink.deliveredCount++;
    try {
      onMessage(message);
    } catch (thrown) {
      sink.failed(thrown);
    }
  }
}

type TellCame = (atMs: number, count: number) => void;

interface Waiting {
  size(): number;
  /** What is pushed next comes in another turn than what was before. */
  beginTurn(): void;
  /** Returns how many messages gave way. */
  push(message: Message): number;
  /** Tells when they came. */
  drain(tellCame: TellCame): readonly Message[];
  clear(): void;
}

/** What stands where a message gave way. */
const gone: Message = { subject: '', data: new Uint8Array(0) };
const leastRoom = 16;
/** No turn has it as its id. */
const noTurn = -1;

/** A list that is handed over as it is, with room for as many as last time: what waits is copied only where some gave way. */
function createOldestGivesWay(capacity: number, turn: TurnTime): Waiting {
  let messages: Message[] = new Array(leastRoom);
  const runs = createArrivalRuns();
  /** How many have left: the number of the message at `head`. */
  let leftCount = 0;
  /** What is before `head` gave way; what is from `end` on is not there yet. */
  let head = 0;
  let end = 0;

  function giveWay(): void {
    messages[head] = gone;
    head++;
    leftCount++;
    if (head < capacity) return;
    messages.copyWithin(0, head, end);
    end -= head;
    messages.fill(gone, end);
    head = 0;
  }

  function begin(room: number): void {
    messages = new Array(room);
    head = 0;
    end = 0;
  }

  return {
    size: () => end - head,
    beginTurn() {
      runs.add(leftCount + end - head, turn.atMs, leftCount);
    },
    push(message) {
      messages[end] = message;
      end++;
      if (end - head <= capacity) return 0;
      giveWay();
      return 1;
    },
    drain(tellCame) {
      const all = messages;
      all.length = end;
      const batch = head === 0 ? all : all.slice(head);
      runs.take(leftCount, leftCount + batch.length, tellCame);
      leftCount += batch.length;
      begin(Math.max(leastRoom, batch.length));
      return batch;
    },
    clear: () => begin(leastRoom),
  };
}

function createLatestOfEachSubject(capacity: number, turn: TurnTime): Waiting {
  const latest = new Map<string, { readonly message: Message; readonly atMs: number }>();
  return {
    size: () => latest.size,
    beginTurn() {},
    push(message) {
      const isReplacing = latest.has(message.subject);
      let gaveWay = isReplacing ? 1 : 0;
      if (!isReplacing && latest.size >= capacity) {
        for (const oldest of latest.keys()) {
          latest.delete(oldest);
          gaveWay++;
          break;
        }
      }
      latest.set(message.subject, { message, atMs: turn.atMs });
      return gaveWay;
    },
    drain(tellCame) {
      const all = Array.from(latest.values(), ({ message, atMs }) => {
        tellCame(atMs, 1);
        return message;
      });
      latest.clear();
      return all;
    },
    clear: () => latest.clear(),
  };
}

const countsOf = ({ deliveredCount, droppedCount }: SubscriptionSink) => ({ deliveredCount, droppedCount });

function createInlineSink(delivery: InlineDelivery, { pattern, counters, logger }: SinkOptions): SubscriptionSink {
  let failedCount = 0;
  const sink: SubscriptionSink = {
    onMessage: delivery.onMessage,
    deliveredCount: 0,
    droppedCount: 0,
    failed(thrown) {
      failedCount++;
      logger.bug('bus.subscriber-threw', thrown);
    },
    // It has ended, or it would not be asked.
    accept() {},
    countDrops(count) {
      sink.droppedCount += count;
      counters.droppedCount += count;
    },
    stats: () => ({ ...countsOf(sink), pattern, bufferedCount: 0, failedCount }),
    drain: () => Promise.resolve(),
    stop() {
      sink.onMessage = undefined;
    },
  };
  return sink;
}

function createBufferedSink(delivery: BufferedDelivery, options: SinkOptions): SubscriptionSink {
  const { counters, clock } = options;
  const { turn } = counters;
  const create = delivery.kind === 'latest' ? createLatestOfEachSubject : createOldestGivesWay;
  const waiting = create(delivery.capacity, turn);
  /** The turn in which the last message came; none before the first one of a batch. */
  let lastTurn = noTurn;
  let reportedDrops = 0;
  let failedCount = 0;
  let isScheduled = false;
  let isHandling = false;
  let isStopped = false;
  let idleWaiters: (() => void)[] = [];
  let handedOverMs = 0;
  const recordWait: TellCame = (atMs, count) => counters.waits.record(handedOverMs - atMs, count);

  function drop(count: number): void {
    sink.droppedCount += count;
    counters.droppedCount += count;
  }

  function beginTurn(): void {
    turn.begin();
    lastTurn = turn.id;
    waiting.beginTurn();
  }

  function settle(): void {
    isHandling = false;
    if (waiting.size() > 0 && !isStopped) {
      schedule();
      return;
    }
    const waiters = idleWaiters;
    idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  function failed(thrown: unknown): void {
    failedCount++;
    options.logger.bug('bus.subscriber-threw', thrown);
  }

  function handOver(): void {
    isScheduled = false;
    if (isStopped) {
      settle();
      return;
    }
    handedOverMs = clock.monotonic();
    lastTurn = noTurn;
    const batch = waiting.drain(recordWait);
    sink.deliveredCount += batch.length;
    const drops = sink.droppedCount - reportedDrops;
    reportedDrops = sink.droppedCount;
    isHandling = true;
    try {
      const handled = delivery.onBatch(batch, drops);
      if (handled === undefined) settle();
      else void handled.catch(failed).then(settle);
    } catch (thrown) {
      failed(thrown);
      settle();
    }
  }

  function schedule(): void {
    isScheduled = true;
    clock.defer(handOver);
  }

  const sink: SubscriptionSink = {
    onMessage: undefined,
    deliveredCount: 0,
    droppedCount: 0,
    failed,
    accept(message) {
      if (isStopped) return;
      if (turn.id !== lastTurn) beginTurn();
      const gaveWay = waiting.push(message);
      if (gaveWay > 0) drop(gaveWay);
      if (!(isScheduled || isHandling)) schedule();
    },
    countDrops: drop,
    stats: () => ({
      ...countsOf(sink),
      pattern: options.pattern,
      bufferedCount: waiting.size(),
      failedCount,
    }),
    drain() {
      if (!isScheduled && !isHandling) return Promise.resolve();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
    stop() {
      isStopped = true;
      drop(waiting.size());
      waiting.clear();
      if (!isHandling) settle();
    },
  };
  return sink;
}

/** Creates the sink for a stated policy. Throws `RangeError` if the capacity is no whole number ≥ 1. */
export function createSubscriptionSink(delivery: Delivery, options: SinkOptions): SubscriptionSink {
  if (delivery.kind === 'inline') return createInlineSink(delivery, options);
  if (!Number.isSafeInteger(delivery.capacity) || delivery.capacity < 1) {
    throw new RangeError(`subscription: capacity must be a whole number ≥ 1, got ${delivery.capacity}`);
  }
  return createBufferedSink(delivery, options);
}
