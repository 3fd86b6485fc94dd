/**
 * The port to the fabric (protocol.md §5); both engines and the peers' channel implement it.
 * Law: every subscription has a bound and a stated policy, one publisher's messages stay in order, drops are counted (B1, B2).
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { HistogramSnapshot } from '../metrics/histogram.ts';

/** Largest message, in bytes (E2). */
export const maxMessageBytes = 1024 * 1024;

/** A message on its way. Subscribers share `data`: nobody may write to it (B1). */
export interface Message {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Answers a request; only on messages that were sent by `request`. The first answer counts. */
  readonly respond?: (data: Uint8Array) => void;
}

/** Runs inside `publish`: for work that is cheap and bounds itself. */
export interface InlineDelivery {
  readonly kind: 'inline';
  readonly onMessage: (message: Message) => void;
}

/**
 * Waits in a buffer that is handed over once a turn; the next batch comes only when the promise of the last one is settled.
 * `drop-oldest`: at most `capacity` messages, the oldest give way and are counted.
 * `latest`: one message a subject, at most `capacity` subjects; a newer one replaces the older, which is counted.
 */
export interface BufferedDelivery {
  readonly kind: 'drop-oldest' | 'latest';
  /** Whole number ≥ 1. */
  readonly capacity: number;
  /** `dropped`: how many gave way since the last batch. */
  readonly onBatch: (messages: readonly Message[], dropped: number) => void | Promise<void>;
}

export type Delivery = InlineDelivery | BufferedDelivery;

/** Counts of one subscription since it began. */
export interface SubscriptionStats {
  readonly pattern: string;
  readonly deliveredCount: number;
  readonly droppedCount: number;
  /** Waiting now. */
  readonly bufferedCount: number;
  /** How often its handler threw. */
  readonly failedCount: number;
}

/** A live subscription; disposing it ends it at once and discards what waits. */
export interface Subscription extends Disposable {
  stats(): SubscriptionStats;
}

/** Subscriptions that the metrics list one by one; of more those that drop most. */
export const maxListedSubscriptions = 256;

/** Counters of this end of a bus since it began (W10, W10a): each only rises. */
export interface BusMetrics {
  /** What was published here, each message once: published, asked, or appended to a stream by the durable plane of the same fabric. */
  readonly publishedCount: number;
  readonly publishedBytes: number;
  /** What reached the subscriptions here, once for each of them, whether their bounds let it pass or not. */
  readonly receivedCount: number;
  readonly receivedBytes: number;
  /** What gave way in subscriptions, ended ones too, and what was lost on its way: without a connection, or past a bound. */
  readonly droppedCount: number;
  /** From publishing (of what came from elsewhere: from its arrival) to the handler, of every message that a buffered subscription handed over (W10b). */
  readonly waits: HistogramSnapshot;
  readonly subscriptionCount: number;
  /** At most {@link maxListedSubscriptions}. */
  readonly subscriptions: readonly SubscriptionStats[];
}

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Bus {
  /** Publishes on a subject of the table (S4). Throws `invalid-subject`, `limit-exceeded` (> 1 MiB), `closed`. */
  publish(subject: string, data: Uint8Array): void;
  /** Subscribes to a pattern (S2). Throws `invalid-pattern`, `closed`. */
  subscribe(pattern: string, delivery: Delivery): Subscription;
  /** Asks and waits for the first answer. Rejects with `no-responders` at once if nobody listens, `timeout`, `aborted`, `closed`, `disconnected`, `unauthorized` (B5). */
  request(subject: string, data: Uint8Array, options: RequestOptions): Promise<Uint8Array>;
  /** Resolves when the bus takes more without queueing; publishers of bulk wait for it. Rejects with `closed`. */
  whenWritable(): Promise<void>;
  metrics(): BusMetrics;
  /** Delivers what waits, then ends every subscription and pending request. */
  close(): Promise<void>;
}
