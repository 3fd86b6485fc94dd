/**
 * The log of one embedded stream over the journal (protocol.md B3): what may be appended, and what its limits remove.
 * Law: a message is seen when its batch is kept, never before; numbers rise and never come back.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { Appended, StoredMessage } from '../durable.ts';
import { createDedupeWindow } from './dedupe-window.ts';
import type { JournalWriter, RecordOwner } from './journal-writer.ts';
import type { IndexedMessage, MessageIndex } from './message-index.ts';
import { createMessageStore, type StreamStore } from './message-store.ts';
import { encodeEnd, type Payload, type StreamEnd, streamKeys } from './stream-records.ts';
import { createStreamRetention } from './stream-retention.ts';

export interface StreamLogOptions {
  /** Under which its records lie. */
  readonly number: number;
  readonly spec: StreamSpec;
  /** Runs for each message that is gone, before anything else can happen. */
  readonly onRemoved: (seq: number) => void;
  /** Throws if nothing is to be stored of that subject; asked for what is no duplicate. */
  readonly checkSubject: (subject: string) => void;
  /** Runs when a message came to be seen; its batch is not through yet. */
  readonly onSeen: (message: NewMessage) => void;
}

/** What is to be stored; every part was checked. */
export interface NewMessage extends Payload {
  readonly subject: string;
  readonly expectedLastSeq: number | undefined;
  /** Told of what has happened already: a batch that fails does not undo it. */
  readonly isKept: boolean;
  /** Nobody has heard it live: it is to be told once it is stored. */
  readonly isToBeTold: boolean;
}

export interface StreamLog {
  spec: StreamSpec;
  /** May hold messages that are not seen yet, above `visibleSeq`. */
  readonly index: MessageIndex;
  /** The last seq that is kept; 0: none was ever. */
  visibleSeq(): number;
  /** The last seq that was given. */
  lastSeq(): number;
  visibleCount(): number;
  visibleBytes(): number;
  /**
   * Stores a message at once in memory; gives where when it is kept: now, if nothing is to be kept beyond memory.
   * Throws or rejects with `conflict`, `limit-exceeded`, what `checkSubject` throws.
   */
  append(message: NewMessage): Appended | Promise<Appended>;
  /** A message that is seen, at once if it is in memory; undefined if there is none. Rejects with `corrupt`. */
  load(seq: number): StoredMessage | undefined | Promise<StoredMessage | undefined>;
  /** Removes a message; stages it. */
  remove(seq: number): boolean;
  /** Removes what is too old, and ids whose window has passed. */
  expire(): void;
  /** Removes the oldest messages until there is room for `sizeBytes`. */
  dropOld(sizeBytes: number): void;
  /** Takes over what the journal holds. */
  restore: {
    message(message: IndexedMessage): void;
    id(seq: number, messageId: string, storedMs: number): void;
    end(end: StreamEnd): void;
  };
}

/** What a message counts for against `maxBytes`. */
const sizeOf = ({ subject, data, messageId }: NewMessage): number =>
  subject.length + data.length + (messageId?.length ?? 0);

/** What was there first may be under way; whoever is told of it reads again at once, and must see it. */
async function answerKept(writer: JournalWriter, answer: Appended | VakError): Promise<Appended> {
  await writer.flushed();
  if (answer instanceof VakError) throw answer;
  return answer;
}

/** Creates an empty log. */
export function createStreamLog(store: StreamStore, options: StreamLogOptions): StreamLog {
  const { writer, clock } = store;
  const { number, onRemoved, onSeen } = options;
  const stream = options.spec.name;
  const dedupe = createDedupeWindow(() => log.spec.dedupeWindowMs, store.seed);
  const messages = createMessageStore(store, { number, stream, dedupe, onRemoved });
  const { index } = messages;
  /** The last that was given. */
  let lastSeq = 0;
  let lastMs = 0;
  const endChanges = () => [{ key: streamKeys.end(number), value: encodeEnd({ lastSeq, lastMs }) }];
  const end: RecordOwner = { changes: endChanges };
  const { makeRoom, dropOld, expire } = createStreamRetention(store, { messages, dedupe, spec: () => log.spec });

  /** What a message that is no duplicate conflicts with. */
  function conflictOf({ subject, expectedLastSeq }: NewMessage): VakError | undefined {
    options.checkSubject(subject);
    if (expectedLastSeq === undefined) return undefined;
    const actual = index.lastOf(subject, lastSeq) ?? 0;
    if (expectedLastSeq === actual) return undefined;
    const message = `append to ${stream}: the subject's last message is ${actual}, not ${expectedLastSeq}; read it again, then decide anew`;
    return new VakError('conflict', message, { details: { expected: expectedLastSeq, actual } });
  }

  /** It is kept. */
  function see(seq: number, message: NewMessage): Appended {
    messages.see(seq);
    onSeen(message);
    return { stream, seq, isDuplicate: false };
  }

  /** Sees it when the journal has it. */
  function stage(message: NewMessage, stored: StoredMessage): Promise<Appended> {
    return new Promise((resolve, reject) => {
      writer.stageAppend({
        changes: messages.records(stored, sizeOf(message)),
        isKept: message.isKept,
        onCommitted: () => resolve(see(stored.seq, message)),
        onFailed(error) {
          messages.undo(stored);
          reject(error);
        },
      });
      writer.touch(end);
    });
  }

  function append(message: NewMessage): Appended | Promise<Appended> {
    const nowMs = clock.now();
    expire(nowMs);
    const { subject, messageId, data } = message;
    const known = messageId === undefined ? undefined : dedupe.find(messageId, nowMs);
    if (known !== undefined) return answerKept(writer, { stream, seq: known, isDuplicate: true });
    const conflict = conflictOf(message);
    if (conflict !== undefined) return answerKept(writer, conflict);
    const sizeBytes = sizeOf(message);
    makeRoom(sizeBytes);
    lastMs = Math.max(lastMs, nowMs);
    lastSeq++;
    const stored = { stream, seq: lastSeq, subject, data, storedMs: lastMs, messageId };
    if (messageId !== undefined && log.spec.dedupeWindowMs > 0) {
      dedupe.remember({ messageId, seq: lastSeq, storedMs: lastMs });
    }
    messages.add(stored, sizeBytes);
    return writer.isKeeping ? stage(message, stored) : see(lastSeq, message);
  }

  function restoreId(seq: number, messageId: string, storedMs: number): void {
    dedupe.remember({ messageId, seq, storedMs });
  }

  function restoreEnd(kept: StreamEnd): void {
    lastSeq = Math.max(lastSeq, kept.lastSeq);
    lastMs = Math.max(lastMs, kept.lastMs);
    messages.see(lastSeq);
  }

  const { visibleSeq, visibleCount, visibleBytes, load } = messages;
  const log: StreamLog = {
    ...{ spec: options.spec, index, visibleSeq, visibleCount, visibleBytes, append, load, dropOld },
    lastSeq: () => lastSeq,
    remove: (seq) => messages.remove(seq, true),
    expire: () => expire(clock.now()),
    restore: { message: index.add, id: restoreId, end: restoreEnd },
  };
  return log;
}
