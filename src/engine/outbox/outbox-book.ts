/**
 * What waits in the outbox, counted (protocol.md B8).
 * Law: bounded by count and bytes; what would go over the bound is refused, and nothing that was taken gives way.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutboxEntry, Refusal } from './outbox.ts';
import type { OutboxSlot } from './outbox-slot.ts';

export interface OutboxBook {
  readonly count: number;
  readonly bytes: number;
  slot(messageId: string): OutboxSlot | undefined;
  slots(): readonly OutboxSlot[];
  /** Refusals whose void record is owed, oldest first. */
  owed(): readonly Refusal[];
  /** Throws `exists`, `limit-exceeded`. The void record of a refusal takes its place. */
  checkRoom(entry: OutboxEntry, settles: number | undefined): void;
  add(slot: OutboxSlot): void;
  remove(slot: OutboxSlot): void;
  owe(refusal: Refusal): void;
  pay(number: number): void;
  /** Waits until nothing waits and nothing is owed; gives whether it came to that in time. */
  drain(limitMs: number): Promise<boolean>;
  /** Lets go who waits for that, if it has come to it, or whatever it has come to. */
  tellDrains(isEnd?: boolean): void;
}

/** Creates the book with what is owed from before. */
export function createOutboxBook(options: {
  readonly clock: Clock;
  readonly maxCount: number;
  readonly maxBytes: number;
  readonly owed: readonly Refusal[];
}): OutboxBook {
  const { clock, maxCount, maxBytes } = options;
  const slots = new Map<string, OutboxSlot>();
  const owed = new Map(options.owed.map((refusal) => [refusal.number, refusal]));
  const drains = new Set<() => void>();
  let bytes = 0;

  const isEmpty = (): boolean => slots.size === 0 && owed.size === 0;

  return {
    get count() {
      return slots.size;
    },
    get bytes() {
      return bytes;
    },
    slot: (messageId) => slots.get(messageId),
    slots: () => [...slots.values()],
    owed: () => [...owed.values()],
    checkRoom({ messageId, data }, settles) {
      if (slots.has(messageId)) throw new VakError('exists', 'outbox: a message with this id waits already');
      if (settles !== undefined && owed.has(settles)) return;
      if (slots.size + owed.size < maxCount && bytes + data.length <= maxBytes) return;
      const full = `outbox: full, ${slots.size} messages with ${bytes} bytes wait (at most ${maxCount}, ${maxBytes})`;
      throw new VakError('limit-exceeded', `${full}; it was not published, try again when the engine is back`, {
        retryable: true,
      });
    },
    add(slot) {
      slots.set(slot.messageId, slot);
      bytes += slot.sizeBytes;
    },
    remove(slot) {
      slots.delete(slot.messageId);
      bytes -= slot.sizeBytes;
      slot.isGone = true;
    },
    owe: (refusal) => void owed.set(refusal.number, refusal),
    pay: (number) => void owed.delete(number),
    drain(limitMs) {
      return new Promise((resolve) => {
        const done = (): void => {
          timer.dispose();
          drains.delete(done);
          resolve(isEmpty());
        };
        const timer = clock.setTimer(limitMs, done);
        drains.add(done);
        if (limitMs <= 0 || isEmpty()) done();
      });
    },
    tellDrains(isEnd = false) {
      if (isEnd || isEmpty()) for (const done of [...drains]) done();
    },
  };
}
