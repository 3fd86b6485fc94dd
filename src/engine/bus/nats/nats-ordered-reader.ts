/**
 * Reads a stream in order through a consumer of a moment, without acks (protocol.md B3, A4).
 * Law: only for streams whose retention no consumer changes; it deletes its consumer, and goes on behind the last message if that is lost.
 * Its filter stands in the subject of the request, so that a server can allow reading by subject, which reading by number ignores.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NatsAsks } from './nats-asks.ts';
import { isApiError, type JetStreamApi, type JsonRecord, numberIn, recordIn } from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { type Pulled, pullOnce } from './nats-pull.ts';
import type { ReaderNames } from './nats-reader-names.ts';

export type ReaderStart =
  | { readonly kind: 'seq'; readonly seq: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'last-per-subject' };

export interface OrderedReaderOptions {
  readonly stream: string;
  readonly filter: string;
  readonly start: ReaderStart;
  readonly isHeadersOnly?: boolean;
}

export interface ReaderRequest {
  readonly limit: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowRequest {
  readonly limit: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onMessage: (pulled: Pulled) => void;
}

export interface ReaderPage {
  readonly messages: readonly Pulled[];
  /** How many more lay there when the last one was delivered. */
  readonly pendingCount: number;
  /** The stream was made anew, or lost its end, so reading began again from the start. */
  readonly hasStartedOver: boolean;
}

export interface OrderedReader {
  /** Hands out what comes for a while, as it comes. Gives whether it has to begin again from the start, and then handed out nothing. */
  follow(request: FollowRequest): Promise<{ readonly hasStartedOver: boolean }>;
  /** What is there, from where it is. Throws `not-found` (the stream has gone), `disconnected`, `aborted`, `timeout`. */
  next(request: ReaderRequest): Promise<ReaderPage>;
  close(): Promise<void>;
}

export interface OrderedReaderDeps {
  readonly asks: NatsAsks;
  readonly api: JetStreamApi;
  readonly clock: Clock;
  readonly readerNames: ReaderNames;
}

interface OpenReader {
  readonly name: string;
  /** What came from it, and what it still had then. */
  delivered: number;
  pending: number;
}

/** How long the server keeps a reader that nobody closed. */
const inactiveNanos = 60_000_000_000;
/** Silence within a page that means that the rest of it was lost. */
const quietMs = 3_000;
const pageMs = 5_000;

function startConfig(start: ReaderStart): JsonRecord {
  if (start.kind === 'seq') return { deliver_policy: 'by_start_sequence', opt_start_seq: start.seq };
  if (start.kind === 'last-per-subject') return { deliver_policy: 'last_per_subject' };
  return { deliver_policy: 'by_start_time', opt_start_time: new Date(start.ms).toISOString() };
}

export function createOrderedReader(deps: OrderedReaderDeps, options: OrderedReaderOptions): OrderedReader {
  const { asks, api, clock, readerNames } = deps;
  const { stream, filter } = options;
  const where = `stream ${stream}`;
  let consumer: OpenReader | undefined;
  let lastSeq: number | undefined;

  /** Where to go on; from the start if the stream now ends before the place that was reached. */
  const findStart = async (signal: AbortSignal | undefined): Promise<ReaderStart> => {
    if (lastSeq === undefined) return options.start;
    const info = await api.call({ verb: `STREAM.INFO.${stream}`, where, signal });
    if (numberIn(recordIn(info, 'state', where), 'last_seq') < lastSeq) {
      lastSeq = undefined;
      return options.start;
    }
    return { kind: 'seq', seq: lastSeq + 1 };
  };
  const open = async (signal: AbortSignal | undefined): Promise<OpenReader> => {
    const start = await findStart(signal);
    const name = await readerNames.take(stream, signal);
    try {
      const made = await make(name, start);
      return { name, delivered: 0, pending: numberIn(made, 'num_pending') };
    } catch (error) {
      readerNames.give(stream, name);
      throw error;
    }
  };
  /** Names are used again: one that was left behind, or is another process's, gives way; whoever reads through it begins anew. */
  const make = async (name: string, start: ReaderStart): Promise<JsonRecord> => {
    const config = {
      ...{ name, ack_policy: 'none', replay_policy: 'instant', filter_subject: filter, mem_storage: true },
      ...{ num_replicas: 1, inactive_threshold: inactiveNanos, headers_only: options.isHeadersOnly === true },
      ...startConfig(start),
    };
    const call = {
      verb: `CONSUMER.CREATE.${stream}.${name}${filter === '>' ? '' : `.${filter}`}`,
      body: { stream_name: stream, config },
      where,
    };
    const made = await api.tryCall(call, apiCodes.otherConsumer);
    if (!isApiError(made) && numberIn(recordIn(made, 'delivered', where), 'consumer_seq') === 0) return made;
    await remove(name);
    return await api.call(call);
  };
  const remove = (name: string) =>
    api.tryCall({ verb: `CONSUMER.DELETE.${stream}.${name}`, where }, [apiCodes.consumerNotFound]);
  const discard = async (): Promise<void> => {
    const gone = consumer;
    consumer = undefined;
    if (gone === undefined) return;
    try {
      await remove(gone.name);
    } catch (error) {
      // It goes by itself when it was not used for a while.
      if (!isVakError(error)) throw error;
    } finally {
      readerNames.give(stream, gone.name);
    }
  };

  /** Notes a message; false if others before it were lost. */
  const note = (current: OpenReader, { place }: Pulled): boolean => {
    if (place.consumerSeq !== current.delivered + 1) return false;
    current.delivered = place.consumerSeq;
    current.pending = place.pendingCount;
    // The newest of each subject do not come in the order of the stream.
    lastSeq = Math.max(lastSeq ?? 0, place.streamSeq);
    return true;
  };
  const begin = async (signal: AbortSignal | undefined): Promise<{ current: OpenReader; hasStartedOver: boolean }> => {
    const before = lastSeq;
    const current = consumer ?? (await open(signal));
    consumer = current;
    return { current, hasStartedOver: before !== undefined && lastSeq === undefined };
  };

  return {
    async next({ limit, maxBytes, signal }) {
      const { current, hasStartedOver } = await begin(signal);
      if (current.pending === 0) return { messages: [], pendingCount: 0, hasStartedOver };
      const messages: Pulled[] = [];
      let isWhole = true;
      const { ending } = await pullOnce(
        { asks, clock },
        {
          ...{ stream, consumer: current.name, batch: Math.min(limit, current.pending) },
          ...{ waitMs: pageMs, quietMs, signal, ...(maxBytes === undefined ? {} : { maxBytes }) },
          onPulled(pulled) {
            isWhole = isWhole && note(current, pulled);
            if (isWhole) messages.push(pulled);
          },
        },
      );
      const pendingCount = current.pending;
      if (!isWhole || ending !== 'done') await discard();
      return { messages, pendingCount, hasStartedOver };
    },
    async follow({ limit, waitMs, signal, onMessage }) {
      const { current, hasStartedOver } = await begin(signal);
      if (hasStartedOver) return { hasStartedOver };
      let isWhole = true;
      const { ending } = await pullOnce(
        { asks, clock },
        {
          ...{ stream, consumer: current.name, batch: limit, waitMs, signal },
          onPulled(pulled) {
            isWhole = isWhole && note(current, pulled);
            if (isWhole) onMessage(pulled);
          },
        },
      );
      if (!isWhole || ending !== 'done') await discard();
      return { hasStartedOver };
    },
    close: discard,
  };
}
