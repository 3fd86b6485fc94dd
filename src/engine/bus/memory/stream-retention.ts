/**
 * What a stream lets go of, by age and by size (protocol.md §1, B3).
 * Law: what must not be dropped is refused instead; what is too old is seen by nobody, also where nothing can be changed any more.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { DedupeWindow } from './dedupe-window.ts';
import type { IndexedMessage } from './message-index.ts';
import type { MessageStore, StreamStore } from './message-store.ts';

export interface StreamRetention {
  /** Removes what is too old at that time, ms since the epoch, and forgets its ids. */
  expire(nowMs: number): void;
  /** Makes room for so many bytes. Throws `limit-exceeded` if the stream refuses what does not fit. */
  makeRoom(sizeBytes: number): void;
  /** Removes the oldest until so many bytes more would fit. */
  dropOld(sizeBytes: number): void;
}

export interface StreamRetentionOptions {
  readonly messages: Pick<MessageStore, 'index' | 'remove' | 'forgetId'>;
  readonly dedupe: Pick<DedupeWindow, 'expire'>;
  readonly spec: () => StreamSpec;
}

function full(spec: StreamSpec, sizeBytes: number, bytes: number): VakError {
  const { name, maxBytes } = spec;
  const message = `append to ${name}: ${sizeBytes} bytes do not fit; it holds ${bytes} of ${maxBytes} bytes. Remove messages, or raise its limit`;
  return new VakError('limit-exceeded', message, {
    details: { stream: name, sizeBytes, bytes, limitBytes: maxBytes ?? 0 },
  });
}

/** Creates the retention of one stream. */
export function createStreamRetention(
  { writer }: Pick<StreamStore, 'writer'>,
  { messages, dedupe, spec }: StreamRetentionOptions,
): StreamRetention {
  const { index } = messages;
  const firstSeq = (): number | undefined => index.firstStoredFrom(Number.NEGATIVE_INFINITY);

  function removeWhile(isToGo: (message: IndexedMessage) => boolean, isStaged = true): void {
    for (let seq = firstSeq(); seq !== undefined; seq = firstSeq()) {
      if (!isToGo(index.get(seq) as IndexedMessage)) return;
      messages.remove(seq, isStaged);
    }
  }

  function dropOld(sizeBytes: number): void {
    const { maxBytes } = spec();
    if (maxBytes !== null) removeWhile(() => index.bytes() + sizeBytes > maxBytes);
  }

  return {
    dropOld,
    expire(nowMs) {
      const { maxAgeMs } = spec();
      // A journal that takes nothing keeps what is too old; here nobody sees it any more.
      const isStaged = writer.readOnlyReason() === undefined;
      if (maxAgeMs !== null) removeWhile(({ storedMs }) => storedMs + maxAgeMs <= nowMs, isStaged);
      if (!isStaged) return;
      for (const seq of dedupe.expire(nowMs)) messages.forgetId(seq);
    },
    makeRoom(sizeBytes) {
      const { maxBytes, whenFull } = spec();
      if (maxBytes === null || index.bytes() + sizeBytes <= maxBytes) return;
      if (whenFull === 'refuse-new' || sizeBytes > maxBytes) throw full(spec(), sizeBytes, index.bytes());
      dropOld(sizeBytes);
    },
  };
}
