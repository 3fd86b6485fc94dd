/**
 * The durable plane over JetStream (protocol.md B3–B5, B8–B10).
 * Law: it is exactly the port: what the server says is translated here, and nothing of the client library leaves this folder.
 */
import type { NatsConnection } from 'nats';
import { isVakError, type VakError } from '../../../shared/base/vak-error.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Randomness } from '../../ports/randomness.ts';
import { checkStreamSpec } from '../check-durable.ts';
import type { DurablePlane, StorageLimits, StreamState } from '../durable.ts';
import { append } from './nats-append.ts';
import { createNatsAsks } from './nats-asks.ts';
import { createNatsConsumers } from './nats-consumer.ts';
import { ensureConfig } from './nats-ensure.ts';
import { createInterestCheck } from './nats-interest.ts';
import {
  checkName,
  createJetStreamApi,
  isApiError,
  isRecord,
  type JetStreamApi,
  listAll,
  numberIn,
  recordIn,
} from './nats-jetstream-api.ts';
import { createNatsKeyValue, ensureKeyValue } from './nats-key-value.ts';
import { objectsConfig } from './nats-object-meta.ts';
import { createNatsObjects } from './nats-objects.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { createReaderNames, ownerOf } from './nats-reader-names.ts';
import { createNatsStream, streamStateOf } from './nats-stream.ts';
import { createStreamBook } from './nats-stream-book.ts';
import { configOf } from './nats-stream-config.ts';

export interface NatsPlaneDeps {
  /** Connected; whoever made it closes it. */
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Told of answers that were forged, as nobody waits for that (A23): `corrupt` that names the subject. */
  readonly onError?: ((error: VakError) => void) | undefined;
  /** What inboxes of this peer begin with (A4): the one of the connection. */
  readonly inboxPrefix?: string;
  /** How long the server may take to answer one question; 5 000 ms unless told. */
  readonly timeoutMs?: number;
}

export interface NatsPlane extends DurablePlane {
  /** Ends watches, pulls and questions with `closed`; the connection stays open. */
  close(): void;
}

const defaultTimeoutMs = 5_000;
/** Streams that are buckets. */
const bucketName = /^(?:KV|OBJ)_/;

/** Those of a workspace that these credentials see; which others there are nobody may ask where a server enforces access (A13). */
async function listOwnStreams(api: JetStreamApi, workspace: string): Promise<readonly StreamState[]> {
  const found = await Promise.all(
    streamsOf(workspace).map(async ({ name }) => {
      const where = `stream ${name}`;
      try {
        const info = await api.tryCall({ verb: `STREAM.INFO.${name}`, where }, [apiCodes.streamNotFound]);
        return isApiError(info) ? undefined : streamStateOf(info, where);
      } catch (error) {
        if (isVakError(error, 'unauthorized')) return undefined;
        throw error;
      }
    }),
  );
  return found.flatMap((state) => state ?? []);
}

async function listStreams(api: JetStreamApi, workspace: string | undefined): Promise<readonly StreamState[]> {
  const where = 'the list of streams';
  try {
    const all = await listAll(api, { verb: 'STREAM.LIST', where }, 'streams');
    return all.map((info) => streamStateOf(info, where)).filter(({ spec }) => !bucketName.test(spec.name));
  } catch (error) {
    if (workspace === undefined || !isVakError(error, 'unauthorized')) throw error;
    return await listOwnStreams(api, workspace);
  }
}

async function readLimits(api: JetStreamApi): Promise<StorageLimits> {
  const where = 'the limits of the account';
  const answer = await api.call({ verb: 'INFO', where });
  // An account with limits by number of replicas has no single ones.
  if (isRecord(answer['tiers'])) return { memoryBytes: null, storageBytes: null };
  const limits = recordIn(answer, 'limits', where);
  return { memoryBytes: numberIn(limits, 'max_memory'), storageBytes: numberIn(limits, 'max_storage') };
}

export function createNatsPlane(deps: NatsPlaneDeps): NatsPlane {
  const { connection, clock, inboxPrefix, timeoutMs = defaultTimeoutMs } = deps;
  const { randomness, onError } = deps;
  const from = inboxPrefix === undefined ? {} : { inboxPrefix };
  const asks = createNatsAsks({ connection, clock, randomness, onForged: onError, ...from });
  const api = createJetStreamApi({
    asks,
    timeoutMs,
    serverVersion: () => connection.info?.version,
  });
  const book = createStreamBook(clock);
  const interest = createInterestCheck({ api, book, clock });
  const consumers = createNatsConsumers({ asks, api, clock, ackTimeoutMs: timeoutMs });
  const readerNames = createReaderNames({ inboxPrefix, randomness });
  const parts = { ...deps, asks, api, book, interest, consumers, readerNames, timeoutMs };

  return {
    limits: () => readLimits(api),
    async ensureStream(spec, options) {
      checkStreamSpec(spec);
      const outcome = await ensureConfig(api, configOf(spec), options);
      if (options?.dryRun !== true) book.note(spec);
      return outcome;
    },
    streams: () => listStreams(api, ownerOf(inboxPrefix)?.workspace),
    stream: (name) => createNatsStream(parts, name),
    async deleteStream(name) {
      const call = { verb: `STREAM.DELETE.${checkName(name, 'name')}`, where: `stream ${name}` };
      book.forget(name);
      return !isApiError(await api.tryCall(call, [apiCodes.streamNotFound]));
    },
    async append(subject, data, options) {
      return append(parts, { subject, data, options });
    },
    ensureKeyValue: async (spec, options) => ensureKeyValue(parts, spec, options),
    keyValue: (name) => createNatsKeyValue(parts, name),
    async ensureObjects(name, options) {
      return ensureConfig(api, objectsConfig(checkName(name, 'name')), options);
    },
    objects: (name) => createNatsObjects(parts, name),
    close: () => asks.close(),
  };
}
