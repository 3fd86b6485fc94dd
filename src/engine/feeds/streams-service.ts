/** The calls and figures of the Streams view. Law: figures are read where they are counted, never kept twice. */
import { VakError } from '../../shared/base/vak-error.ts';
import type { BufferedMessage, StreamsStatus } from '../../shared/contract/streams-contract.ts';
import type { Bus } from '../bus/bus.ts';
import { createRateMeter } from '../metrics/rate-meter.ts';
import type { Clock } from '../ports/clock.ts';
import type { FeedHub } from './feed-hub.ts';
import type { MessageBuffer } from './message-buffer.ts';
import type { SubjectReader } from './subject-reader.ts';

/** What the service is made of. */
export interface StreamsServiceDeps {
  readonly bus: Bus;
  readonly buffer: MessageBuffer;
  readonly clock: Clock;
  readonly feeds: FeedHub;
  readonly reader: SubjectReader;
  readonly peerOf: (session: string) => string | null;
}

export interface StreamsService {
  /** The exact bytes of one message. Throws `not-found` once it has left the buffer. */
  read(input: { readonly seq: number }): BufferedMessage;
  status(): StreamsStatus;
  /** Takes the rates' next sample; call it once a second. */
  sample(): void;
}

/** Creates the service over the engine's buffer. */
export function createStreamsService(deps: StreamsServiceDeps): StreamsService {
  const { bus, buffer, clock, feeds, reader, peerOf } = deps;
  const inRate = createRateMeter(clock);
  const outRate = createRateMeter(clock);
  return {
    read({ seq }) {
      const held = buffer.get(seq);
      if (held === undefined) {
        const why =
          seq > buffer.newestSeq
            ? `has not come yet; the newest is ${buffer.newestSeq}`
            : `has left the buffer for newer ones; the oldest held is ${buffer.oldestSeq}`;
        throw new VakError('not-found', `message ${seq} ${why}`);
      }
      const { type, session } = reader.read(held.subject);
      return {
        seq,
        atMs: held.atMs,
        subject: held.subject,
        type,
        session,
        peer: session === null ? null : peerOf(session),
        bytes: held.data,
      };
    },
    status: () => ({
      ...buffer.stats(),
      capacityCount: buffer.capacityCount,
      capacityBytes: buffer.capacityBytes,
      oldestSeq: buffer.oldestSeq,
      newestSeq: buffer.newestSeq,
      inPerSecond: inRate.perSecond,
      outPerSecond: outRate.perSecond,
      droppedCount: bus.metrics().droppedCount + feeds.droppedCount,
    }),
    sample() {
      inRate.sample(buffer.stats().receivedCount);
      outRate.sample(feeds.sentCount);
    },
  };
}
