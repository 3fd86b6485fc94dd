/**
 * The streams of the embedded engine (protocol.md B3, B4, B6): made, changed, found by subject, ended.
 * Law: one subject, one stream; nothing is acknowledged before the journal has it, and nothing runs on after `close`.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Randomness } from '../../ports/randomness.ts';
import { checkAppend, checkStreamSpec } from '../check-durable.ts';
import { checkMessageSize } from '../check-message.ts';
import type { Appended, AppendOptions, DurablePlane, Provisioned } from '../durable.ts';
import { advisorySubject, encodeMaxDeliveries } from '../max-deliveries-advisory.ts';
import type { Taken } from './consumer-progress.ts';
import { createContentCache, createUnboundedCache } from './content-cache.ts';
import { createEmbeddedStream, type EmbeddedStream } from './embedded-stream.ts';
import type { Journal } from './journal.ts';
import { createJournalWriter, createMemoryWriter } from './journal-writer.ts';
import type { StreamStore } from './message-store.ts';
import { createStreamDirectory } from './stream-directory.ts';
import { createStreamHandle } from './stream-handle.ts';
import { loadGone, loadSpecs, loadStream, sweepStream } from './stream-loader.ts';
import type { NewMessage } from './stream-log.ts';
import { encodeSpec, type KeptSpec, streamKeys } from './stream-records.ts';

const contentCacheBytes = 32 * 1024 * 1024;
/** How often what is too old is removed, ms; it is not seen from the moment at which it is too old. */
const sweepIntervalMs = 30_000;

export interface StreamPlaneDeps {
  readonly journal: Journal;
  /** False: messages and consumers live in memory alone, as they are; the journal holds none, and gets none. */
  readonly isKeeping?: boolean;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Runs for each message that `append` stored, when it is kept, in the stream's order. May not throw. */
  readonly onStored?: (message: { readonly subject: string; readonly data: Uint8Array }) => void;
}

/** The stream half of a {@link DurablePlane}; the journal stays the caller's. */
export interface StreamPlane
  extends Pick<DurablePlane, 'ensureStream' | 'streams' | 'stream' | 'deleteStream' | 'append'> {
  /** As `append`, of what was heard live before: `onStored` is not told. */
  store(subject: string, data: Uint8Array): Promise<Appended>;
  /** Refuses calls, ends pulls that wait with `closed`, keeps what is staged. */
  close(): Promise<void>;
}

/** A specification in one order, without what is none of it: equal ones have equal JSON. */
function toPlainSpec(spec: StreamSpec): StreamSpec {
  const { name, subjects, retention, maxAgeMs, maxBytes, whenFull, dedupeWindowMs } = spec;
  return { name, subjects: [...subjects], retention, maxAgeMs, maxBytes, whenFull, dedupeWindowMs };
}

const isSameSpec = (a: StreamSpec, b: StreamSpec): boolean => JSON.stringify(a) === JSON.stringify(b);

function notFound(name: string): VakError {
  return new VakError('not-found', `stream ${name}: there is none of that name; make it first`, {
    details: { stream: name },
  });
}

const closed = (): VakError => new VakError('closed', 'the streams of the embedded engine are closed');

/** Opens the streams that a journal holds. Throws `corrupt`, and what the journal throws. */
export async function createStreamPlane(deps: StreamPlaneDeps): Promise<StreamPlane> {
  const { journal, isKeeping = true, clock, randomness, logger, onStored } = deps;
  const directory = createStreamDirectory();
  const withNews = new Set<EmbeddedStream>();
  const writer = isKeeping ? createJournalWriter(journal, wakeAll) : createMemoryWriter();
  const cache = isKeeping ? createContentCache(contentCacheBytes) : createUnboundedCache();
  const seed = new DataView(randomness.bytes(4).buffer).getInt32(0);
  const store: StreamStore = { journal, writer, clock, cache, seed };
  let nextNumber = 1;
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw closed();
  }

  function wakeAll(): void {
    const news = [...withNews];
    withNews.clear();
    for (const stream of news) stream.wake();
  }

  function onNews(stream: EmbeddedStream, { subject, data, isToBeTold }: NewMessage): void {
    // Whoever waits for messages gets all of this turn, as it does of a batch of the journal.
    if (!isKeeping && withNews.size === 0) queueMicrotask(wakeAll);
    withNews.add(stream);
    if (isToBeTold) onStored?.({ subject, data });
  }

  /** Staged in the batch in which the message is given up: either both are kept or none. */
  async function tellExhausted(stream: string, consumer: string, { seq, deliveries }: Taken): Promise<void> {
    const subject = advisorySubject(stream, consumer);
    const taker = directory.ofOwnSubject(subject);
    if (taker === undefined) return;
    const advisory = { stream, consumer, streamSeq: seq, deliveries };
    const data = encodeMaxDeliveries(advisory, clock, randomness);
    const own = { messageId: undefined, expectedLastSeq: undefined, isKept: true, isToBeTold: false };
    try {
      await taker.log.append({ subject, data, ...own });
    } catch (error) {
      const code = error instanceof VakError ? error.code : 'internal';
      logger.warn('streams.advisory-lost', { stream, consumer, seq, code });
    }
  }

  function openStream({ number, spec }: KeptSpec<StreamSpec>): EmbeddedStream {
    nextNumber = Math.max(nextNumber, number + 1);
    const stream = createEmbeddedStream(store, {
      ...{ number, spec: toPlainSpec(spec) },
      onNews,
      onExhausted: (consumer, message) => void tellExhausted(spec.name, consumer, message),
    });
    directory.put(stream);
    return stream;
  }

  function findStream(name: string): EmbeddedStream {
    checkOpen();
    const stream = directory.get(name);
    if (stream === undefined) throw notFound(name);
    return stream;
  }

  function keepSpec({ number, log }: EmbeddedStream): void {
    const { spec } = log;
    writer.stage([{ key: streamKeys.spec(spec.name), value: encodeSpec({ number, spec }) }]);
  }

  function compare(known: EmbeddedStream | undefined, spec: StreamSpec): Provisioned {
    directory.checkSubjects(spec);
    if (known === undefined) return 'created';
    const { retention } = known.log.spec;
    if (retention !== spec.retention) {
      const message = `stream ${spec.name}: its retention is ${retention} and cannot become ${spec.retention}; delete it first`;
      throw new VakError('conflict', message, { details: { stream: spec.name, field: 'retention' } });
    }
    return isSameSpec(known.log.spec, spec) ? 'unchanged' : 'updated';
  }

  function apply(known: EmbeddedStream | undefined, spec: StreamSpec): void {
    if (known === undefined) {
      keepSpec(openStream({ number: nextNumber, spec }));
      return;
    }
    known.log.spec = spec;
    directory.put(known);
    keepSpec(known);
    known.enforceLimits();
  }

  async function load(): Promise<void> {
    const startedMs = clock.monotonic();
    const isWritable = writer.readOnlyReason() === undefined;
    for (const number of await loadGone(journal)) {
      nextNumber = Math.max(nextNumber, number + 1);
      if (isWritable) await sweepStream(store, number);
    }
    let messageCount = 0;
    for (const kept of await loadSpecs(journal)) {
      const stream = openStream(kept);
      await loadStream(store, stream);
      messageCount += stream.log.visibleCount();
    }
    await writer.flushed();
    // Only now: what a consumer gave up is told to another stream.
    for (const stream of directory.all()) stream.wake();
    const tookMs = Math.round(clock.monotonic() - startedMs);
    logger.info('streams.opened', { streamCount: directory.all().length, messageCount, tookMs });
  }

  function sweep(): void {
    for (const stream of directory.all()) stream.log.expire();
  }

  /** Whoever stores it, and who hears of that. */
  function put(
    message: Pick<NewMessage, 'subject' | 'data' | 'isToBeTold'>,
    options: AppendOptions,
  ): Appended | Promise<Appended> {
    checkOpen();
    const { subject, data, isToBeTold } = message;
    const stream = directory.ofSubject(subject);
    checkAppend(options);
    checkMessageSize(subject, data);
    if (writer.readOnlyReason() !== undefined) writer.checkWritable(`append ${subject}`);
    if (stream === undefined) throw new VakError('not-found', `append ${subject}: no stream takes it; make it first`);
    const { messageId, expectedLastSeq } = options;
    return stream.log.append({ subject, data, messageId, expectedLastSeq, isKept: false, isToBeTold });
  }

  await load();
  const ticker = clock.setTicker(sweepIntervalMs, sweep);

  return {
    append: async (subject, data, options = {}) => put({ subject, data, isToBeTold: true }, options),
    store: async (subject, data) => put({ subject, data, isToBeTold: false }, {}),
    async ensureStream(given, options = {}) {
      checkOpen();
      checkStreamSpec(given);
      const spec = toPlainSpec(given);
      const known = directory.get(spec.name);
      const provisioned = compare(known, spec);
      if (options.dryRun) return provisioned;
      if (provisioned !== 'unchanged') {
        writer.checkWritable(`make stream ${spec.name}`);
        apply(known, spec);
      }
      // Unchanged too: what was made a moment ago may not be kept yet.
      await writer.flushed();
      return provisioned;
    },
    async streams() {
      checkOpen();
      return directory.all().map((stream) => stream.state());
    },
    stream: (name) => createStreamHandle(name, { writer, find: () => findStream(name) }),
    async deleteStream(name) {
      checkOpen();
      writer.checkWritable(`delete stream ${name}`);
      const stream = directory.remove(name);
      if (stream === undefined) return false;
      stream.stop(() => new VakError('not-found', `stream ${name} was deleted`));
      writer.stage([
        { key: streamKeys.spec(name), value: undefined },
        { key: streamKeys.gone(stream.number), value: new Uint8Array(0) },
      ]);
      await writer.flushed();
      await sweepStream(store, stream.number);
      return true;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      ticker.dispose();
      for (const stream of directory.all()) stream.stop(closed);
      await writer.flushed().catch((error: unknown) => {
        // Nobody was told that it is kept.
        logger.warn('streams.last-batch-lost', { code: error instanceof VakError ? error.code : 'internal' });
      });
    },
  };
}
