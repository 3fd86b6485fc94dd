/**
 * The streams of the engine in use as the Streams view reads them: a list, pages, one message, the tail (docs/spec/streams.md V3).
 * Law: it only reads; parts of it are asked for what they are asked by who listens live, and answer in the same form.
 */
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import {
  type PageInput,
  type StoredPage,
  type StoredStreams,
  tailParams,
} from '../../shared/contract/streams-contract.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { EnvelopeOpener } from '../envelope/open-envelope.ts';
import { createTrustReporter, type TrustReporter } from '../envelope/trust-reporter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { FeedPump } from './feed-pump.ts';
import { createMessageBuffer, type HeldMessage } from './message-buffer.ts';
import type { MessageMatcher } from './message-query.ts';
import { createRowReader, type RowReader } from './row-reader.ts';
import { createStoredMessages, type StoredMessages, type StoredMessagesDeps } from './stored-messages.ts';
import { createStoredPages, notInStream } from './stored-pages.ts';
import { lookAtStreams } from './stored-streams.ts';
import { createStoredTail } from './stored-tail.ts';
import type { SubjectReader } from './subject-reader.ts';

export interface StoredReader {
  streams(): Promise<StoredStreams>;
  page(input: PageInput, signal: AbortSignal): Promise<StoredPage>;
  /** One message, judged. Throws `not-found`, which says what the stream holds. */
  get(stream: string, seq: number): Promise<HeldMessage>;
  /** What shows such a message. */
  readonly rows: RowReader;
  readonly reporter: TrustReporter;
  readonly messages: StoredMessages;
  /** What a filter means; every message if it is empty. Throws `invalid-input`. */
  matcher(filter: string | undefined): MessageMatcher;
  /** Opens the feed `streams.tail`. Throws `invalid-input`. */
  openTail(params: unknown, send: (frame: string) => void): FeedPump;
}

export interface StoredReaderDeps extends Omit<StoredMessagesDeps, 'clock'> {
  readonly durable: DurablePlane;
  readonly reader: EnvelopeReader;
  readonly opener: EnvelopeOpener;
  readonly subjects: SubjectReader;
  readonly peerOf: (session: string) => string | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates it over the engine in use. */
export function createStoredReader(deps: StoredReaderDeps): StoredReader {
  const { durable, reader, opener, subjects, peerOf, clock, workspace, logger } = deps;
  const messages = createStoredMessages(deps);
  const rows = createRowReader({ subjects, reader, intake: messages, peerOf });
  const pages = createStoredPages({ durable, messages, rows, subjects, clock });
  // A stream holds a part of a chain only: there are no neighbours to look up.
  const buffer = createMessageBuffer({ capacityCount: 1, capacityBytes: 1 });
  const reporter = createTrustReporter({ buffer, reader, intake: messages, opener });

  return {
    ...{ rows, reporter, messages },
    streams: () => lookAtStreams(durable, workspace),
    page: pages.page,
    matcher: pages.matcher,
    async get(name, seq) {
      const stream = durable.stream(name);
      const message = await stream.get(seq);
      if (message !== undefined) return messages.hold(message);
      throw notInStream(name, seq, await stream.state());
    },
    openTail(params, send) {
      const parsed = tailParams.safeParse(params);
      if (!parsed.success) throw new VakError('invalid-input', `streams.tail: ${firstIssue(parsed.error)}`);
      const { stream: name, filter, fromSeq } = parsed.data;
      const reading = { stream: durable.stream(name), wants: pages.matcher(filter) };
      const onBug = (error: unknown): void => void logger.bug('streams.tail', error);
      return createStoredTail({ pages, reading, fromSeq, clock, send, onBug });
    },
  };
}
