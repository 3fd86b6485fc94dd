/**
 * The payloads that were stored or read last (protocol.md B6).
 * Law: never holds more than its bound; what is not here is in the journal.
 */

/** What a journal keeps of a message beside what the index knows. */
export interface Payload {
  readonly messageId: string | undefined;
  readonly data: Uint8Array;
}

export interface PayloadCache {
  /** Found ones count as used last. */
  get(stream: number, seq: number): Payload | undefined;
  put(place: { readonly stream: number; readonly seq: number }, payload: Payload): void;
  delete(stream: number, seq: number): void;
  readonly bytes: number;
}

/** What an entry costs beside its data: map entry, objects, key. */
const overheadBytes = 320;

const costOf = ({ data, messageId }: Payload): number => data.length + (messageId?.length ?? 0) + overheadBytes;

interface Generation {
  readonly payloads: Map<string, Payload>;
  bytes: number;
}

const createGeneration = (): Generation => ({ payloads: new Map(), bytes: 0 });

function removeFrom(generation: Generation, key: string): void {
  const payload = generation.payloads.get(key);
  if (payload === undefined) return;
  generation.payloads.delete(key);
  generation.bytes -= costOf(payload);
}

/** Creates a cache of at most `maxBytes`: two generations, the older one goes whole when the younger is full. */
export function createPayloadCache(maxBytes: number): PayloadCache {
  let young = createGeneration();
  let old = createGeneration();

  function remove(key: string): void {
    removeFrom(young, key);
    removeFrom(old, key);
  }

  function insert(key: string, payload: Payload): void {
    const cost = costOf(payload);
    if (cost > maxBytes / 2) return;
    if (young.bytes + cost > maxBytes / 2) {
      old = young;
      young = createGeneration();
    }
    young.payloads.set(key, payload);
    young.bytes += cost;
  }

  return {
    get bytes() {
      return young.bytes + old.bytes;
    },
    get(stream, seq) {
      const key = `${stream}:${seq}`;
      const known = young.payloads.get(key);
      if (known !== undefined) return known;
      const older = old.payloads.get(key);
      if (older !== undefined) {
        removeFrom(old, key);
        insert(key, older);
      }
      return older;
    },
    put({ stream, seq }, payload) {
      const key = `${stream}:${seq}`;
      remove(key);
      insert(key, payload);
    },
    delete(stream, seq) {
      remove(`${stream}:${seq}`);
    },
  };
}
