/**
 * Which messages' contents stay in memory beside the journal: those that were stored or read last (protocol.md B6).
 * Law: never counts less than is held, nor more than its bound; what is dropped is in the journal.
 */
import type { StoredMessage } from '../durable.ts';

/** Who holds the contents, by number. */
export interface ContentHolder {
  dropContent(seq: number): void;
}

export interface ContentCache {
  /** The holder holds this one from now on; the oldest are dropped for it, each by its own holder. */
  admit(holder: ContentHolder, content: StoredMessage): void;
  readonly bytes: number;
}

/** What a content costs beside its data: the object, the id, its places. */
const overheadBytes = 320;

interface Generation {
  readonly holders: ContentHolder[];
  readonly seqs: number[];
  /** Of what was admitted; what its holder has removed meanwhile still counts. */
  bytes: number;
}

const createGeneration = (): Generation => ({ holders: [], seqs: [], bytes: 0 });

/** Creates a cache of at most `maxBytes`: two generations, the older one goes whole when the younger is full. */
export function createContentCache(maxBytes: number): ContentCache {
  let young = createGeneration();
  let old = createGeneration();

  function turn(): void {
    old.holders.forEach((holder, at) => {
      holder.dropContent(old.seqs[at] as number);
    });
    old = young;
    young = createGeneration();
  }

  return {
    get bytes() {
      return young.bytes + old.bytes;
    },
    admit(holder, { seq, data, messageId }) {
      const cost = data.length + (messageId?.length ?? 0) + overheadBytes;
      if (young.bytes + cost > maxBytes / 2) turn();
      young.holders.push(holder);
      young.seqs.push(seq);
      young.bytes += cost;
    },
  };
}

/** A cache without a bound, for what is nowhere else. */
export function createUnboundedCache(): ContentCache {
  return { bytes: 0, admit() {} };
}
