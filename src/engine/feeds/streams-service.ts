/** The calls and figures of the Streams view. Law: figures are read where they are counted, never kept twice. */
import { VakError } from '../../shared/base/vak-error.ts';
import type { BufferedMessage, QuarantineState, StreamsStatus } from '../../shared/contract/streams-contract.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import { packMarks } from '../../shared/protocol/trust-marks.ts';
import type { Bus } from '../bus/bus.ts';
import type { Intake } from '../envelope/intake.ts';
import { marksOf } from '../envelope/message-trust.ts';
import type { Quarantine } from '../envelope/quarantine.ts';
import type { TrustReporter } from '../envelope/trust-reporter.ts';
import { createRateMeter } from '../metrics/rate-meter.ts';
import type { Clock } from '../ports/clock.ts';
import type { FeedHub } from './feed-hub.ts';
import type { HeldMessage, MessageBuffer } from './message-buffer.ts';
import type { RowReader } from './row-reader.ts';
import type { SubjectReader } from './subject-reader.ts';

/** What the service is made of. */
export interface StreamsServiceDeps {
  readonly bus: Bus;
  readonly buffer: MessageBuffer;
  readonly clock: Clock;
  readonly feeds: FeedHub;
  readonly subjects: SubjectReader;
  readonly rows: RowReader;
  readonly intake: Intake;
  readonly quarantine: Quarantine;
  readonly reporter: TrustReporter;
}

export interface StreamsService {
  /** The exact bytes of one message and its trust. Throws `not-found` once it has left buffer and quarantine. */
  read(input: { readonly seq: number }): BufferedMessage;
  /** Its opened payload. Throws `not-found`. */
  open(input: { readonly seq: number }): OpenedPayload;
  /** Marks of rows with their signatures checked; −1 for those that have left. */
  check(input: { readonly seqs: readonly number[] }): { readonly marks: readonly number[] };
  quarantine(): QuarantineState;
  status(): StreamsStatus;
  /** Takes the rates' next sample; call it once a second. */
  sample(): void;
}

/** Creates the service over the engine's buffer. */
export function createStreamsService(deps: StreamsServiceDeps): StreamsService {
  const { bus, buffer, clock, feeds, subjects, rows, intake, quarantine, reporter } = deps;
  const inRate = createRateMeter(clock);
  const outRate = createRateMeter(clock);

  function find(seq: number): HeldMessage | undefined {
    return buffer.get(seq) ?? quarantine.get(seq);
  }

  function get(seq: number): HeldMessage {
    const held = find(seq);
    if (held !== undefined) return held;
    const why =
      seq > buffer.newestSeq
        ? `has not come yet; the newest is ${buffer.newestSeq}`
        : `has left the buffer for newer ones; the oldest held is ${buffer.oldestSeq}`;
    throw new VakError('not-found', `message ${seq} ${why}`);
  }

  function marksAt(seq: number): number {
    const held = find(seq);
    if (held === undefined) return -1;
    intake.checkSignature(held);
    return packMarks(marksOf(held.trust));
  }

  return {
    read({ seq }) {
      const held = get(seq);
      const { atMs, subject, data: bytes } = held;
      // The report first: making it may find out more about the message.
      const trust = reporter.report(held);
      const { peer } = rows.read(held, true);
      const { type, session } = subjects.read(subject);
      return { seq, atMs, subject, type, session, peer, bytes, trust };
    },
    open: ({ seq }) => intake.open(get(seq)),
    check: ({ seqs }) => ({ marks: seqs.map(marksAt) }),
    quarantine: () => quarantine.state(),
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
