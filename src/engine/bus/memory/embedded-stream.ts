/**
 * One stream of the embedded engine: its log, its consumers, and which messages they keep (protocol.md B3, B4, §1).
 * Law: a work queue keeps a message until one consumer ended it, interest until all have, limits in any case.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { covers, overlaps } from '../../../shared/protocol/subject.ts';
import { checkConsumerSpec } from '../check-durable.ts';
import type { ConsumerSpec, StreamState } from '../durable.ts';
import type { Taken } from './consumer-progress.ts';
import { createSubjectMatch } from './message-index.ts';
import type { StreamStore } from './message-store.ts';
import { createPullConsumer, type PullConsumer } from './pull-consumer.ts';
import { createStreamLog, type NewMessage, type StreamLog } from './stream-log.ts';
import { encodeSpec, streamKeys } from './stream-records.ts';

/** Most messages that one batch removes. */
const removalChunk = 2_048;

export interface EmbeddedStreamOptions {
  readonly number: number;
  readonly spec: StreamSpec;
  /** Runs when it has new messages; it is to be woken when the batch is through. */
  readonly onNews: (stream: EmbeddedStream, message: NewMessage) => void;
  /** Runs when a consumer gave a message up (W3). */
  readonly onExhausted: (consumer: string, message: Taken) => void;
}

/** What of a stream is removed. */
interface Removal {
  readonly upToSeq?: number | undefined;
  readonly isToGo?: (seq: number) => boolean;
}

/** What a consumer begins with. */
interface ConsumerStart {
  readonly number: number;
  readonly cursor: number;
}

export interface EmbeddedStream {
  readonly number: number;
  readonly log: StreamLog;
  readonly consumers: ReadonlyMap<string, PullConsumer>;
  state(): StreamState;
  /** Removes every message up to a place that is seen now and matches; resolves when that is kept. */
  purge(pattern: string | undefined, upToSeq?: number): Promise<number>;
  /** Throws `conflict`, `invalid-input`. */
  ensureConsumer(spec: ConsumerSpec): PullConsumer;
  /** Takes over a consumer that the journal holds. */
  restoreConsumer(spec: ConsumerSpec, start: ConsumerStart): PullConsumer;
  deleteConsumer(name: string): Promise<boolean>;
  /** Removes what its limits do not allow any more. */
  enforceLimits(): void;
  /** Looks whether something is to be done for its consumers. */
  wake(): void;
  stop(makeError: () => VakError): void;
}

function refuseConsumer(stream: string, spec: ConsumerSpec, why: string): VakError {
  return new VakError('conflict', `consumer ${spec.name} of ${stream}: ${why}`, {
    details: { stream, consumer: spec.name },
  });
}

const isSameSpec = (a: ConsumerSpec, b: ConsumerSpec): boolean =>
  (['filter', 'ackWaitMs', 'maxDeliver', 'maxInFlight', 'start'] as const).every((key) => a[key] === b[key]);

/** Throws if a stream cannot have that new consumer beside those that it has. */
function checkNewConsumer(stream: StreamSpec, spec: ConsumerSpec, others: Iterable<PullConsumer>): void {
  if (!stream.subjects.some((subject) => covers(subject, spec.filter) || covers(spec.filter, subject))) {
    const message = `consumer ${spec.name} of ${stream.name}: its filter lies in none of the stream's subjects and covers none`;
    throw new VakError('invalid-input', message, { details: { field: 'filter' } });
  }
  if (stream.retention !== 'work-queue') return;
  if (spec.start === 'new') {
    const message = `consumer ${spec.name} of ${stream.name}: a work queue's consumer starts with all messages`;
    throw new VakError('invalid-input', message, { details: { field: 'start' } });
  }
  for (const other of others) {
    if (overlaps(other.spec.filter, spec.filter)) {
      throw refuseConsumer(stream.name, spec, `consumer ${other.spec.name} of this work queue takes those subjects`);
    }
  }
}

/** Creates an empty stream. */
export function createEmbeddedStream(store: StreamStore, options: EmbeddedStreamOptions): EmbeddedStream {
  const { writer } = store;
  const { number } = options;
  const consumers = new Map<string, PullConsumer>();
  let nextConsumerNumber = 1;
  const log = createStreamLog(store, {
    ...{ number, spec: options.spec },
    onSeen: (message) => options.onNews(stream, message),
    checkSubject,
    onRemoved(seq) {
      for (const consumer of consumers.values()) consumer.forget(seq);
    },
  });

  function onEnded(seq: number): void {
    const { retention } = log.spec;
    if (retention === 'limits') return;
    const message = retention === 'interest' ? log.index.get(seq) : undefined;
    if (message !== undefined && isWanted(message)) return;
    log.remove(seq);
  }

  /** Of interest: what nobody takes would vanish. */
  function checkSubject(subject: string): void {
    const { name, retention } = log.spec;
    if (retention !== 'interest' || isWanted({ seq: log.lastSeq() + 1, subject })) return;
    const text = `append to ${name}: no consumer takes ${subject}, so it would vanish; check the peer's name`;
    throw new VakError('no-such-peer', text, { details: { stream: name } });
  }

  function isWanted(message: { readonly seq: number; readonly subject: string }): boolean {
    for (const consumer of consumers.values()) if (consumer.needs(message)) return true;
    return false;
  }

  function addConsumer(spec: ConsumerSpec, start: ConsumerStart): PullConsumer {
    nextConsumerNumber = Math.max(nextConsumerNumber, start.number + 1);
    const consumer = createPullConsumer(store, {
      ...{ spec, stream: number, ...start, log, onEnded },
      onExhausted: (message) => options.onExhausted(spec.name, message),
    });
    consumers.set(spec.name, consumer);
    return consumer;
  }

  /** Removes, chunk by chunk, what is seen now up to a place, matches, and `isToGo`. */
  async function removeMatching(
    pattern: string | undefined,
    { upToSeq = Number.POSITIVE_INFINITY, isToGo = () => true }: Removal,
  ): Promise<number> {
    const match = createSubjectMatch(pattern);
    const upTo = Math.min(upToSeq, log.visibleSeq());
    let removed = 0;
    for (let seq = log.index.next(1, match); seq !== undefined && seq <= upTo; seq = log.index.next(seq + 1, match)) {
      if (!(isToGo(seq) && log.remove(seq))) continue;
      removed++;
      if (removed % removalChunk === 0) await writer.flushed();
    }
    await writer.flushed();
    return removed;
  }

  const stream: EmbeddedStream = {
    number,
    log,
    consumers,
    state() {
      log.expire();
      const { spec } = log;
      const messageCount = log.visibleCount();
      const lastSeq = log.visibleSeq();
      const firstSeq = log.index.next(1, createSubjectMatch());
      return {
        ...{ spec, messageCount, bytes: log.visibleBytes(), lastSeq },
        firstSeq: messageCount === 0 || firstSeq === undefined ? lastSeq + 1 : firstSeq,
        consumerCount: consumers.size,
      };
    },
    async purge(pattern, upToSeq) {
      await writer.flushed();
      return removeMatching(pattern, { upToSeq });
    },
    ensureConsumer(spec) {
      checkConsumerSpec(spec);
      const known = consumers.get(spec.name);
      if (known !== undefined) {
        if (isSameSpec(known.spec, spec)) return known;
        throw refuseConsumer(log.spec.name, spec, 'there is another one of that name');
      }
      checkNewConsumer(log.spec, spec, consumers.values());
      const { name, filter, ackWaitMs, maxDeliver, maxInFlight, start } = spec;
      const kept = { name, filter, ackWaitMs, maxDeliver, maxInFlight, start };
      const consumerNumber = nextConsumerNumber;
      const key = streamKeys.consumer(number, name);
      writer.stage([{ key, value: encodeSpec({ number: consumerNumber, spec: kept }) }]);
      const cursor = start === 'new' ? log.lastSeq() + 1 : 1;
      const consumer = addConsumer(kept, { number: consumerNumber, cursor });
      consumer.stageAll();
      return consumer;
    },
    restoreConsumer: addConsumer,
    async deleteConsumer(name) {
      const consumer = consumers.get(name);
      if (consumer === undefined) return false;
      consumers.delete(name);
      const { name: streamName, retention } = log.spec;
      consumer.stop(() => new VakError('not-found', `consumer ${name} of ${streamName} was deleted`));
      if (retention === 'interest') {
        // Before its record goes: if this is cut short, the consumer is still there, and so is what it keeps.
        await removeMatching(consumer.spec.filter, {
          isToGo(seq) {
            const message = log.index.get(seq);
            return message !== undefined && !isWanted(message);
          },
        });
      }
      writer.stage(consumer.removal());
      // Meanwhile there may be a new one of that name.
      if (!consumers.has(name)) writer.stage([{ key: streamKeys.consumer(number, name), value: undefined }]);
      await writer.flushed();
      return true;
    },
    enforceLimits() {
      log.expire();
      if (log.spec.whenFull === 'drop-old') log.dropOld(0);
    },
    wake() {
      for (const consumer of consumers.values()) consumer.wake();
    },
    stop(makeError) {
      for (const consumer of consumers.values()) consumer.stop(makeError);
    },
  };
  return stream;
}
