/** A stream of one subject that is a list, and answers late: what reads it has others come in between. */
import type { DurablePlane, StoredMessage } from '../../src/engine/bus/durable.ts';

export interface ListedStream {
  readonly durable: DurablePlane;
  /** How many messages were read, all in all. */
  readonly readCount: () => number;
  add(data: Uint8Array, storedMs?: number): number;
}

/** Creates it empty. `firstSeq`: of the first message. */
export function createListedStream(subject: string, firstSeq = 1): ListedStream {
  const messages: StoredMessage[] = [];
  let readCount = 0;
  const stream = {
    async read({ fromSeq = 1, limit = 256 }: { readonly fromSeq?: number; readonly limit?: number }) {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      const found = messages.filter(({ seq }) => seq >= fromSeq);
      const page = found.slice(0, limit);
      readCount += page.length;
      return { messages: page, nextSeq: found.length > limit ? (page.at(-1)?.seq ?? 0) + 1 : undefined };
    },
  };
  return {
    durable: { stream: () => stream } as unknown as DurablePlane,
    readCount: () => readCount,
    add(data, storedMs = 0) {
      const seq = firstSeq + messages.length;
      messages.push({ stream: 's', seq, subject, data, storedMs, messageId: undefined });
      return seq;
    },
  };
}
