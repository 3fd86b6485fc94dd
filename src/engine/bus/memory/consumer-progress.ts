/**
 * What a consumer knows of its messages (protocol.md B4): a cursor, and what was delivered and not ended. Pure.
 * Law: redeliveries come before new ones, else the order is the stream's; what was ended is never delivered again.
 */
import type { ConsumerSpec } from '../durable.ts';
import { createDueList } from './due-list.ts';
import type { KeptDelivery } from './stream-records.ts';

/** A message that is delivered now. */
export interface Taken {
  readonly seq: number;
  /** From 1. */
  readonly deliveries: number;
}

/** Which delivery of a message somebody speaks of. */
export type DeliveryOf = Taken;

export interface ConsumerProgress {
  /** The first seq that was never delivered. */
  readonly cursor: number;
  /** Delivered, not ended, not given up. */
  readonly inFlightCount: number;
  /** Of those: delivered more than once. */
  readonly redeliveredCount: number;
  /** When the next ack wait or delay ends. */
  readonly nextDueMs: number | undefined;
  /** What is to be kept of a message; undefined: nothing. */
  kept(seq: number): KeptDelivery | undefined;
  /** Delivers the next message; `nextNew` finds the first one from a seq on that was never delivered. */
  take(nowMs: number, nextNew: (fromSeq: number) => number | undefined): Taken | undefined;
  /** Done, by whichever delivery. Whether it was outstanding. */
  end(seq: number): boolean;
  /** Not done: delivered again at `dueMs`. True: it has no delivery left, and is given up. */
  nak(of: DeliveryOf, dueMs: number): boolean;
  /** The ack wait of this delivery begins anew. */
  working(of: DeliveryOf, nowMs: number): void;
  /** Ends what is due: gives those that are given up now; the rest can be taken again. */
  expire(nowMs: number): Taken[];
  /** Takes over what was kept; it is due at `dueMs`. */
  restore(seq: number, kept: KeptDelivery, dueMs: number): void;
  /** All that is outstanding, given up too. */
  outstanding(): Iterable<number>;
}

interface Outstanding {
  deliveries: number;
  /** `busy`: somebody has it. `delayed`: waits for its nak's end. `ready`: to be delivered again. `exhausted`: given up. */
  kind: 'busy' | 'delayed' | 'ready' | 'exhausted';
}

/** Creates the state of a consumer that has delivered everything below `cursor`. */
export function createConsumerProgress(
  spec: Pick<ConsumerSpec, 'ackWaitMs' | 'maxDeliver' | 'maxInFlight'>,
  startCursor: number,
): ConsumerProgress {
  const entries = new Map<number, Outstanding>();
  /** Of those that are busy or delayed. */
  const waits = createDueList();
  /** To be delivered again, by seq. */
  const ready = createDueList();
  let cursor = startCursor;
  let redeliveredCount = 0;
  const inFlightCount = (): number => waits.size + ready.size;

  /** Leaves whatever list it is in. */
  function detach(seq: number, entry: Outstanding): void {
    if (entry.kind === 'exhausted') return;
    waits.delete(seq);
    ready.delete(seq);
    if (entry.deliveries > 1) redeliveredCount--;
  }

  function attach(seq: number, entry: Outstanding, dueMs: number): void {
    if (entry.deliveries > 1 && entry.kind !== 'exhausted') redeliveredCount++;
    if (entry.kind === 'busy' || entry.kind === 'delayed') waits.set(seq, dueMs);
    if (entry.kind === 'ready') ready.set(seq, 0);
  }

  function change(seq: number, entry: Outstanding, next: Outstanding & { readonly dueMs?: number }): void {
    detach(seq, entry);
    entry.deliveries = next.deliveries;
    entry.kind = next.kind;
    attach(seq, entry, next.dueMs ?? 0);
  }

  function deliver(seq: number, entry: Outstanding, nowMs: number): Taken {
    const deliveries = entry.deliveries + 1;
    change(seq, entry, { deliveries, kind: 'busy', dueMs: nowMs + spec.ackWaitMs });
    return { seq, deliveries };
  }

  /** The entry, if that delivery of it is the present one. */
  function busy({ seq, deliveries }: DeliveryOf): Outstanding | undefined {
    const entry = entries.get(seq);
    return entry?.kind === 'busy' && entry.deliveries === deliveries ? entry : undefined;
  }

  return {
    get cursor() {
      return cursor;
    },
    get inFlightCount() {
      return inFlightCount();
    },
    get redeliveredCount() {
      return redeliveredCount;
    },
    get nextDueMs() {
      return waits.first()?.dueMs;
    },
    kept(seq) {
      const entry = entries.get(seq);
      return entry && { deliveries: entry.deliveries, isExhausted: entry.kind === 'exhausted' };
    },
    take(nowMs, nextNew) {
      const again = ready.first();
      if (again !== undefined) return deliver(again.seq, entries.get(again.seq) as Outstanding, nowMs);
      if (inFlightCount() >= spec.maxInFlight) return undefined;
      const seq = nextNew(cursor);
      if (seq === undefined) return undefined;
      cursor = seq + 1;
      const entry: Outstanding = { deliveries: 0, kind: 'ready' };
      entries.set(seq, entry);
      return deliver(seq, entry, nowMs);
    },
    end(seq) {
      const entry = entries.get(seq);
      if (entry === undefined) return false;
      detach(seq, entry);
      return entries.delete(seq);
    },
    nak(of, dueMs) {
      const entry = busy(of);
      if (entry === undefined) return false;
      const isLast = entry.deliveries >= spec.maxDeliver;
      change(of.seq, entry, { deliveries: entry.deliveries, kind: isLast ? 'exhausted' : 'delayed', dueMs });
      return isLast;
    },
    working(of, nowMs) {
      if (busy(of) !== undefined) waits.set(of.seq, nowMs + spec.ackWaitMs);
    },
    expire(nowMs) {
      const givenUp: Taken[] = [];
      for (let due = waits.first(); due !== undefined && due.dueMs <= nowMs; due = waits.first()) {
        const entry = entries.get(due.seq) as Outstanding;
        const isExhausted = entry.deliveries >= spec.maxDeliver;
        change(due.seq, entry, { deliveries: entry.deliveries, kind: isExhausted ? 'exhausted' : 'ready' });
        if (isExhausted) givenUp.push({ seq: due.seq, deliveries: entry.deliveries });
      }
      return givenUp;
    },
    restore(seq, { deliveries, isExhausted }, dueMs) {
      const entry: Outstanding = { deliveries, kind: isExhausted ? 'exhausted' : 'busy' };
      entries.set(seq, entry);
      attach(seq, entry, dueMs);
    },
    outstanding: () => entries.keys(),
  };
}
