/**
 * The messages of one stream in memory, with what the journal is told of them (protocol.md B3).
 * Law: what is not seen yet is counted by itself; what is removed leaves the journal, but for an id that is remembered.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoredMessage } from '../durable.ts';
import type { ContentCache } from './content-cache.ts';
import type { DedupeWindow } from './dedupe-window.ts';
import type { Journal, JournalChange } from './journal.ts';
import type { JournalWriter } from './journal-writer.ts';
import { createMessageIndex, type IndexedMessage, type MessageIndex } from './message-index.ts';
import { createMessageKeys, decodePayload, encodeFacts, encodePayload } from './stream-records.ts';

/** What all streams of a plane share. */
export interface StreamStore {
  /** Where contents are read that the cache let go. */
  readonly journal: Journal;
  readonly writer: JournalWriter;
  readonly cache: ContentCache;
  readonly clock: Clock;
  /** 32 random bits, for tables of what peers name. */
  readonly seed: number;
}

export interface MessageStoreOptions {
  /** Of the stream, under which its records lie. */
  readonly number: number;
  /** Name of the stream. */
  readonly stream: string;
  readonly dedupe: DedupeWindow;
  /** Runs for each message that is gone, before anything else can happen. */
  readonly onRemoved: (seq: number) => void;
}

export interface MessageStore {
  /** May hold messages that are not seen yet, above `visibleSeq`. */
  readonly index: MessageIndex;
  visibleSeq(): number;
  visibleCount(): number;
  visibleBytes(): number;
  /** Takes a message that is not seen yet. */
  add(message: StoredMessage, sizeBytes: number): void;
  /** What the journal is to keep of a message. */
  records(message: StoredMessage, sizeBytes: number): readonly JournalChange[];
  /** The message, and all before it, are seen from now on. */
  see(seq: number): void;
  /** For a message that was not stored after all. */
  undo(message: StoredMessage): void;
  /** Removes a message; `isStaged` false: from memory only. */
  remove(seq: number, isStaged: boolean): boolean;
  /** For an id that is remembered no more: ends what was kept for it alone. */
  forgetId(seq: number): void;
  /** A message that is seen, at once if it is in memory; undefined if there is none. Rejects with `corrupt`. */
  load(seq: number): StoredMessage | undefined | Promise<StoredMessage | undefined>;
}

/** Creates an empty store. */
export function createMessageStore(shared: StreamStore, options: MessageStoreOptions): MessageStore {
  const { journal, writer, cache } = shared;
  const { number, stream, dedupe, onRemoved } = options;
  const keys = createMessageKeys(number);
  const index = createMessageIndex();
  let visibleSeq = 0;
  /** Of messages that are not seen yet. */
  let unseenCount = 0;
  let unseenBytes = 0;

  function countSeen(seq: number): void {
    unseenCount--;
    unseenBytes -= index.sizeOf(seq);
  }

  /** Out of memory; the journal is the caller's matter. */
  function take(seq: number): boolean {
    if (seq > visibleSeq && index.has(seq)) countSeen(seq);
    return index.remove(seq);
  }

  function removal({ seq, storedMs, sizeBytes }: Omit<IndexedMessage, 'subject'>): JournalChange[] {
    const messageId = dedupe.idOf(seq);
    const tombstone = { isTombstone: true, storedMs, sizeBytes, messageId, subject: '' };
    return [
      { key: keys.facts(seq), value: messageId === undefined ? undefined : encodeFacts(tombstone) },
      { key: keys.payload(seq), value: undefined },
    ];
  }

  function hold(message: StoredMessage): void {
    index.hold(message);
    cache.admit(index, message);
  }

  async function read(seq: number): Promise<StoredMessage | undefined> {
    const value = await journal.get(keys.payload(seq));
    const found = index.get(seq);
    // It may have been removed meanwhile.
    if (found === undefined) return undefined;
    if (value === undefined) {
      throw new VakError('corrupt', `message ${seq} of a stream has no content; restore a backup of the store`);
    }
    const { subject, storedMs } = found;
    const { data, messageId } = decodePayload(value);
    const message = { stream, seq, subject, data, storedMs, messageId };
    hold(message);
    return message;
  }

  return {
    index,
    visibleSeq: () => visibleSeq,
    visibleCount: () => index.count() - unseenCount,
    visibleBytes: () => index.bytes() - unseenBytes,
    add(message, sizeBytes) {
      const { seq, subject, storedMs } = message;
      index.add({ seq, subject, storedMs, sizeBytes });
      unseenCount++;
      unseenBytes += sizeBytes;
      hold(message);
    },
    records(message, sizeBytes) {
      const { seq, subject, storedMs, messageId } = message;
      return [
        { key: keys.facts(seq), value: encodeFacts({ isTombstone: false, storedMs, sizeBytes, messageId, subject }) },
        { key: keys.payload(seq), value: encodePayload(message) },
      ];
    },
    see(seq) {
      if (seq <= visibleSeq) return;
      visibleSeq = seq;
      if (index.has(seq)) countSeen(seq);
    },
    undo(message) {
      const { seq, storedMs } = message;
      dedupe.forget(seq);
      // It may have given way to a later one, and left a tombstone that waits.
      if (!take(seq)) writer.stage(removal({ seq, storedMs, sizeBytes: 0 }));
    },
    remove(seq, isStaged) {
      const message = isStaged && writer.isKeeping ? index.get(seq) : undefined;
      if (!take(seq)) return false;
      if (message !== undefined) writer.stage(removal(message));
      onRemoved(seq);
      return true;
    },
    forgetId(seq) {
      if (writer.isKeeping && !index.has(seq)) writer.stage([{ key: keys.facts(seq), value: undefined }]);
    },
    load(seq) {
      if (seq > visibleSeq) return undefined;
      return index.contentOf(seq) ?? (index.has(seq) ? read(seq) : undefined);
    },
  };
}
