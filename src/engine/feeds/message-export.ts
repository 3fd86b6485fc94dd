/**
 * Writes messages that a filter means, or a range of them, into a file (docs/spec/streams.md V6).
 * Law: what is written appears whole under its name or not at all; memory holds a page, however much is exported.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { ExportBound, ExportDone, ExportInput } from '../../shared/contract/streams-contract.ts';
import { matches } from '../../shared/protocol/subject.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import { type ExportForm, exportForms } from './export-format.ts';
import type { HeldMessage, MessageBuffer } from './message-buffer.ts';
import type { MessageMatcher } from './message-query.ts';
import type { RowReader } from './row-reader.ts';
import type { StoredMessages } from './stored-messages.ts';
import type { SubjectReader } from './subject-reader.ts';

/** How far an export is. */
export interface ExportStep {
  /** Messages that were looked at, of so many; those of a stream by their places. */
  readonly lookedCount: number;
  readonly totalCount: number;
  readonly writtenCount: number;
  readonly writtenBytes: number;
}

/** Where messages come from, and what shows them. */
export interface ExportSource {
  readonly stream: string | null;
  readonly rows: RowReader;
  readonly messages: Pick<StoredMessages, 'open'>;
  readonly wants: MessageMatcher;
  /** Those in the range, in order, as they are looked at; the first step says how many there are. */
  read(signal: AbortSignal): AsyncIterable<LookedAt>;
}

/** A stretch that was looked at. */
interface LookedAt {
  readonly held: readonly HeldMessage[];
  readonly lookedCount: number;
  readonly totalCount: number;
  /** Messages that left the buffer before they were written. */
  readonly lostCount: number;
}

/** Messages of one read. */
const readLimit = 256;
/** Writes gather up to so many bytes. */
const gatheredBytes = 256 * 1024;

const isBefore = (bound: ExportBound | undefined, { seq, atMs }: Pick<HeldMessage, 'seq' | 'atMs'>): boolean =>
  bound !== undefined && (bound.kind === 'seq' ? seq < bound.seq : atMs < bound.ms);
const isBehind = (bound: ExportBound | undefined, { seq, atMs }: Pick<HeldMessage, 'seq' | 'atMs'>): boolean =>
  bound !== undefined && (bound.kind === 'seq' ? seq > bound.seq : atMs > bound.ms);

export interface StoredSourceDeps {
  readonly durable: Pick<DurablePlane, 'stream'>;
  readonly messages: StoredMessages;
}

/** Reads a stream up to what is its end now. Throws `not-found`, and what reading throws. */
export async function* readStored(
  { stream: name, from, to }: Pick<ExportInput, 'from' | 'to'> & { readonly stream: string },
  { durable, messages }: StoredSourceDeps,
  signal: AbortSignal,
): AsyncGenerator<LookedAt> {
  const stream = durable.stream(name);
  const state = await stream.state();
  const lastSeq = to?.kind === 'seq' ? Math.min(to.seq, state.lastSeq) : state.lastSeq;
  let next: number | undefined = from?.kind === 'seq' ? Math.max(from.seq, state.firstSeq) : state.firstSeq;
  let firstSeq = next;
  for (let isFirst = true; next !== undefined && next <= lastSeq; isFirst = false) {
    const place: { readonly fromSeq?: number; readonly fromMs?: number } =
      isFirst && from?.kind === 'time' ? { fromMs: from.ms } : { fromSeq: next };
    const page = await stream.read({ ...place, limit: readLimit, signal });
    if (isFirst) firstSeq = page.messages[0]?.seq ?? lastSeq + 1;
    const held = page.messages.filter(({ seq }) => seq <= lastSeq).map(messages.hold);
    const meant = held.filter((one) => !isBehind(to, one));
    next = meant.length < held.length ? undefined : page.nextSeq;
    const lookedSeq = Math.min(lastSeq, (next ?? lastSeq + 1) - 1);
    const counts = {
      lookedCount: Math.max(0, lookedSeq - firstSeq + 1),
      totalCount: Math.max(0, lastSeq - firstSeq + 1),
    };
    yield { held: meant, ...counts, lostCount: 0 };
  }
}

/** Reads what was heard, up to the newest now. What gives way meanwhile is counted. */
export async function* readHeard(
  { pattern, from, to }: Pick<ExportInput, 'pattern' | 'from' | 'to'>,
  { buffer, rest }: { readonly buffer: MessageBuffer; readonly rest: () => Promise<void> },
): AsyncGenerator<LookedAt> {
  const lastSeq = buffer.newestSeq;
  const firstSeq = Math.max(buffer.oldestSeq, from?.kind === 'seq' ? from.seq : 0);
  for (let next = firstSeq; next <= lastSeq; ) {
    const lostCount = Math.max(0, Math.min(buffer.oldestSeq, lastSeq + 1) - next);
    const start = next + lostCount;
    const end = Math.min(lastSeq + 1, start + readLimit);
    const held: HeldMessage[] = [];
    for (let seq = start; seq < end; seq++) {
      const one = buffer.get(seq);
      if (one === undefined || (pattern !== undefined && pattern !== '>' && !matches(pattern, one.subject))) continue;
      if (!isBefore(from, one) && !isBehind(to, one)) held.push(one);
    }
    next = end;
    yield { held, lookedCount: end - firstSeq, totalCount: lastSeq - firstSeq + 1, lostCount };
    await rest();
  }
}

export interface MessageExportDeps {
  readonly subjects: SubjectReader;
  readonly clock: Clock;
  /** Lets others have a turn. */
  readonly rest: () => Promise<void>;
}

/** How long a turn writes before others have one, ms. */
const turnMs = 4;

function stopIf(signal: AbortSignal): void {
  if (signal.aborted) throw new VakError('aborted', 'the export was cancelled; nothing of it is left');
}

/** The bytes of the file, piece by piece. */
async function* piecesOf(
  source: ExportSource,
  { form, withPayload, signal, onStep }: ExportRun,
  { subjects, clock, rest }: MessageExportDeps,
): AsyncGenerator<Uint8Array> {
  const { stream, rows, messages, wants } = source;
  let [writtenCount, writtenBytes] = [0, form.head.length];
  let gathered: Uint8Array[] = [form.head];
  let waiting = form.head.length;
  const payloadOf = (held: HeldMessage): Uint8Array | undefined => {
    if (!withPayload && !form.needsPayload) return undefined;
    const opened = messages.open(held);
    if (opened.kind === 'opened') return opened.bytes;
    if (opened.failure.kind !== 'locked') return undefined;
    throw new VakError('locked', 'the key store was locked while it was exported; nothing of it is left');
  };
  let lostCount = 0;
  let endsMs = clock.monotonic() + turnMs;
  for await (const looked of source.read(signal)) {
    stopIf(signal);
    lostCount += looked.lostCount;
    for (const held of looked.held) {
      if (!wants(held)) continue;
      const { seq, atMs, subject, data: bytes } = held;
      const row = rows.read(held, true);
      const { type } = subjects.read(subject);
      const piece = form.write({ stream, seq, atMs, subject, type, bytes, payload: payloadOf(held), ...row });
      gathered.push(piece);
      waiting += piece.length;
      writtenBytes += piece.length;
      writtenCount++;
      if (waiting >= gatheredBytes) {
        yield Buffer.concat(gathered);
        [gathered, waiting] = [[], 0];
      }
      if (clock.monotonic() >= endsMs) {
        await rest();
        stopIf(signal);
        endsMs = clock.monotonic() + turnMs;
      }
    }
    const { lookedCount, totalCount } = looked;
    onStep({ lookedCount, totalCount, writtenCount, writtenBytes }, lostCount);
  }
  yield Buffer.concat(gathered);
}

export interface ExportRun {
  readonly form: ExportForm;
  readonly withPayload: boolean;
  readonly signal: AbortSignal;
  readonly onStep: (step: ExportStep, lostCount: number) => void;
}

export interface ExportRequest {
  /** Writes the pieces as one file, whole or not at all. */
  readonly save: (pieces: AsyncIterable<Uint8Array>) => Promise<void>;
  readonly source: ExportSource;
  readonly input: Pick<ExportInput, 'format' | 'withPayload'>;
  readonly signal: AbortSignal;
  readonly onStep: (step: ExportStep) => void;
}

/** Writes the file. Throws `aborted`, `disk-full`, `forbidden`, and what reading throws; then nothing is left of it. */
export async function exportMessages(
  { save, source, input, signal, onStep }: ExportRequest,
  deps: MessageExportDeps,
): Promise<Omit<ExportDone, 'path'>> {
  let [count, bytes, lost] = [0, 0, 0];
  const run: ExportRun = {
    ...{ form: exportForms[input.format], withPayload: input.withPayload, signal },
    onStep(step, lostCount) {
      [count, bytes, lost] = [step.writtenCount, step.writtenBytes, lostCount];
      onStep(step);
    },
  };
  await save(piecesOf(source, run, deps));
  return { count, bytes: Math.max(bytes, run.form.head.length), lostCount: lost };
}
