/**
 * A stream and a consumer as callers see them: by name, looked up at each call (durable.ts).
 * Law: a handle never keeps a stream alive; what has gone is `not-found`.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { checkPurge, checkRead } from '../check-durable.ts';
import type { Consumer, Stream } from '../durable.ts';
import type { EmbeddedStream } from './embedded-stream.ts';
import type { JournalWriter } from './journal-writer.ts';
import { createSubjectMatch } from './message-index.ts';
import type { PullConsumer } from './pull-consumer.ts';
import { readStreamPage } from './stream-page.ts';

export interface StreamHandleDeps {
  readonly writer: JournalWriter;
  /** The stream of that name now; throws `not-found`, `closed`. */
  readonly find: () => EmbeddedStream;
}

/** Makes a handle of a stream; there need be none of that name. */
export function createStreamHandle(name: string, { writer, find }: StreamHandleDeps): Stream {
  function findConsumer(consumer: string): PullConsumer {
    const found = find().consumers.get(consumer);
    if (found !== undefined) return found;
    throw new VakError('not-found', `consumer ${consumer} of ${name}: there is none of that name`, {
      details: { stream: name, consumer },
    });
  }

  function toChange(doing: string): EmbeddedStream {
    const stream = find();
    writer.checkWritable(`${doing} ${name}`);
    return stream;
  }

  const consumerHandle = (consumer: string): Consumer => ({
    pull: async (options) => findConsumer(consumer).pull(options),
    state: async () => findConsumer(consumer).state(),
  });

  return {
    state: async () => find().state(),
    async count(subject) {
      checkPurge(subject);
      const { log } = find();
      log.expire();
      const match = createSubjectMatch(subject);
      return log.index.countFrom(1, match) - log.index.countFrom(log.visibleSeq() + 1, match);
    },
    async get(seq) {
      const { log } = find();
      log.expire();
      return log.load(seq);
    },
    async last(subject) {
      const { log } = find();
      log.expire();
      const seq = log.index.lastOf(subject, log.visibleSeq());
      return seq === undefined ? undefined : log.load(seq);
    },
    async read(options) {
      checkRead(options);
      const { log } = find();
      log.expire();
      return readStreamPage(log, options);
    },
    async delete(seq) {
      const { log } = toChange('delete from');
      log.expire();
      const wasThere = seq <= log.visibleSeq() && log.remove(seq);
      await writer.flushed();
      return wasThere;
    },
    async purge(subject, upToSeq) {
      checkPurge(subject, upToSeq);
      return toChange('purge').purge(subject, upToSeq);
    },
    async ensureConsumer(spec) {
      toChange('make a consumer of').ensureConsumer(spec);
      await writer.flushed();
      return consumerHandle(spec.name);
    },
    consumer: consumerHandle,
    consumers: async () => Array.from(find().consumers.values(), (consumer) => consumer.state()),
    deleteConsumer: async (consumer) => toChange('delete a consumer of').deleteConsumer(consumer),
  };
}
