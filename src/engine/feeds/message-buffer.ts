/**
 * The engine's bounded memory of what passed on the bus (architecture.md §5, second hop).
 * Law: appending decodes nothing and never waits; the oldest give way to both bounds, and every message has one seq for ever.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { createRingBuffer } from '../../shared/base/ring-buffer.ts';
import type { Message } from '../bus/bus.ts';
import type { MessageTrust } from '../envelope/message-trust.ts';

/** A message with its place; `data` is shared with the bus and never written to. */
export interface HeldMessage {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Arrival, ms since the epoch. */
  readonly atMs: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly trust: MessageTrust;
}

export interface MessageBufferStats {
  readonly receivedCount: number;
  readonly receivedBytes: number;
  readonly bufferedCount: number;
  readonly bufferedBytes: number;
}

export interface MessageBuffer {
  readonly capacityCount: number;
  readonly capacityBytes: number;
  /** Oldest seq still held; `newestSeq + 1` when empty. */
  readonly oldestSeq: number;
  /** 0 before the first message. */
  readonly newestSeq: number;
  append(message: Message, arrival: Pick<HeldMessage, 'atMs' | 'trust'>): HeldMessage;
  /** The message, or undefined once it has given way. */
  get(seq: number): HeldMessage | undefined;
  /** Calls back after each append, inside it: for cheap work. */
  onAppend(listener: () => void): Disposable;
  /** Says that a message was judged anew after it may have been shown; `wasRefused`: until then. */
  revise(seq: number, wasRefused: boolean): void;
  /** Calls back for each message that is revised. */
  onRevise(listener: (seq: number, wasRefused: boolean) => void): Disposable;
  stats(): MessageBufferStats;
}

/** Bounds of a buffer; a message weighs its bytes and 200 more for its place and what is known of its trust. */
export interface MessageBufferOptions {
  readonly capacityCount: number;
  readonly capacityBytes: number;
}

const weightOf = (message: HeldMessage): number => message.data.length + 200;

/** Creates an empty buffer. */
export function createMessageBuffer({ capacityCount, capacityBytes }: MessageBufferOptions): MessageBuffer {
  const ring = createRingBuffer<HeldMessage>(capacityCount);
  const listeners = new Set<() => void>();
  const revisionListeners = new Set<(seq: number, wasRefused: boolean) => void>();
  let newestSeq = 0;
  let bufferedBytes = 0;
  let receivedBytes = 0;

  return {
    capacityCount,
    capacityBytes,
    get oldestSeq() {
      return newestSeq - ring.size + 1;
    },
    get newestSeq() {
      return newestSeq;
    },
    append({ subject, data }, { atMs, trust }) {
      const held: HeldMessage = { seq: ++newestSeq, atMs, subject, data, trust };
      receivedBytes += data.length;
      bufferedBytes += weightOf(held);
      const overwritten = ring.push(held);
      if (overwritten !== undefined) bufferedBytes -= weightOf(overwritten);
      while (bufferedBytes > capacityBytes && ring.size > 1) bufferedBytes -= weightOf(ring.shift() as HeldMessage);
      for (const listener of listeners) listener();
      return held;
    },
    get: (seq) => ring.at(seq - (newestSeq - ring.size + 1)),
    onAppend(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    revise(seq, wasRefused) {
      for (const listener of revisionListeners) listener(seq, wasRefused);
    },
    onRevise(listener) {
      revisionListeners.add(listener);
      return toDisposable(() => revisionListeners.delete(listener));
    },
    stats: () => ({ receivedCount: newestSeq, receivedBytes, bufferedCount: ring.size, bufferedBytes }),
  };
}
