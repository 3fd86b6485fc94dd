/**
 * A durable pull consumer of JetStream (protocol.md W1, W9, B4, B8).
 * Law: explicit acks, no back-off (it would turn the ack wait into 1 s), one filter; a consumer that has gone is told within the wait.
 */
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { checkConsumerSpec, checkPull } from '../check-durable.ts';
import type { Consumer, ConsumerSpec, ConsumerState, PullOptions } from '../durable.ts';
import type { NatsAsks } from './nats-asks.ts';
import { deliveryOf, giveBack } from './nats-delivery.ts';
import {
  checkName,
  isApiError,
  type JetStreamApi,
  type JsonRecord,
  listAll,
  numberIn,
  recordIn,
  textIn,
} from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { type Pulled, type PullRequest, type PullResult, pullOnce } from './nats-pull.ts';

export interface NatsConsumersDeps {
  readonly asks: NatsAsks;
  readonly api: JetStreamApi;
  readonly clock: Clock;
  readonly ackTimeoutMs: number;
}

export interface NatsConsumers {
  ensure(stream: string, spec: ConsumerSpec): Promise<Consumer>;
  at(stream: string, name: string): Consumer;
  list(stream: string): Promise<readonly ConsumerState[]>;
  delete(stream: string, name: string): Promise<boolean>;
}

const nanosPerMs = 1_000_000;
/** After a first message, silence that ends a pull: what is held back by `maxInFlight` does not come. */
const quietMs = 10;
/** Silence that shows the same when nothing comes at all. */
const nothingMs = 100;
/** The shortest wait: what was appended just now is not in the count of what is there yet. */
const leastWaitMs = 20;

const placeText = (stream: string, name: string): string => `consumer ${stream}/${name}`;

function consumerConfig(spec: ConsumerSpec): JsonRecord {
  return {
    name: spec.name,
    durable_name: spec.name,
    ack_policy: 'explicit',
    deliver_policy: spec.start,
    replay_policy: 'instant',
    filter_subject: spec.filter,
    ack_wait: spec.ackWaitMs * nanosPerMs,
    max_deliver: spec.maxDeliver,
    max_ack_pending: spec.maxInFlight,
  };
}

/** The server moves it for a delivery and for `working`, and of the floor of acks for an ack or a term [M]; a restart forgets it. */
function lastActiveIn(place: JsonRecord): number | null {
  const ms = Date.parse(textIn(place, 'last_active'));
  return Number.isFinite(ms) ? ms : null;
}

function stateOf(info: JsonRecord, where: string): ConsumerState {
  const config = recordIn(info, 'config', where);
  const delivered = recordIn(info, 'delivered', where);
  return {
    spec: {
      name: textIn(info, 'name'),
      filter: textIn(config, 'filter_subject') || '>',
      ackWaitMs: numberIn(config, 'ack_wait') / nanosPerMs,
      maxDeliver: numberIn(config, 'max_deliver'),
      maxInFlight: numberIn(config, 'max_ack_pending'),
      start: textIn(config, 'deliver_policy') === 'new' ? 'new' : 'all',
    },
    pendingCount: numberIn(info, 'num_pending'),
    inFlightCount: numberIn(info, 'num_ack_pending'),
    redeliveredCount: numberIn(info, 'num_redelivered'),
    waitingCount: numberIn(info, 'num_waiting'),
    deliveredCount: numberIn(delivered, 'consumer_seq'),
    deliveredSeq: numberIn(delivered, 'stream_seq'),
    lastActiveMs: lastActiveIn(delivered),
    lastEndedMs: lastActiveIn(recordIn(info, 'ack_floor', where)),
  };
}

/** Throws `conflict` that names the first field in which a consumer is another one. */
function checkSame(stream: string, wanted: ConsumerSpec, info: JsonRecord): void {
  const where = placeText(stream, wanted.name);
  const { spec } = stateOf(info, where);
  const fields = ['filter', 'ackWaitMs', 'maxDeliver', 'maxInFlight', 'start'] as const;
  const config = recordIn(info, 'config', where);
  const other =
    textIn(config, 'ack_policy') !== 'explicit' || textIn(config, 'deliver_subject') !== '' || 'backoff' in config
      ? 'kind'
      : fields.find((field) => spec[field] !== wanted[field]);
  if (other === undefined) return;
  throw new VakError('conflict', `${where}: its ${other} is another one; delete it first, or take another name`, {
    details: { field: other },
  });
}

export function createNatsConsumers({ asks, api, clock, ackTimeoutMs }: NatsConsumersDeps): NatsConsumers {
  const info = (stream: string, name: string): Promise<JsonRecord> =>
    api.call({ verb: `CONSUMER.INFO.${stream}.${name}`, where: placeText(stream, name) });

  const at = (stream: string, name: string): Consumer => {
    const where = placeText(stream, checkName(name, 'consumer'));
    /** A pull that ended without a word: throws if there is nobody to pull from. */
    const checkEnding = async ({ ending, messages }: PullResult): Promise<void> => {
      if (ending === 'done' || messages.length > 0) return;
      await info(stream, name);
      if (ending !== 409) return;
      throw new VakError('limit-exceeded', `${where}: the server refuses this pull now; too many wait, or it moves`, {
        retryable: true,
      });
    };
    const pullPart = async (part: Omit<PullRequest, 'stream' | 'consumer'>): Promise<readonly Pulled[]> => {
      const request = { stream, consumer: name, ...part };
      const result = await pullOnce({ asks, clock }, request, (message) => giveBack(asks, message));
      await checkEnding(result);
      return result.messages;
    };
    /**
     * What is there; else wait for one, then take the rest. Only a pull for exactly one waits, so that the server is never left with
     * a request that is not used up: nats-server 2.9 would count a delivery less for it, and deliver once too often.
     */
    const pull = async ({ batch, waitMs, signal }: PullOptions): Promise<readonly Pulled[]> => {
      const now = { waitMs: 0, firstQuietMs: nothingMs, quietMs, signal };
      const there = await pullPart({ batch, ...now });
      if (there.length > 0) return there;
      const first = await pullPart({ batch: 1, waitMs: Math.max(waitMs, leastWaitMs), signal });
      if (batch === 1 || (first[0]?.place.pendingCount ?? 0) === 0) return first;
      const rest = await pullPart({ batch: batch - 1, ...now }).catch((error: unknown) => withoutRest(first, error));
      return [...first, ...rest];
    };
    /** The first one has been claimed, so it is handed out, and what is wrong shows again at the next pull. Who gave up does not take it. */
    const withoutRest = (first: readonly Pulled[], error: unknown): readonly Pulled[] => {
      if (isVakError(error) && error.code !== 'aborted') return [];
      for (const { message } of first) giveBack(asks, message);
      throw error;
    };
    return {
      async pull(options) {
        checkPull(options);
        return (await pull(options)).map((pulled) => deliveryOf(asks, pulled, ackTimeoutMs));
      },
      async state() {
        return stateOf(await info(stream, name), where);
      },
    };
  };
  return {
    at,
    async ensure(stream, spec) {
      checkConsumerSpec(spec);
      const where = placeText(stream, spec.name);
      const found = await api.tryCall({ verb: `CONSUMER.INFO.${stream}.${spec.name}`, where }, [
        apiCodes.consumerNotFound,
      ]);
      if (isApiError(found)) {
        // The filter stands in the subject of the request too, so that a server can allow it by subject (A4).
        const filter = spec.filter === '>' ? '' : `.${spec.filter}`;
        const made = await api.call({
          verb: `CONSUMER.CREATE.${stream}.${spec.name}${filter}`,
          body: { stream_name: stream, config: consumerConfig(spec) },
          where,
        });
        checkSame(stream, spec, made);
      } else checkSame(stream, spec, found);
      return at(stream, spec.name);
    },
    async list(stream) {
      const where = `stream ${stream}`;
      const all = await listAll(api, { verb: `CONSUMER.LIST.${stream}`, where }, 'consumers');
      // Those without a durable name are readers of a moment.
      const durable = all.filter((one) => textIn(recordIn(one, 'config', where), 'durable_name') !== '');
      return durable.map((one) => stateOf(one, where));
    },
    async delete(stream, name) {
      const where = placeText(stream, checkName(name, 'consumer'));
      const verb = `CONSUMER.DELETE.${stream}.${name}`;
      return !isApiError(await api.tryCall({ verb, where }, [apiCodes.consumerNotFound]));
    },
  };
}
