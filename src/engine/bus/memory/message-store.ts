/**
 * The messages of one stream in memory, with what the journal is told of them (protocol.md B3).
 * Law: what is not seen yet is counted by itself; what is removed leaves the journal, but for an id that is remembered.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DedupeWindow } from './dedupe-window.ts';
import type { Journal, JournalChange } from './journal.ts';
import type { JournalWriter } from './journal-writer.ts';
import { createMessageIndex, type IndexedMessage, type MessageIndex } from './message-index.ts';
import type { Payload, PayloadCache } from './payload-cache.ts';
import { createMessageKeys, decodePayload, encodeFacts, encodePayload } from './stream-records.ts';

/** What all streams of a plane share. */
export interface StreamStore {
  readonly journal: Journal;
  readonly writer: JournalWriter;
  readonly cache: PayloadCache;
  readonly clock: Clock;
}

export interface MessageStoreOptions {
  /** Of the stream, under which its records lie. */
  readonly number: number;
  readonly dedupe: DedupeWindow;
  /** Runs for each message that is gone, before anything else can happen. */
  readonly onRemoved: (message: IndexedMessage) => void;
}

export interface MessageStore {
  /** May hold messages that are not seen yet, above `visibleSeq`. */
  readonly index: MessageIndex;
  readonly visibleSeq: number;
  readonly visibleCount: number;
  readonly visibleBytes: number;
  /** Takes a message that is not seen yet; gives what the journal is to keep of it. */
  add(message: IndexedMessage, payload: Payload): readonly JournalChange[];
  /** The message, and all before it, are seen from now on. */
  see(seq: number): void;
  /** For a message that was not stored after all. */
  undo(message: IndexedMessage): void;
  /** Removes a message; `isStaged` false: from memory only. */
  remove(seq: number, isStaged: boolean): boolean;
  /** For an id that is remembered no more: ends what was kept for it alone. */
  forgetId(seq: number): void;
  /** The content of a message that is seen; undefined if there is none. Throws `corrupt`. */
  load(seq: number): Promise<(Payload & IndexedMessage) | undefined>;
}

/** Creates an empty store. */
export function createMessageStore(shared: StreamStore, options: MessageStoreOptions): MessageStore {
  const { journal, writer, cache } = shared;
  const { number, dedupe, onRemoved } = options;
  const keys = createMessageKeys(number);
  const index = createMessageIndex();
  let visibleSeq = 0;
  /** Of messages that are not seen yet. */
  const unseen = { count: 0, bytes: 0 };

  function countUnseen(message: IndexedMessage, sign: 1 | -1): void {
    unseen.count += sign;
    unseen.bytes += sign * message.sizeBytes;
  }

  /** Out of memory; the journal is the caller's matter. */
  function take(seq: number): IndexedMessage | undefined {
    const message = index.remove(seq);
    if (message === undefined) return undefined;
    if (seq > visibleSeq) countUnseen(message, -1);
    cache.delete(number, seq);
    return message;
  }

  function removal(message: IndexedMessage): JournalChange[] {
    const { seq } = message;
    const messageId = dedupe.idOf(seq);
    const tombstone = { ...message, isTombstone: true, messageId, subject: '' };
    return [
      { key: keys.facts(seq), value: messageId === undefined ? undefined : encodeFacts(tombstone) },
      { key: keys.payload(seq), value: undefined },
    ];
  }

  async function read(seq: number): Promise<Payload | undefined> {
    const value = await journal.get(keys.payload(seq));
    // It may have been removed meanwhile.
    if (index.get(seq) === undefined) return undefined;
    if (value === undefined) {
      throw new VakError('corrupt', `message ${seq} of a stream has no content; restore a backup of the store`);
    }
    const payload = decodePayload(value);
    cache.put({ stream: number, seq }, payload);
    return payload;
  }

  return {
    index,
    get visibleSeq() {
      return visibleSeq;
    },
    get visibleCount() {
      return index.count - unseen.count;
    },
    get visibleBytes() {
      return index.bytes - unseen.bytes;
    },
    add(message, payload) {
      const { seq } = message;
      index.add(message);
      countUnseen(message, 1);
      cache.put({ stream: number, seq }, payload);
      const facts = { ...message, isTombstone: false, messageId: payload.messageId };
      return [
        { key: keys.facts(seq), value: encodeFacts(facts) },
        { key: keys.payload(seq), value: encodePayload(payload) },
      ];
    },
    see(seq) {
      const message = seq > visibleSeq ? index.get(seq) : undefined;
      if (message !== undefined) countUnseen(message, -1);
      visibleSeq = Math.max(visibleSeq, seq);
    },
    undo(message) {
      dedupe.forget(message.seq);
      // It may have given way to a later one, and left a tombstone that waits.
      if (take(message.seq) === undefined) writer.stage(removal(message));
    },
    remove(seq, isStaged) {
      const message = take(seq);
      if (message === undefined) return false;
      if (isStaged) writer.stage(removal(message));
      onRemoved(message);
      return true;
    },
    forgetId(seq) {
      if (index.get(seq) === undefined) writer.stage([{ key: keys.facts(seq), value: undefined }]);
    },
    async load(seq) {
      const message = seq <= visibleSeq ? index.get(seq) : undefined;
      if (message === undefined) return undefined;
      const payload = cache.get(number, seq) ?? (await read(seq));
      return payload && { ...message, ...payload };
    },
  };
}
