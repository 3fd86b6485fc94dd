/** The calls and figures of the Streams view. Law: figures are read where they are counted, never kept twice. */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type {
  BufferedMessage,
  ExportsState,
  QuarantineState,
  StreamsStatus,
  streamsContract,
} from '../../shared/contract/streams-contract.ts';
import { packMarks } from '../../shared/protocol/trust-marks.ts';
import type { Bus } from '../bus/bus.ts';
import type { Intake } from '../envelope/intake.ts';
import { marksOf } from '../envelope/message-trust.ts';
import type { Quarantine } from '../envelope/quarantine.ts';
import type { TrustReporter } from '../envelope/trust-reporter.ts';
import { createRateMeter } from '../metrics/rate-meter.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { ExportService } from './export-service.ts';
import type { FeedHub } from './feed-hub.ts';
import type { HeldMessage, MessageBuffer } from './message-buffer.ts';
import { createMessageParts, headOf } from './message-parts.ts';
import type { RowReader } from './row-reader.ts';
import type { StoredReader } from './stored-reader.ts';
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
  readonly stored: StoredReader;
  readonly exporting: ExportService;
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile'>;
}

/** What shows a message, and the stream in which it lies. */
interface Shower extends Pick<StoredReader, 'rows' | 'reporter'> {
  readonly name: string | null;
}

type StreamsCalls = Services<{ readonly streams: typeof streamsContract }>['streams'];

export interface StreamsService {
  readonly calls: StreamsCalls;
  exports(): ExportsState;
  quarantine(): QuarantineState;
  status(): StreamsStatus;
  /** Takes the rates' next sample; call it once a second. */
  sample(): void;
}

/** Creates the service over the engine's buffer. */
export function createStreamsService(deps: StreamsServiceDeps): StreamsService {
  const { bus, buffer, clock, feeds, subjects, rows, intake, quarantine, reporter, stored, exporting } = deps;
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

  function shown(held: HeldMessage, by: Shower): BufferedMessage {
    const { seq, atMs, subject, data } = held;
    // The report first: making it may find out more about the message.
    const trust = by.reporter.report(held);
    const { peer } = by.rows.read(held, true);
    const { type, session } = subjects.read(subject);
    return { seq, stream: by.name, atMs, subject, type, session, peer, ...headOf(data), trust };
  }

  const parts = createMessageParts({
    clock,
    prompt: deps.prompt,
    get: async (seq, stream) => (stream === null ? get(seq) : await stored.get(stream, seq)),
    open: (held, stream) => (stream === null ? intake.open(held) : stored.messages.open(held)),
  });

  const calls: StreamsCalls = {
    async read({ seq, stream }) {
      if (typeof stream !== 'string') return shown(get(seq), { rows, reporter, name: null });
      return shown(await stored.get(stream, seq), { ...stored, name: stream });
    },
    ...parts,
    check: ({ seqs }) => ({ marks: seqs.map(marksAt) }),
    stored: () => stored.streams(),
    page: (input, { signal }) => stored.page(input, signal),
    export: (input, { signal }) => exporting.start(input, signal),
    cancelExport: ({ exportId }) => exporting.cancel(exportId),
  };

  return {
    calls,
    exports: exporting.state,
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
