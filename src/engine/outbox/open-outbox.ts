/**
 * The outbox over a journal (protocol.md B8, E12).
 * Law: an entry leaves the journal only in the batch that says what became of it; memory holds where things lie, not the messages.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Logger } from '../ports/logger.ts';
import { checkEntry } from './check-entry.ts';
import type { Outbox, OutboxDeps, OutboxEntry } from './outbox.ts';
import { createOutboxBook } from './outbox-book.ts';
import { createOutboxGate } from './outbox-gate.ts';
import { createLanes } from './outbox-lanes.ts';
import { createOutboxSettling } from './outbox-settling.ts';
import { type OutboxSlot, refusalOf, slotOf, waitFor } from './outbox-slot.ts';
import { openOutboxStore } from './outbox-store.ts';

/** Sources under way at one time. */
const window = 32;

const closedError = (): VakError =>
  new VakError('closed', 'outbox: it is closed; what it has taken is sent after the next start', { retryable: true });

function shapeOf(error: unknown, logger: Logger): ErrorShape {
  if (isVakError(error)) return error.toShape();
  const bug = logger.bug('outbox.send', error);
  return { code: 'internal', message: `a fault of the program, logged as ${bug}`, retryable: true };
}

/** Opens the outbox that a journal keeps, and goes on with what waits in it. Throws what reading the journal throws. */
export async function openOutbox(deps: OutboxDeps): Promise<Outbox> {
  const { journal, status, clock, logger, maxCount = 100_000, maxBytes = 64 * 1024 * 1024 } = deps;
  const store = await openOutboxStore(journal, logger);
  const gate = createOutboxGate(deps, store);
  const book = createOutboxBook({ clock, maxCount, maxBytes, owed: store.found.refusals.map(refusalOf) });
  const writing = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const disposer = createDisposer();
  let lastError: ErrorShape | undefined;

  /** Keeps track of what writes to the journal, which is closed only after it. */
  function writes<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => writing.delete(done));
    writing.add(done);
    return done;
  }

  async function run(slot: OutboxSlot): Promise<boolean> {
    const result = slot.outcome ?? (await gate.deliver(slot, closing.signal));
    // Closing does not wait for an engine: its late answer finds no journal, and is asked for again after the next start.
    if (closing.signal.aborted) return false;
    const failure = result.kind === 'later' ? result.error : await writes(settling.settle(slot, result));
    lastError = failure === undefined ? undefined : shapeOf(failure, logger);
    if (failure === undefined) book.tellDrains();
    return failure === undefined;
  }

  const lanes = createLanes<OutboxSlot>({
    ...{ clock, randomness: deps.randomness, window, isOpen: gate.isOpen, run },
  });
  disposer.add(lanes);
  const settling = createOutboxSettling({
    ...{ store, book, clock, logger },
    second: (source) => lanes.second(source),
  });

  function admit(entry: OutboxEntry, settles: number | undefined): void {
    if (closing.signal.aborted) throw closedError();
    if (journal.readOnlyReason !== undefined) {
      throw new VakError('read-only', `outbox: nothing can be kept, ${journal.readOnlyReason}; it was not published`);
    }
    checkEntry(entry);
    book.checkRoom(entry, settles);
  }

  async function keep(slot: OutboxSlot, onDisk: Promise<void>, settles: number | undefined): Promise<void> {
    try {
      await onDisk;
    } catch (error) {
      book.remove(slot);
      for (const { reject } of slot.waiters) reject(error);
      lanes.pump();
      book.tellDrains();
      throw error;
    }
    slot.isReady = true;
    if (settles !== undefined) book.pay(settles);
    lanes.pump();
  }

  function take(entry: OutboxEntry, settles: number | undefined): Promise<void> {
    const { subject, data, messageId, source, seq, leaf, expectedLastSeq } = entry;
    const bare = { v: 1 as const, subject, messageId, source, seq, leaf, putMs: clock.now() };
    const record = expectedLastSeq === undefined ? bare : { ...bare, expectedLastSeq };
    const { number, kept } = store.add({ record, data, ...(settles === undefined ? {} : { settles }) });
    const slot = { ...slotOf({ number, record, sizeBytes: data.length, sentMs: undefined }), isReady: false };
    book.add(slot);
    lanes.add(slot);
    return keep(slot, kept, settles);
  }

  for (const slot of store.found.entries.map(slotOf)) {
    book.add(slot);
    lanes.add(slot);
  }
  disposer.add(status.onStatus((now) => (now.kind === 'connected' ? lanes.wake() : lanes.pump())));
  lanes.pump();

  return {
    async put(entry, { settles } = {}) {
      admit(entry, settles);
      await writes(take(entry, settles));
    },
    waiting() {
      const heads = lanes.heads();
      return {
        ...{ count: book.count, bytes: book.bytes, sourceCount: heads.length, lastError },
        oldestMs: heads.length === 0 ? undefined : Math.min(...heads.map(({ putMs }) => putMs)),
        ...{ voidOwedCount: book.owed().length, damagedCount: store.found.damagedCount },
      };
    },
    messageIds: () => book.slots().map(({ messageId }) => messageId),
    async settled(messageId, signal) {
      const slot = book.slot(messageId);
      if (closing.signal.aborted) throw closedError();
      if (slot === undefined) throw new VakError('not-found', 'outbox: no message with this id waits here');
      return slot.outcome?.kind === 'stored' ? slot.outcome.appended : waitFor(slot, signal);
    },
    refusals: () => book.owed(),
    onRefused: (listener) => settling.refused.add(listener),
    onDelivered: (listener) => settling.delivered.add(listener),
    heads: store.heads,
    drain: (limitMs) => (closing.signal.aborted ? Promise.resolve(false) : book.drain(limitMs)),
    async close() {
      if (!closing.signal.aborted) {
        closing.abort();
        disposer.dispose();
        book.tellDrains(true);
        for (const { waiters } of book.slots()) for (const { reject } of waiters) reject(closedError());
      }
      await Promise.allSettled(writing);
    },
  };
}
