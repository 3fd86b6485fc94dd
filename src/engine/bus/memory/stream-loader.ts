/**
 * Brings the streams of a journal back into memory at start (protocol.md B6).
 * Law: what is damaged is `corrupt` and ends the start; payloads are not read, and what has ended meanwhile is removed.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { checkConsumerSpec, checkStreamSpec } from '../check-durable.ts';
import type { ConsumerSpec } from '../durable.ts';
import type { EmbeddedStream } from './embedded-stream.ts';
import type { Journal, JournalRange } from './journal.ts';
import { decodeU64, readJournalKey } from './journal-keys.ts';
import type { StreamStore } from './message-store.ts';
import {
  createMessageKeys,
  decodeDelivery,
  decodeEnd,
  decodeFacts,
  decodeSpec,
  type KeptSpec,
  lastNumber,
  type MessageFacts,
  streamKeys,
} from './stream-records.ts';

/** So many keys are removed in one batch. */
const removalChunk = 4_096;

type Entry = { readonly key: Uint8Array; readonly value: Uint8Array };

async function collect<T>(journal: Journal, range: JournalRange, read: (entry: Entry) => T): Promise<T[]> {
  const all: T[] = [];
  for await (const entry of journal.entries(range)) all.push(read(entry));
  return all;
}

/** What a specification of the journal must be; a bad one is damage, not an input. */
function checkKept<Spec>(kept: KeptSpec<Spec>, check: (spec: Spec) => void): KeptSpec<Spec> {
  try {
    check(kept.spec);
  } catch (cause) {
    throw new VakError('corrupt', "the journal's specification of a stream or consumer does not fit", { cause });
  }
  return kept;
}

/** Specifications of the streams that the journal holds. Throws `corrupt`. */
export function loadSpecs(journal: Journal): Promise<KeptSpec<StreamSpec>[]> {
  return collect(journal, streamKeys.specs, ({ value }) =>
    checkKept(decodeSpec<StreamSpec>(value, 'stream'), checkStreamSpec),
  );
}

/** Numbers of deleted streams of which something is left. Throws `corrupt`. */
export function loadGone(journal: Journal): Promise<number[]> {
  return collect(journal, streamKeys.allGone, ({ key }) => lastNumber(key));
}

/** Removes keys chunk by chunk: reading a journal takes many turns, and each turn would be a commit. */
function createRemover({ writer }: StreamStore) {
  let keys: Uint8Array[] = [];
  async function flush(): Promise<void> {
    writer.stage(keys.map((key) => ({ key, value: undefined })));
    keys = [];
    await writer.flushed();
  }
  return {
    async add(...more: readonly Uint8Array[]): Promise<void> {
      keys.push(...more);
      if (keys.length >= removalChunk) await flush();
    },
    flush,
  };
}

/** Removes all that is left of a deleted stream, chunk by chunk. */
export async function sweepStream(store: StreamStore, stream: number): Promise<void> {
  const { journal, writer } = store;
  const keys = createMessageKeys(stream);
  const remover = createRemover(store);
  for await (const { key } of journal.entries(streamKeys.allFacts(stream))) {
    await remover.add(key, keys.payload(lastNumber(key)));
  }
  await remover.flush();
  for (const range of [streamKeys.consumers(stream), streamKeys.cursors(stream), streamKeys.allOutstanding(stream)]) {
    writer.stage(await collect(journal, range, ({ key }) => ({ key, value: undefined })));
  }
  writer.stage([
    { key: streamKeys.end(stream), value: undefined },
    { key: streamKeys.gone(stream), value: undefined },
  ]);
  await writer.flushed();
}

/** What is left of a message: it is here, its id is remembered, or nothing. */
function fateOf(facts: MessageFacts, spec: StreamSpec, nowMs: number): { isLive: boolean; isRemembered: boolean } {
  const isRemembered = facts.messageId !== undefined && facts.storedMs + spec.dedupeWindowMs > nowMs;
  const isExpired = spec.maxAgeMs !== null && facts.storedMs + spec.maxAgeMs <= nowMs;
  // One that is too old, and whose id is remembered, goes the usual way at the first look.
  return { isLive: !facts.isTombstone && (isRemembered || !isExpired), isRemembered };
}

async function loadMessages(store: StreamStore, { number, log }: EmbeddedStream): Promise<void> {
  const { journal, clock } = store;
  const isWritable = journal.readOnlyReason === undefined;
  const nowMs = clock.now();
  const end = await journal.get(streamKeys.end(number));
  if (end !== undefined) log.restore.end(decodeEnd(end));
  const keys = createMessageKeys(number);
  const remover = createRemover(store);
  for await (const { key, value } of journal.entries(streamKeys.allFacts(number))) {
    const facts = decodeFacts(value);
    const seq = lastNumber(key);
    log.restore.end({ lastSeq: seq, lastMs: facts.storedMs });
    const { isLive, isRemembered } = fateOf(facts, log.spec, nowMs);
    if (isLive) log.restore.message({ seq, ...facts });
    if (isRemembered) log.restore.id(seq, facts.messageId as string, facts.storedMs);
    if (!(isLive || isRemembered) && isWritable) await remover.add(key, keys.payload(seq));
  }
  await remover.flush();
}

async function loadConsumers({ journal, writer }: StreamStore, stream: EmbeddedStream): Promise<void> {
  const { number } = stream;
  const isWritable = journal.readOnlyReason === undefined;
  const specs = await collect(journal, streamKeys.consumers(number), ({ value }) =>
    checkKept(decodeSpec<ConsumerSpec>(value, 'consumer'), checkConsumerSpec),
  );
  for (const { number: consumerNumber, spec } of specs) {
    const cursor = await journal.get(streamKeys.cursor(number, consumerNumber));
    const start = cursor === undefined ? 1 : decodeU64(cursor);
    const consumer = stream.restoreConsumer(spec, { number: consumerNumber, cursor: start });
    for await (const { key, value } of journal.entries(streamKeys.allOutstanding(number, consumerNumber))) {
      const [, , , seq] = readJournalKey(key, ['text', 'number', 'number', 'number']);
      if (stream.log.index.get(seq) !== undefined) consumer.restore(seq, decodeDelivery(value));
      else if (isWritable) writer.stage([{ key, value: undefined }]);
    }
  }
}

/** Fills a stream that was made from its kept specification. Throws `corrupt`. */
export async function loadStream(store: StreamStore, stream: EmbeddedStream): Promise<void> {
  await loadMessages(store, stream);
  await loadConsumers(store, stream);
}
