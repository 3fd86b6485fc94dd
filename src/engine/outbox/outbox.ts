/**
 * The port to the on-disk outbox of durable messages (protocol.md B8, E12, W1).
 * Law: what `put` has acknowledged reaches its stream once, in the order of the puts of its source, or is refused for good and said
 * so; nothing is dropped, whatever dies meanwhile.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ErrorShape } from '../../shared/base/vak-error.ts';
import type { BusStatusSource } from '../bus/bus-status.ts';
import type { Appended, DurablePlane } from '../bus/durable.ts';
import type { Journal } from '../bus/memory/journal.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';

/** A durable message and its place in the chain of its source. */
export interface OutboxEntry {
  readonly subject: string;
  /** The message as it is stored; nobody may write to it any more. */
  readonly data: Uint8Array;
  /** The envelope's id and the first 16 hex digits of its leaf (W1). */
  readonly messageId: string;
  readonly source: string;
  readonly seq: number;
  readonly leaf: string;
  /** Of a conditional publish whose outcome is not known: it is looked up, and refused if it is not there; never sent. */
  readonly expectedLastSeq?: number;
}

/** What was refused for good. `number`: names it to `put`, when its void record is kept. */
export interface Refusal {
  readonly number: number;
  readonly subject: string;
  readonly messageId: string;
  readonly source: string;
  readonly seq: number;
  readonly leaf: string;
  readonly error: ErrorShape;
  /** Whether a void record is owed: not for a void record itself. */
  readonly isVoidOwed: boolean;
}

/** What was stored. */
export interface OutboxDelivery {
  readonly subject: string;
  readonly messageId: string;
  readonly source: string;
  readonly seq: number;
  readonly appended: Appended;
}

/** What waits now. */
export interface OutboxWaiting {
  readonly count: number;
  readonly bytes: number;
  readonly sourceCount: number;
  /** When the oldest was put, ms since the epoch. */
  readonly oldestMs: number | undefined;
  /** Refused ones whose void record is not kept yet; they count against the limit. */
  readonly voidOwedCount: number;
  /** Records of the journal that could not be read. */
  readonly damagedCount: number;
  /** Why the last try failed; undefined after one that did not. */
  readonly lastError: ErrorShape | undefined;
}

export interface PutOptions {
  /** The refusal that this is the void record of. It takes its place, so that a full outbox does not refuse it. */
  readonly settles?: number;
}

export interface Outbox {
  /**
   * Takes a message; resolves when it is on disk. Throws `limit-exceeded` (the outbox is full, or the message is too large),
   * `read-only` or `disk-full` (the journal), `invalid-subject` (no stream keeps it), `invalid-input` (its id), `exists` (it waits already), `closed`.
   */
  put(entry: OutboxEntry, options?: PutOptions): Promise<void>;
  waiting(): OutboxWaiting;
  /** What waits, by the ids that its streams know it by. */
  messageIds(): readonly string[];
  /**
   * Resolves when a message that was put is stored; may be asked as soon as `put` was called. Rejects with why it was refused for
   * good or could not be put, `not-found` if it does not wait here, `closed` (it is kept, and sent after the next start), `aborted`.
   */
  settled(messageId: string, signal?: AbortSignal): Promise<Appended>;
  /** Refusals whose void record is owed, oldest first. */
  refusals(): readonly Refusal[];
  onRefused(listener: (refusal: Refusal) => void): Disposable;
  onDelivered(listener: (delivery: OutboxDelivery) => void): Disposable;
  /** Ends of the chains that go through here: they move with `put`, in the same batch. */
  readonly heads: HeadStore;
  /** Waits until all is stored and no void is owed; gives whether it came to that in time. */
  drain(limitMs: number): Promise<boolean>;
  /** Sends nothing more. What waits stays in the journal, which the caller closes afterwards. */
  close(): Promise<void>;
}

/** A message before it is tried. */
export interface GuardedMessage {
  readonly subject: string;
  readonly data: Uint8Array;
}

/**
 * Says of a message that was not sent at once, or whose answer was lost, whether it still may go (R8). `stale`: it is looked up in its
 * stream, and refused for good, as `conflict` with `details.why` `stale`, if it is not there. `later`: nobody can say now; what its
 * source has put behind it waits too.
 */
export type OutboxGuard = (message: GuardedMessage) => Promise<'send' | 'stale' | 'later'>;

export interface OutboxDeps {
  readonly journal: Journal;
  /** Undefined while there is no engine; `status` says `connected` when there is one. */
  readonly durable: () => DurablePlane | undefined;
  readonly status: BusStatusSource;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Everything goes unless told. */
  readonly guard?: OutboxGuard;
  /** 100 000 unless told. */
  readonly maxCount?: number;
  /** 64 MiB unless told. */
  readonly maxBytes?: number;
}
