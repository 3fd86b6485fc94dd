/**
 * What is done when it is known what became of a message (protocol.md B8, E12).
 * Law: it leaves the outbox in the batch that says so; a refused one leaves the void record that is owed in its place.
 */
import type { VakError } from '../../shared/base/vak-error.ts';
import type { Appended } from '../bus/durable.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { OutboxDelivery, Refusal } from './outbox.ts';
import type { OutboxBook } from './outbox-book.ts';
import { type OutboxSlot, refusalOf } from './outbox-slot.ts';
import type { OutboxStore } from './outbox-store.ts';

export interface OutboxSettlingDeps {
  readonly store: OutboxStore;
  readonly book: OutboxBook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The one behind a source's first. */
  readonly second: (source: string) => OutboxSlot | undefined;
}

/** Of a refused void record no other is written: where voids are refused there would be no end to it. */
const isVoidRecord = (subject: string): boolean => /^vak\.audit\.[^.]+\.[^.]+\.void$/.test(subject);

/** Creates what settles messages. */
export function createOutboxSettling({ store, book, clock, logger, second }: OutboxSettlingDeps) {
  const refused = createListenerSet<Refusal>(logger, 'outbox.listener-threw');
  const delivered = createListenerSet<OutboxDelivery>(logger, 'outbox.listener-threw');

  /** Whoever waits is told at once: it is stored, whatever the journal says to that. */
  function tellStored({ subject, messageId, source, seq, waiters }: OutboxSlot, appended: Appended): void {
    for (const { resolve } of waiters) resolve(appended);
    waiters.clear();
    delivered.tell({ subject, messageId, source, seq, appended });
  }

  async function forgetStored(slot: OutboxSlot): Promise<void> {
    // The one behind it is sent at once: its mark rides along.
    const next = second(slot.source);
    const isNext = next?.isReady === true && !next.isGone && next.sentMs === undefined;
    const sentMs = clock.now();
    await store.settle(slot.number, isNext ? { number: next.number, sentMs } : undefined);
    if (isNext) {
      next.sentMs = sentMs;
      next.sentMonotonicMs = clock.monotonic();
    }
    book.remove(slot);
  }

  async function settleRefused(slot: OutboxSlot, error: VakError): Promise<void> {
    const { number, subject, messageId, source, seq, leaf } = slot;
    const { code, message } = error;
    const record = { v: 1 as const, subject, messageId, source, seq, leaf, code, message, refusedMs: clock.now() };
    const isVoidOwed = !isVoidRecord(subject);
    await store.refuse(number, isVoidOwed ? record : undefined);
    const refusal = { ...refusalOf({ number, record }), error: error.toShape(), isVoidOwed };
    if (isVoidOwed) book.owe(refusal);
    book.remove(slot);
    logger.warn('outbox.refused', { code, subject, seq });
    for (const { reject } of slot.waiters) reject(error);
    refused.tell(refusal);
  }

  return {
    refused,
    delivered,
    /** Gives why the journal did not take it; then it is tried again, and what became of the message is known by then. */
    async settle(slot: OutboxSlot, outcome: NonNullable<OutboxSlot['outcome']>): Promise<unknown> {
      if (slot.outcome === undefined && outcome.kind === 'stored') tellStored(slot, outcome.appended);
      slot.outcome = outcome;
      try {
        if (outcome.kind === 'stored') await forgetStored(slot);
        else await settleRefused(slot, outcome.error);
        return undefined;
      } catch (error) {
        return error;
      }
    },
  };
}
