/**
 * The port to the fabric (protocol.md §5); both engines and the peers' channel implement it.
 * Law: every subscription has a bound and a stated policy, one publisher's messages stay in order, drops are counted (B1, B2).
 */
import type { Disposable } from '../../shared/base/disposer.ts';

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

/** Counters of a bus since it began (W10). A delivery to each subscriber counts as received. */
export interface BusMetrics {
  readonly publishedCount: number;
  readonly receivedCount: number;
  readonly publishedBytes: number;
  readonly receivedBytes: number;
  readonly droppedCount: number;
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
