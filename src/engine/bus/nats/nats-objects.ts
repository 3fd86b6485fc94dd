/**
 * Object buckets over JetStream (protocol.md R12, B5).
 * Law: an object is seen when all of it is stored, and read only as what its digest says; a few chunks are in memory, never the whole.
 */
import { createHash } from 'node:crypto';
import { headers } from 'nats';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { Randomness } from '../../ports/randomness.ts';
import type { ObjectBucket, ObjectInfo } from '../durable.ts';
import { appendOnce, type NatsAppendDeps } from './nats-append.ts';
import { checkName, isRecord, numberIn, recordIn } from './nats-jetstream-api.ts';
import {
  checkObjectName,
  chunkSubject,
  decodeMeta,
  encodeMeta,
  metaSubject,
  type ObjectMeta,
} from './nats-object-meta.ts';
import { writeChunks } from './nats-object-writer.ts';
import { createOrderedReader, type OrderedReaderDeps } from './nats-ordered-reader.ts';
import { newestStored } from './nats-seq-reader.ts';
import { plainBytes } from './nats-stored-message.ts';

export type NatsObjectsDeps = OrderedReaderDeps & NatsAppendDeps & { readonly randomness: Randomness };

/** Chunks that are read with one question: 2 MiB of the size that is written here. */
const readAhead = 16;
/** Of a chunk, as other clients cut them; less on a server that takes less. */
const maxChunkBytes = 128 * 1024;
/** How often a description is tried again when others write under the same name. */
const maxTries = 5;

function throwIfAborted(signal: AbortSignal | undefined, where: string): void {
  if (signal?.aborted === true) throw new VakError('aborted', `${where}: cancelled`);
}

export function createNatsObjects(deps: NatsObjectsDeps, bucket: string): ObjectBucket {
  const { api, asks, clock, randomness } = deps;
  const stream = `OBJ_${checkName(bucket, 'bucket')}`;
  const placeOf = (name: string): string => `object of ${name.length} characters in ${bucket}`;

  const find = async (name: string): Promise<ObjectMeta | undefined> => {
    const raw = await newestStored(api, stream, metaSubject(bucket, checkObjectName(name)));
    if (raw === undefined) return undefined;
    const { data, seq, storedMs } = raw.stored;
    return decodeMeta(data, { seq, storedMs, where: placeOf(name) });
  };
  /** Of all descriptions. Not read through a consumer: the server moves it behind everything when a description is replaced. */
  const metaSubjects = async (): Promise<readonly string[]> => {
    const where = `bucket ${bucket}`;
    const subjects: string[] = [];
    for (;;) {
      const body = { subjects_filter: `$O.${bucket}.M.>`, offset: subjects.length };
      const info = await api.call({ verb: `STREAM.INFO.${stream}`, body, where });
      const counts = recordIn(info, 'state', where)['subjects'];
      const page = isRecord(counts) ? Object.keys(counts) : [];
      subjects.push(...page);
      if (page.length === 0 || subjects.length >= numberIn(info, 'total')) return subjects;
    }
  };
  const purgeChunks = async (id: string): Promise<number> => {
    const call = {
      verb: `STREAM.PURGE.${stream}`,
      body: { filter: chunkSubject(bucket, id) },
      where: `stream ${stream}`,
    };
    return numberIn(await api.call(call), 'purged');
  };
  /** Chunks that nothing names any more. What is left behind by a lost connection costs room, nothing else. */
  const dropChunks = async (id: string): Promise<void> => {
    try {
      await purgeChunks(id);
    } catch (error) {
      if (!isVakError(error)) throw error;
    }
  };
  /** Stores a description in place of the one that is there, and drops the chunks of that one. */
  const replaceMeta = async (meta: Omit<ObjectMeta, 'seq'>, chunkBytes = maxChunkBytes): Promise<void> => {
    const { name } = meta.info;
    for (let attempt = 1; ; attempt += 1) {
      const old = await find(name);
      const marks = headers();
      marks.set('Nats-Rollup', 'sub');
      try {
        await appendOnce(deps, {
          stream,
          subject: metaSubject(bucket, name),
          data: encodeMeta(bucket, { ...meta, chunkBytes }),
          headers: marks,
          options: { expectedLastSeq: old?.seq ?? 0 },
        });
        if (old !== undefined && old.id !== meta.id) await dropChunks(old.id);
        return;
      } catch (error) {
        if (attempt === maxTries || !isVakError(error, 'conflict')) throw error;
      }
    }
  };

  const put: ObjectBucket['put'] = async (name, chunks, { signal } = {}) => {
    checkObjectName(name);
    throwIfAborted(signal, placeOf(name));
    const id = Buffer.from(randomness.bytes(16)).toString('hex');
    const subject = chunkSubject(bucket, id);
    const chunkBytes = Math.min(maxChunkBytes, asks.maxPayloadBytes());
    let isDescribing = false;
    try {
      const written = await writeChunks(deps, { stream, subject, chunks, chunkBytes, where: placeOf(name), signal });
      throwIfAborted(signal, placeOf(name));
      const { sizeBytes, sha256, chunkCount } = written;
      const info: ObjectInfo = { name, sizeBytes, sha256, storedMs: clock.now() };
      isDescribing = true;
      await replaceMeta({ info, id, chunkCount, isDeleted: false }, chunkBytes);
    } catch (error) {
      // A description may have been stored although its answer was lost: then the chunks are needed.
      if (!(isDescribing && isVakError(error) && error.retryable)) await dropChunks(id);
      throw error;
    }
    return (await find(name))?.info ?? refuseVanished(placeOf(name));
  };

  /** The chunks of an object in their order, as many as it says or as there are. */
  const chunksOf = async function* (meta: ObjectMeta, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const filter = chunkSubject(bucket, meta.id);
    const reader = createOrderedReader(deps, { stream, filter, start: { kind: 'seq', seq: 1 } });
    let left = meta.chunkCount;
    try {
      while (left > 0) {
        const page = await reader.next({ limit: Math.min(readAhead, left), signal });
        if (page.messages.length === 0 && page.pendingCount === 0) return;
        left -= page.messages.length;
        for (const { message } of page.messages) yield plainBytes(message.data);
      }
    } finally {
      await reader.close();
    }
  };
  /** Why what was read is not what was stored. */
  const explainMismatch = async (meta: ObjectMeta, where: string): Promise<VakError> => {
    const now = await find(meta.info.name);
    if (now?.id === meta.id && !now.isDeleted) {
      return new VakError('corrupt', `${where}: its content does not have the digest that it was stored with`);
    }
    return new VakError('not-found', `${where}: it was replaced or deleted while it was read; read it again`, {
      retryable: true,
    });
  };

  const get = async function* (
    name: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Uint8Array> {
    const where = placeOf(name);
    throwIfAborted(signal, where);
    const meta = await find(name);
    if (meta === undefined || meta.isDeleted) throw new VakError('not-found', `${where}: there is no such object`);
    const hash = createHash('sha256');
    for await (const chunk of chunksOf(meta, signal)) {
      hash.update(chunk);
      yield chunk;
      throwIfAborted(signal, where);
    }
    if (hash.digest('hex') !== meta.info.sha256) throw await explainMismatch(meta, where);
  };

  return {
    put,
    get,
    async info(name) {
      const meta = await find(name);
      return meta === undefined || meta.isDeleted ? undefined : meta.info;
    },
    async delete(name) {
      const meta = await find(name);
      if (meta === undefined || meta.isDeleted) return false;
      await replaceMeta({ ...meta, info: { ...meta.info, sizeBytes: 0 }, chunkCount: 0, isDeleted: true });
      await dropChunks(meta.id);
      return true;
    },
    async list() {
      const found = await mapInGroups(await metaSubjects(), readAhead, async (subject) => {
        const raw = await newestStored(api, stream, subject);
        if (raw === undefined) return undefined;
        const { data, seq, storedMs } = raw.stored;
        return decodeMeta(data, { seq, storedMs, where: `bucket ${bucket}` });
      });
      const infos = found.flatMap((meta) => (meta === undefined || meta.isDeleted ? [] : [meta.info]));
      return infos.sort((left, right) => (left.name < right.name ? -1 : 1));
    },
  };
}

function refuseVanished(where: string): never {
  throw new VakError('conflict', `${where}: somebody deleted it as soon as it was stored`);
}

/** So many at a time, in order. */
async function mapInGroups<From, To>(
  all: readonly From[],
  size: number,
  map: (one: From) => Promise<To>,
): Promise<readonly To[]> {
  const mapped: To[] = [];
  for (let start = 0; start < all.length; start += size) {
    mapped.push(...(await Promise.all(all.slice(start, start + size).map(map))));
  }
  return mapped;
}
