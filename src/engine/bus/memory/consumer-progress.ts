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
  cursor(): number;
  /** Delivered, not ended, not given up. */
  inFlightCount(): number;
  /** Of those: delivered more than once. */
  redeliveredCount(): number;
  /** When the next ack wait or delay ends. */
  nextDueMs(): number | undefined;
  /** What is to be kept of a message; undefined: nothing. */
  kept(seq: number): KeptDelivery | undefined;
  /** Delivers the next message; `nextNew` finds the first one from a seq on that was never delivered. */
  take(nowMs: number, nextNew: (fromSeq: number) => number | undefined): Taken | undefined;
  /** Done, by whichever delivery. Whether it was outstanding. */
  end(seq: number): boolean;
  /** Not done: delivered again at `dueMs`. True: it has no delivery left, and is given up. */
  nak(of: DeliveryOf, dueMs: number): boolean;
  /** The ack wait of this delivery begins anew. False: it is not the present one, so nothing does. */
  working(of: DeliveryOf, nowMs: number): boolean;
  /** Ends what is due: gives those that are given up now; the rest can be taken again. */
  expire(nowMs: number): Taken[];
  /** Takes over what was kept; it is due at `dueMs`. */
  restore(seq: number, kept: KeptDelivery, dueMs: number): void;
  /** All that is outstanding, given up too. */
  outstanding(): Iterable<number>;
}

interface Outstanding {
  readonly seq: number;
  deliveries: number;
  /** `busy`: somebody has it. `delayed`: waits for its nak's end. `ready`: to be delivered again. `exhausted`: given up. */
  kind: 'busy' | 'delayed' | 'ready' | 'exhausted';
  /** When the ack wait or the delay ends; of others 0. */
  dueMs: number;
}

/** Creates the state of a consumer that has delivered everything below `cursor`. */
export function createConsumerProgress(
  spec: Pick<ConsumerSpec, 'ackWaitMs' | 'maxDeliver' | 'maxInFlight'>,
  startCursor: number,
): ConsumerProgress {
  const entries = new Map<number, Outstanding>();
  /** Of those that are busy or delayed. */
  const waits = createDueList<Outstanding>();
  /** To be delivered again, by seq. */
  const ready = createDueList<Outstanding>();
  let cursor = startCursor;
  let redeliveredCount = 0;
  const inFlightCount = (): number => waits.size() + ready.size();

  /** Leaves whatever list it is in. */
  function detach(entry: Outstanding): void {
    if (entry.kind === 'exhausted') return;
    if (entry.kind === 'ready') ready.delete(entry);
    else waits.delete(entry);
    if (entry.deliveries > 1) redeliveredCount--;
  }

  function attach(entry: Outstanding): void {
    if (entry.kind === 'exhausted') return;
    if (entry.kind === 'ready') ready.add(entry);
    else waits.add(entry);
    if (entry.deliveries > 1) redeliveredCount++;
  }

  function change(entry: Outstanding, next: Pick<Outstanding, 'deliveries' | 'kind' | 'dueMs'>): void {
    detach(entry);
    entry.deliveries = next.deliveries;
    entry.kind = next.kind;
    entry.dueMs = next.dueMs;
    attach(entry);
  }

  /** The entry, if that delivery of it is the present one. */
  function busy({ seq, deliveries }: DeliveryOf): Outstanding | undefined {
    const entry = entries.get(seq);
    return entry?.kind === 'busy' && entry.deliveries === deliveries ? entry : undefined;
  }

  return {
    cursor: () => cursor,
    inFlightCount,
    redeliveredCount: () => redeliveredCount,
    nextDueMs: () => waits.first()?.dueMs,
    kept(seq) {
      const entry = entries.get(seq);
      return entry && { deliveries: entry.deliveries, isExhausted: entry.kind === 'exhausted' };
    },
    take(nowMs, nextNew) {
      const dueMs = nowMs + spec.ackWaitMs;
      const again = ready.first();
      if (again !== undefined) {
        const deliveries = again.deliveries + 1;
        change(again, { deliveries, kind: 'busy', dueMs });
        return { seq: again.seq, deliveries };
      }
      if (inFlightCount() >= spec.maxInFlight) return undefined;
      const seq = nextNew(cursor);
      if (seq === undefined) return undefined;
      cursor = seq + 1;
      const entry: Outstanding = { seq, deliveries: 1, kind: 'busy', dueMs };
      entries.set(seq, entry);
      attach(entry);
      return { seq, deliveries: 1 };
    },
    end(seq) {
      const entry = entries.get(seq);
      if (entry === undefined) return false;
      detach(entry);
      return entries.delete(seq);
    },
    nak(of, dueMs) {
      const entry = busy(of);
      if (entry === undefined) return false;
      const { deliveries } = entry;
      const isLast = deliveries >= spec.maxDeliver;
      change(entry, isLast ? { deliveries, kind: 'exhausted', dueMs: 0 } : { deliveries, kind: 'delayed', dueMs });
      return isLast;
    },
    working(of, nowMs) {
      const entry = busy(of);
      if (entry === undefined) return false;
      change(entry, { deliveries: entry.deliveries, kind: 'busy', dueMs: nowMs + spec.ackWaitMs });
      return true;
    },
    expire(nowMs) {
      const givenUp: Taken[] = [];
      for (let due = waits.first(); due !== undefined && due.dueMs <= nowMs; due = waits.first()) {
        const { seq, deliveries } = due;
        const isExhausted = deliveries >= spec.maxDeliver;
        change(due, { deliveries, kind: isExhausted ? 'exhausted' : 'ready', dueMs: 0 });
        if (isExhausted) givenUp.push({ seq, deliveries });
      }
      return givenUp;
    },
    restore(seq, { deliveries, isExhausted }, dueMs) {
      const entry: Outstanding = isExhausted
        ? { seq, deliveries, kind: 'exhausted', dueMs: 0 }
        : { seq, deliveries, kind: 'busy', dueMs };
      entries.set(seq, entry);
      attach(entry);
    },
    outstanding: () => entries.keys(),
  };
}
