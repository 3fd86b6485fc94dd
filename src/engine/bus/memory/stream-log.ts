/**
 * The log of one embedded stream over the journal (protocol.md B3): what may be appended, and what its limits remove.
 * Law: a message is seen when its batch is kept, never before; numbers rise and never come back.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { Appended, StoredMessage } from '../durable.ts';
import { createDedupeWindow } from './dedupe-window.ts';
import type { JournalChange } from './journal.ts';
import type { RecordOwner } from './journal-writer.ts';
import type { IndexedMessage, MessageIndex } from './message-index.ts';
import { createMessageStore, type StreamStore } from './message-store.ts';
import type { Payload } from './payload-cache.ts';
import { encodeEnd, type StreamEnd, streamKeys } from './stream-records.ts';

export interface StreamLogOptions {
  /** Under which its records lie. */
  readonly number: number;
  readonly spec: StreamSpec;
  /** Runs for each message that is gone, before anything else can happen. */
  readonly onRemoved: (message: IndexedMessage) => void;
  /** Throws if nothing is to be stored of that subject; asked for what is no duplicate. */
  readonly checkSubject: (subject: string) => void;
  /** Runs when a message came to be seen; its batch is not through yet. */
  readonly onSeen: () => void;
}

/** What is to be stored; every part was checked. */
export interface NewMessage extends Payload {
  readonly subject: string;
  readonly expectedLastSeq?: number | undefined;
  /** Told of what has happened already: a batch that fails does not undo it. */
  readonly isKept?: boolean;
}

export interface StreamLog {
  spec: StreamSpec;
  /** May hold messages that are not seen yet, above `visibleSeq`. */
  readonly index: MessageIndex;
  /** The last seq that is kept; 0: none was ever. */
  readonly visibleSeq: number;
  /** The last seq that was given. */
  readonly lastSeq: number;
  readonly visibleCount: number;
  readonly visibleBytes: number;
  /** Stores a message at once in memory; resolves when it is kept. Throws `conflict`, `limit-exceeded`, what `checkSubject` throws. */
  append(message: NewMessage): Promise<Appended>;
  /** Reads a message that is seen; undefined if there is none. Throws `corrupt`. */
  load(seq: number): Promise<StoredMessage | undefined>;
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

function full(spec: StreamSpec, sizeBytes: number, bytes: number): VakError {
  const { name, maxBytes } = spec;
  const message = `append to ${name}: ${sizeBytes} bytes do not fit; it holds ${bytes} of ${maxBytes} bytes. Remove messages, or raise its limit`;
  return new VakError('limit-exceeded', message, {
    details: { stream: name, sizeBytes, bytes, limitBytes: maxBytes ?? 0 },
  });
}

/** Creates an empty log. */
export function createStreamLog(store: StreamStore, options: StreamLogOptions): StreamLog {
  const { journal, writer, clock } = store;
  const { number, onRemoved, onSeen } = options;
  const dedupe = createDedupeWindow(() => log.spec.dedupeWindowMs);
  const messages = createMessageStore(store, { number, dedupe, onRemoved });
  const { index } = messages;
  /** The last that was given. */
  const last = { seq: 0, ms: 0 };
  const end: RecordOwner = {
    changes: () => [{ key: streamKeys.end(number), value: encodeEnd({ lastSeq: last.seq, lastMs: last.ms }) }],
  };
  const firstSeq = (): number | undefined => index.firstStoredFrom(Number.NEGATIVE_INFINITY);

  function removeWhile(isToGo: (message: IndexedMessage) => boolean, isStaged = true): void {
    for (let seq = firstSeq(); seq !== undefined; seq = firstSeq()) {
      if (!isToGo(index.get(seq) as IndexedMessage)) return;
      messages.remove(seq, isStaged);
    }
  }

  function dropOld(sizeBytes: number): void {
    const { maxBytes } = log.spec;
    if (maxBytes !== null) removeWhile(() => index.bytes + sizeBytes > maxBytes);
  }

  function expire(): void {
    const { maxAgeMs } = log.spec;
    const nowMs = clock.now();
    // A journal that takes nothing keeps what is too old; here nobody sees it any more.
    const isStaged = journal.readOnlyReason === undefined;
    if (maxAgeMs !== null) removeWhile(({ storedMs }) => storedMs + maxAgeMs <= nowMs, isStaged);
    if (!isStaged) return;
    for (const seq of dedupe.expire(nowMs)) messages.forgetId(seq);
  }

  function makeRoom(sizeBytes: number): void {
    const { maxBytes, whenFull } = log.spec;
    if (maxBytes === null || index.bytes + sizeBytes <= maxBytes) return;
    if (whenFull === 'refuse-new' || sizeBytes > maxBytes) throw full(log.spec, sizeBytes, index.bytes);
    dropOld(sizeBytes);
  }

  /** What a message that is no duplicate conflicts with. */
  function conflictOf({ subject, expectedLastSeq }: NewMessage): VakError | undefined {
    options.checkSubject(subject);
    const actual = index.lastOf(subject, last.seq) ?? 0;
    if (expectedLastSeq === undefined || expectedLastSeq === actual) return undefined;
    const message = `append to ${log.spec.name}: the subject's last message is ${actual}, not ${expectedLastSeq}; read it again, then decide anew`;
    return new VakError('conflict', message, { details: { expected: expectedLastSeq, actual } });
  }

  function stage(message: IndexedMessage, isKept: boolean, changes: readonly JournalChange[]): Promise<void> {
    return new Promise((resolve, reject) => {
      writer.stageAppend({
        ...{ changes, isKept },
        onCommitted() {
          messages.see(message.seq);
          onSeen();
          resolve();
        },
        onFailed(error) {
          messages.undo(message);
          reject(error);
        },
      });
      writer.touch(end);
    });
  }

  async function append(message: NewMessage): Promise<Appended> {
    expire();
    const { subject, messageId, data } = message;
    const known = messageId === undefined ? undefined : dedupe.find(messageId, clock.now());
    const conflict = known === undefined ? conflictOf(message) : undefined;
    if (known !== undefined || conflict !== undefined) {
      // What was there first may be under way; whoever is told of it reads again at once, and must see it.
      await writer.flushed();
      if (conflict !== undefined) throw conflict;
      return { stream: log.spec.name, seq: known as number, isDuplicate: true };
    }
    const sizeBytes = sizeOf(message);
    makeRoom(sizeBytes);
    last.ms = Math.max(last.ms, clock.now());
    last.seq++;
    const { seq, ms: storedMs } = last;
    const indexed = { seq, subject, storedMs, sizeBytes };
    if (messageId !== undefined && log.spec.dedupeWindowMs > 0) dedupe.remember({ messageId, seq, storedMs });
    await stage(indexed, message.isKept ?? false, messages.add(indexed, { messageId, data }));
    return { stream: log.spec.name, seq, isDuplicate: false };
  }

  const log: StreamLog = {
    spec: options.spec,
    index,
    get visibleSeq() {
      return messages.visibleSeq;
    },
    get lastSeq() {
      return last.seq;
    },
    get visibleCount() {
      return messages.visibleCount;
    },
    get visibleBytes() {
      return messages.visibleBytes;
    },
    append,
    async load(seq) {
      const found = await messages.load(seq);
      if (found === undefined) return undefined;
      const { subject, storedMs, messageId, data } = found;
      return { stream: log.spec.name, seq, subject, data, storedMs, messageId };
    },
    remove: (seq) => messages.remove(seq, true),
    expire,
    dropOld,
    restore: {
      message: (message) => index.add(message),
      id: (seq, messageId, storedMs) => dedupe.remember({ messageId, seq, storedMs }),
      end({ lastSeq, lastMs }) {
        last.seq = Math.max(last.seq, lastSeq);
        last.ms = Math.max(last.ms, lastMs);
        messages.see(last.seq);
      },
    },
  };
  return log;
}
