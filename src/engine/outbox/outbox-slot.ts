/**
 * A message of the outbox in memory, and who waits for it (protocol.md B8).
 * Law: whoever waits is answered once: stored, refused, given up, or closed.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Appended } from '../bus/durable.ts';
import type { Refusal } from './outbox.ts';
import type { Delivered, Parcel } from './outbox-delivery.ts';
import type { LaneItem } from './outbox-lanes.ts';
import type { KeptEntry, KeptRefusal } from './outbox-store.ts';

interface Waiter {
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** A message that waits; its bytes are in the journal. */
export interface OutboxSlot extends Parcel, LaneItem {
  readonly seq: number;
  readonly leaf: string;
  readonly sizeBytes: number;
  /** What became of it, while the journal does not know. */
  outcome: Exclude<Delivered, { kind: 'later' }> | undefined;
  readonly waiters: Set<Waiter>;
  /** Since when its subject is denied, on the monotonic clock. */
  deniedSinceMs: number | undefined;
}

/** The slot of what the journal keeps, ready to be sent. */
export const slotOf = ({ number, record, sizeBytes, sentMs }: KeptEntry): OutboxSlot => {
  const { subject, messageId, source, seq, leaf, putMs, expectedLastSeq } = record;
  return {
    ...{ number, subject, messageId, source, seq, leaf, sizeBytes, putMs, expectedLastSeq, sentMs },
    ...{
      sentMonotonicMs: undefined,
      isReady: true,
      isGone: false,
      outcome: undefined,
      waiters: new Set<Waiter>(),
      deniedSinceMs: undefined,
    },
  };
};

/** A refusal as it is told, of what the journal keeps of it. */
export const refusalOf = ({ number, record }: KeptRefusal): Refusal => {
  const { subject, messageId, source, seq, leaf, code, message } = record;
  const error = { code, message, retryable: false };
  return { number, subject, messageId, source, seq, leaf, error, isVoidOwed: true };
};

/** Waits for what becomes of a message. Rejects with `aborted` if that is given up. */
export function waitFor({ waiters }: OutboxSlot, signal: AbortSignal | undefined): Promise<Appended> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      waiters.delete(waiter);
      waiter.reject(new VakError('aborted', 'no longer waiting for a message to be stored; it stays in the outbox'));
    };
    const waiter: Waiter = {
      resolve(appended) {
        signal?.removeEventListener('abort', abort);
        resolve(appended);
      },
      reject(error) {
        signal?.removeEventListener('abort', abort);
        reject(error);
      },
    };
    waiters.add(waiter);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}
