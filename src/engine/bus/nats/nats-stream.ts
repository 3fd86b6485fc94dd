/**
 * One stream of JetStream: what lies in it, and its consumers (protocol.md B3, B4, W9).
 * Law: looking leaves nothing behind; a stream that has gone is `not-found`, whatever it is asked.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { checkPurge, checkRead } from '../check-durable.ts';
import type { ReadOptions, Stream, StreamPage, StreamState } from '../durable.ts';
import type { NatsConsumers } from './nats-consumer.ts';
import { checkName, isApiError, type JsonRecord, numberIn, recordIn } from './nats-jetstream-api.ts';
import { createOrderedReader, type OrderedReaderDeps, type ReaderStart } from './nats-ordered-reader.ts';
import { apiCodes, isServerCode } from './nats-plane-errors.ts';
import { deleteAll, isPurgeUnsafe, lastPlace } from './nats-purge.ts';
import { getStored, lastOf, readBySeq, seqAtTime } from './nats-seq-reader.ts';
import { storedOf } from './nats-stored-message.ts';
import type { StreamBook } from './nats-stream-book.ts';
import { specOf } from './nats-stream-config.ts';
import { checkFilter } from './nats-wire-subject.ts';

export interface NatsStreamDeps extends OrderedReaderDeps {
  readonly consumers: NatsConsumers;
  readonly book: StreamBook;
}

const maxTries = 3;
const maxPageBytes = 4 * 1024 * 1024;

/** The state of a stream in the answer of `STREAM.INFO`. */
export function streamStateOf(info: JsonRecord, where: string): StreamState {
  const state = recordIn(info, 'state', where);
  const lastSeq = numberIn(state, 'last_seq');
  const messageCount = numberIn(state, 'messages');
  return {
    spec: specOf(recordIn(info, 'config', where)),
    messageCount,
    bytes: numberIn(state, 'bytes'),
    firstSeq: messageCount === 0 ? lastSeq + 1 : numberIn(state, 'first_seq'),
    lastSeq,
    consumerCount: numberIn(state, 'consumer_count'),
  };
}

export function createNatsStream(deps: NatsStreamDeps, name: string): Stream {
  const { api, book, consumers } = deps;
  const stream = checkName(name, 'stream');
  const where = `stream ${stream}`;

  const state = async (): Promise<StreamState> =>
    streamStateOf(await api.call({ verb: `STREAM.INFO.${stream}`, where }), where);

  const readNumbers = async (options: ReadOptions): Promise<StreamPage> => {
    const { subject: filter = '>', limit, fromMs, fromSeq = 1, signal } = options;
    const timeSeq = fromMs === undefined ? 1 : await seqAtTime(api, stream, fromMs);
    const start = Math.max(fromSeq, timeSeq);
    const request = { stream, filter, fromSeq: start, limit, maxBytes: maxPageBytes, signal };
    const found = await readBySeq(api, request);
    const messages = found.slice(0, limit);
    const last = messages.at(-1)?.seq;
    if (last === undefined) return { messages, nextSeq: undefined };
    const hasMore =
      found.length > limit || (await getStored(api, stream, { seq: last + 1, next_by_subj: filter })) !== undefined;
    return { messages, nextSeq: hasMore ? last + 1 : undefined };
  };
  const startOf = async ({ fromMs, fromSeq }: ReadOptions): Promise<ReaderStart> => {
    if (fromMs === undefined) return { kind: 'seq', seq: Math.max(1, fromSeq ?? 1) };
    if (fromSeq === undefined) return { kind: 'time', ms: fromMs };
    return { kind: 'seq', seq: Math.max(1, fromSeq, await seqAtTime(api, stream, fromMs)) };
  };
  const readOrdered = async (options: ReadOptions): Promise<StreamPage> => {
    const { subject: filter = '>', limit, signal } = options;
    const reader = createOrderedReader(deps, { stream, filter, start: await startOf(options) });
    try {
      // A reader whose consumer was lost between two questions begins again behind what came.
      for (let attempt = 0; attempt < maxTries; attempt += 1) {
        const { messages, pendingCount } = await reader.next({ limit, maxBytes: maxPageBytes, signal });
        const last = messages.at(-1)?.place.streamSeq;
        if (last === undefined && pendingCount > 0) continue;
        return {
          messages: messages.map(({ message, place }) => storedOf(message, place)),
          nextSeq: last !== undefined && pendingCount > 0 ? last + 1 : undefined,
        };
      }
      throw new VakError('timeout', `${where}: the server does not hand out its messages`, { retryable: true });
    } finally {
      await reader.close();
    }
  };
  return {
    state,
    async count(subject) {
      checkPurge(subject);
      const body = { subjects_filter: checkFilter(subject) };
      const info = await api.call({ verb: `STREAM.INFO.${stream}`, body, where });
      const subjects = recordIn(info, 'state', where)['subjects'] ?? {};
      return Object.values(subjects).reduce((sum: number, one) => sum + (typeof one === 'number' ? one : 0), 0);
    },
    async get(seq) {
      if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
      return (await getStored(api, stream, { seq }))?.stored;
    },
    async last(subject) {
      return (await lastOf(api, stream, checkFilter(subject)))?.stored;
    },
    async read(options) {
      checkRead(options);
      const { retention } = await book.known(stream, state);
      try {
        return await (retention === 'limits' ? readOrdered(options) : readNumbers(options));
      } catch (error) {
        // A consumer's filter must fit one pattern of the stream; a filter of a read need not.
        if (isServerCode(error, apiCodes.filterOutside)) return await readNumbers(options);
        book.forget(stream);
        throw error;
      }
    },
    async delete(seq) {
      if (!Number.isSafeInteger(seq) || seq < 1) return false;
      const call = { verb: `STREAM.MSG.DELETE.${stream}`, body: { seq }, where };
      const answer = await api.tryCall(call, [apiCodes.deleteFailed, apiCodes.sequenceNotFound]);
      if (!isApiError(answer)) return true;
      // The same code stands for "there is none" and for a store that failed.
      if ((await getStored(api, stream, { seq })) === undefined) return false;
      throw new VakError('conflict', `${where}: the server could not delete message ${seq}; try again`, {
        retryable: true,
      });
    },
    async purge(subject, upToSeq) {
      checkPurge(subject, upToSeq);
      if (subject !== undefined && (await isPurgeUnsafe(api, stream, checkFilter(subject)))) {
        return deleteAll(api, stream, { subject, upToSeq: upToSeq ?? Number.MAX_SAFE_INTEGER });
      }
      const body = {
        ...(subject === undefined ? {} : { filter: subject }),
        // A place that is not there yet would be taken as one: the stream would go on behind it.
        ...(upToSeq === undefined ? {} : { seq: (await lastPlace(api, stream, upToSeq)) + 1 }),
      };
      if (body.seq === 1) return 0;
      return numberIn(await api.call({ verb: `STREAM.PURGE.${stream}`, body, where }), 'purged');
    },
    ensureConsumer: (spec) => consumers.ensure(stream, spec),
    consumer: (consumer) => consumers.at(stream, consumer),
    consumers: () => consumers.list(stream),
    deleteConsumer: async (consumer) => {
      const wasThere = await consumers.delete(stream, consumer);
      book.consumersChanged(stream);
      return wasThere;
    },
  };
}
