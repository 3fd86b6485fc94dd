/**
 * Brings one message of the outbox into its stream (protocol.md B8, W1).
 * Law: what may lie there since longer than the stream remembers ids is looked up before it is sent again, and an id under which
 * other bytes lie is never taken for success.
 */
import { type ErrorDetails, isVakError, VakError } from '../../shared/base/vak-error.ts';
import { type StreamSpec, streamsOf } from '../../shared/protocol/stream-table.ts';
import { matches, parseSubject } from '../../shared/protocol/subject.ts';
import type { Appended, DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutboxGuard } from './outbox.ts';
import type { OutboxStore } from './outbox-store.ts';

/** A message on its way; what changes is changed here alone. */
export interface Parcel {
  readonly number: number;
  readonly subject: string;
  readonly messageId: string;
  /** When it was put into the outbox, ms since the epoch. */
  readonly putMs: number;
  readonly expectedLastSeq: number | undefined;
  /** When it was sent first, ms since the epoch; undefined: never. */
  sentMs: number | undefined;
  /** The same on the monotonic clock, if it was in this process. */
  sentMonotonicMs: number | undefined;
}

/** `later`: try again. */
export type Delivered =
  | { readonly kind: 'stored'; readonly appended: Appended }
  | { readonly kind: 'refused'; readonly error: VakError }
  | { readonly kind: 'later'; readonly error: unknown };

/** What sending takes. */
export interface DeliveryOptions {
  readonly parcel: Parcel;
  readonly plane: DurablePlane;
  readonly signal: AbortSignal;
}

/** What was found under an id. `isOther`: another message, which is not to be seen. */
interface Look {
  readonly data: Uint8Array | undefined;
  readonly isOther: boolean;
}

/** So much sooner than the window ends a message is looked up: it may still be under way when it is sent. */
const windowMarginMs = 60_000;
/** So much earlier than it was sent it is looked for: the server's clock need not be ours. */
const clockSkewMs = 15 * 60_000;
/** So long after it was put a message goes without a further look at it. */
const freshMs = 1_000;
const pageLimit = 256;
/** So long a message whose answer was lost may still be under way to its stream. */
const doubtMs = 2 * 60_000;

/** Codes that say: this message, never. Everything else may pass. */
const finalCodes: ReadonlySet<string> = new Set([
  'conflict',
  'forbidden',
  'invalid-input',
  'invalid-payload',
  'invalid-subject',
  'limit-exceeded',
  'no-such-peer',
  'unauthorized',
]);

/** Whether a failure is for good: by its code, unless it says itself that trying again can help. */
export function isRefusal(error: unknown): error is VakError {
  return isVakError(error) && finalCodes.has(error.code) && !error.retryable;
}

/** The stream that takes a subject. Throws `invalid-subject` if none does. */
export function streamOfSubject(subject: string): StreamSpec {
  const { workspace } = parseSubject(subject);
  const spec = streamsOf(workspace).find(({ subjects }) => subjects.some((pattern) => matches(pattern, subject)));
  if (spec !== undefined) return spec;
  const message = 'subject: no stream keeps it; what may be lost is published on the bus itself';
  throw new VakError('invalid-subject', message, { details: { field: 'subject' } });
}

/** Whether the engine or the server keeps this peer from looking. */
const isBarred = (error: unknown): boolean => isVakError(error, 'forbidden') || isVakError(error, 'unauthorized');

const isSame = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

const conflictOf = (message: string, details: ErrorDetails = {}): Delivered => {
  return { kind: 'refused', error: new VakError('conflict', message, { details }) };
};

const storedAs = ({ stream, seq }: StoredMessage): Delivered => {
  return { kind: 'stored', appended: { stream, seq, isDuplicate: true } };
};

export interface OutboxDeliveryDeps {
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly guard: OutboxGuard | undefined;
}

/** Creates what delivers the messages of a store. */
export function createOutboxDelivery({ store, clock, guard }: OutboxDeliveryDeps) {
  /** Whether a stream may have forgotten the id, if it has the message. A clock that was set back proves nothing. */
  function isForgotten({ subject, sentMs = 0, sentMonotonicMs }: Parcel): boolean {
    const wallMs = clock.now() - sentMs;
    const elapsedMs = Math.max(wallMs, sentMonotonicMs === undefined ? 0 : clock.monotonic() - sentMonotonicMs);
    return wallMs < 0 || elapsedMs >= streamOfSubject(subject).dedupeWindowMs - windowMarginMs;
  }

  /** Where these bytes lie, if they do. An envelope's bytes hold its id: equal ones are the same message. */
  async function find({ parcel, plane, signal }: DeliveryOptions, data: Uint8Array) {
    const { subject, sentMs, putMs } = parcel;
    const stream = plane.stream(streamOfSubject(subject).name);
    const last = await stream.last(subject);
    if (last !== undefined && isSame(last.data, data)) return last;
    let from: { fromMs: number } | { fromSeq: number } = { fromMs: Math.min(sentMs ?? putMs, putMs) - clockSkewMs };
    for (;;) {
      const page = await stream.read({ subject, ...from, limit: pageLimit, signal });
      const found = page.messages.find((message) => isSame(message.data, data));
      if (found !== undefined || page.nextSeq === undefined) return found;
      from = { fromSeq: page.nextSeq };
    }
  }

  /** Who may not look sends again: whoever handles it remembers what it has handled (E15). */
  async function findIfAllowed(options: DeliveryOptions, data: Uint8Array): Promise<StoredMessage | undefined> {
    try {
      return await find(options, data);
    } catch (error) {
      if (isBarred(error)) return undefined;
      throw error;
    }
  }

  /**
   * What lies where a message of ours lies already, as it is said. A server can let a peer read by subject, and not by place (A4): then
   * what is not found on our subject is another's.
   */
  async function lookAt({ stream: name, seq }: Appended, { parcel, plane }: DeliveryOptions): Promise<Look> {
    const { subject } = parcel;
    const stream = plane.stream(name);
    try {
      return { data: (await stream.get(seq))?.data, isOther: false };
    } catch (error) {
      if (!isBarred(error)) throw error;
    }
    if (streamOfSubject(subject).retention !== 'limits') return { data: undefined, isOther: false };
    try {
      const { messages } = await stream.read({ subject, fromSeq: seq, limit: 1 });
      const data = messages.find((message) => message.seq === seq)?.data;
      return { data, isOther: data === undefined };
    } catch (error) {
      if (!isBarred(error)) throw error;
      return { data: undefined, isOther: false };
    }
  }

  /**
   * A conditional publish whose outcome is not known is looked up and never sent: what it expected may have changed. If it is not
   * there, it is refused only when it cannot come any more.
   */
  async function resolveDoubt(options: DeliveryOptions, data: Uint8Array): Promise<Delivered> {
    const { parcel, plane } = options;
    const last = await plane.stream(streamOfSubject(parcel.subject).name).last(parcel.subject);
    const found = await find(options, data);
    if (found !== undefined) return storedAs(found);
    const canStillCome = (last?.seq ?? 0) === parcel.expectedLastSeq && clock.now() - parcel.putMs < doubtMs;
    if (canStillCome) return { kind: 'later', error: new VakError('timeout', 'its outcome is not known yet') };
    return conflictOf(
      'a conditional message whose answer was lost is not in its stream; read what is there, then decide',
    );
  }

  async function note(parcel: Parcel): Promise<void> {
    const sentMs = clock.now();
    await store.mark(parcel.number, sentMs);
    parcel.sentMs = sentMs;
    parcel.sentMonotonicMs = clock.monotonic();
  }

  async function send({ parcel, plane, signal }: DeliveryOptions, data: Uint8Array): Promise<Delivered> {
    let appended: Appended;
    try {
      appended = await plane.append(parcel.subject, data, { messageId: parcel.messageId, signal });
    } catch (error) {
      // Only what the stream itself says of the message counts: that looking it up failed says nothing of it.
      if (isRefusal(error)) return { kind: 'refused', error };
      throw error;
    }
    if (!appended.isDuplicate) return { kind: 'stored', appended };
    const { data: stored, isOther } = await lookAt(appended, { parcel, plane, signal });
    // Gone: its consumer was quicker than the answer; or nobody lets us look. An id holds 64 bits of the leaf, nobody meets it by chance.
    if (!isOther && (stored === undefined || isSame(stored, data))) return { kind: 'stored', appended };
    const { stream, seq } = appended;
    return conflictOf('another message lies in the stream under this message id', { stream, seq });
  }

  /** It goes as it was put: what it was made for was looked at then. */
  function isFresh({ sentMs, putMs }: Parcel): boolean {
    const waitedMs = clock.now() - putMs;
    return sentMs === undefined && waitedMs >= 0 && waitedMs < freshMs;
  }

  async function withdraw(options: DeliveryOptions, data: Uint8Array): Promise<Delivered> {
    const found = options.parcel.sentMs === undefined ? undefined : await findIfAllowed(options, data);
    return found === undefined ? conflictOf('what it was made for has ended', { why: 'stale' }) : storedAs(found);
  }

  /** What became of it without being sent; undefined: it goes. */
  async function holdBack(options: DeliveryOptions, data: Uint8Array): Promise<Delivered | undefined> {
    const { parcel } = options;
    if (guard === undefined || isFresh(parcel)) return undefined;
    const asked: ReturnType<OutboxGuard> = guard({ subject: parcel.subject, data });
    const word = await asked;
    if (word === 'stale') return withdraw(options, data);
    if (word === 'send') return undefined;
    return { kind: 'later', error: new VakError('timeout', 'nobody can say yet whether it may go') };
  }

  async function attempt(options: DeliveryOptions): Promise<Delivered> {
    const { parcel } = options;
    const data = await store.data(parcel.number);
    if (data === undefined) {
      const message = 'outbox: the message that was to be sent is damaged in the journal, or gone from it';
      return { kind: 'refused', error: new VakError('corrupt', message) };
    }
    if (parcel.expectedLastSeq !== undefined) return resolveDoubt(options, data);
    const held = await holdBack(options, data);
    if (held !== undefined) return held;
    if (parcel.sentMs !== undefined && isForgotten(parcel)) {
      const found = await findIfAllowed(options, data);
      if (found !== undefined) return storedAs(found);
      // It is not there: from here on the stream's window counts anew.
      await note(parcel);
    } else if (parcel.sentMs === undefined) {
      await note(parcel);
    }
    return send(options, data);
  }

  return {
    /** Tries once. Never rejects. */
    async deliver(options: DeliveryOptions): Promise<Delivered> {
      try {
        return await attempt(options);
      } catch (error) {
        return { kind: 'later', error };
      }
    },
  };
}
