/**
 * Pages of streams as rows, in both directions, and only what a filter means (docs/spec/streams.md V2, V3).
 * Law: one question looks at a bounded part and holds the bytes of one read at a time; it claims nothing and leaves nothing behind.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { PageInput, RowsFrame, StoredPage } from '../../shared/contract/streams-contract.ts';
import type { DurablePlane, StoredMessage, Stream, StreamState } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeldMessage } from './message-buffer.ts';
import { createMessageMatcher, type MessageMatcher } from './message-query.ts';
import type { RowReader } from './row-reader.ts';
import { createRowColumns, maxFrameBytes, maxFrameRows, type PlacedRow, placedRow } from './rows-source.ts';
import type { StoredMessages } from './stored-messages.ts';
import type { SubjectReader } from './subject-reader.ts';

/** Messages of one read. */
const readLimit = 256;
/** Messages that one question looks at, about. */
const lookedLimit = 4096;
/** How long one question looks, ms: what it has by then is given. */
const lookedMs = 400;
/** Reads of a stretch before it is looked at by halves: it holds more than was thought. */
const maxStretchReads = 8;
/** How long a turn judges before others have one, ms. */
const turnMs = 4;

export interface StoredPagesDeps {
  readonly durable: Pick<DurablePlane, 'stream'>;
  readonly messages: StoredMessages;
  readonly rows: RowReader;
  readonly subjects: SubjectReader;
  readonly clock: Clock;
}

/** What a reading of a stream means. */
export interface StoredReading {
  readonly stream: Stream;
  readonly wants: MessageMatcher;
  readonly signal: AbortSignal;
}

/** Messages of a stream from a place on that are meant. */
export interface Stretch {
  readonly rows: readonly PlacedRow[];
  /** Everything before it was looked at. */
  readonly nextSeq: number;
}

export interface StoredPages {
  /** Throws `invalid-input`, `not-found` (no such stream), and what reading throws. */
  page(input: PageInput, signal: AbortSignal): Promise<StoredPage>;
  /** What a filter means; every message if it is empty. Throws `invalid-input`. */
  matcher(filter: string | undefined): MessageMatcher;
  /** Rows from a place on, up to a frame of them; looks at nothing behind `lastSeq`. */
  forward(from: { readonly seq: number; readonly lastSeq: number }, reading: StoredReading): Promise<Stretch>;
}

/** The rows as one frame. */
export function frameOf(rows: readonly PlacedRow[], scannedSeq: number): RowsFrame {
  const columns = createRowColumns();
  for (const row of rows) columns.add(row);
  return columns.frame(0, scannedSeq);
}

const weightOf = ({ preview }: PlacedRow): number => preview.length + 48;

/** How far one question may go yet. */
function createBudget(clock: Clock) {
  const endsMs = clock.monotonic() + lookedMs;
  let looked = 0;
  return {
    note: (count: number) => {
      looked += count;
    },
    isSpent: () => looked >= lookedLimit || clock.monotonic() >= endsMs,
  };
}

/** Creates it over the engine in use. */
export function createStoredPages(deps: StoredPagesDeps): StoredPages {
  const { durable, messages, rows, subjects, clock } = deps;
  const rest = (): Promise<void> => new Promise((resolve) => clock.defer(resolve));

  /** The rows of what was read that are meant, in turns. */
  async function rowsOf(read: readonly StoredMessage[], { wants, signal }: StoredReading): Promise<PlacedRow[]> {
    const found: PlacedRow[] = [];
    let endsMs = clock.monotonic() + turnMs;
    for (const message of read) {
      const held: HeldMessage = messages.hold(message);
      if (wants(held)) found.push(placedRow(rows, held, true));
      if (clock.monotonic() < endsMs) continue;
      await rest();
      signal.throwIfAborted();
      endsMs = clock.monotonic() + turnMs;
    }
    return found;
  }

  /** All rows of a stretch, both ends included; undefined: it holds so much that it had better be cut. */
  async function whole(
    { low, high }: { readonly low: number; readonly high: number },
    reading: StoredReading,
  ): Promise<{ readonly rows: PlacedRow[]; readonly count: number } | undefined> {
    const found: PlacedRow[] = [];
    let count = 0;
    let next: number | undefined = low;
    for (let reads = 0; next !== undefined && next <= high; reads++) {
      if (reads >= maxStretchReads && high - low >= readLimit) return undefined;
      const page = await reading.stream.read({ fromSeq: next, limit: readLimit, signal: reading.signal });
      const within = page.messages.filter(({ seq }) => seq <= high);
      found.push(...(await rowsOf(within, reading)));
      count += within.length;
      next = page.nextSeq;
    }
    return { rows: found, count };
  }

  async function backward(
    { before, firstSeq }: { readonly before: number; readonly firstSeq: number },
    reading: StoredReading,
  ): Promise<{ readonly rows: readonly PlacedRow[]; readonly fromSeq: number }> {
    const budget = createBudget(clock);
    let found: PlacedRow[] = [];
    let high = before - 1;
    let width = readLimit;
    while (high >= firstSeq && found.length < maxFrameRows && !budget.isSpent()) {
      const low = Math.max(firstSeq, high - width + 1);
      const stretch = await whole({ low, high }, reading);
      if (stretch === undefined) {
        width = Math.ceil(width / 2);
        continue;
      }
      budget.note(stretch.count);
      found = [...stretch.rows, ...found];
      // Where much was deleted the next stretch is wider.
      width = stretch.count < readLimit / 4 ? width * 4 : Math.max(readLimit, Math.floor(width / 2));
      high = low - 1;
    }
    const kept = newestThatFit(found);
    return { rows: kept, fromSeq: kept.length < found.length ? (kept[0] as PlacedRow).seq : high + 1 };
  }

  async function forward(
    { seq, lastSeq }: { readonly seq: number; readonly lastSeq: number },
    reading: StoredReading,
  ): Promise<Stretch> {
    const budget = createBudget(clock);
    const found: PlacedRow[] = [];
    let bytes = 0;
    let next: number | undefined = seq;
    while (next !== undefined && next <= lastSeq && !budget.isSpent()) {
      const page = await reading.stream.read({ fromSeq: next, limit: readLimit, signal: reading.signal });
      budget.note(Math.max(1, page.messages.length));
      for (const row of await rowsOf(page.messages, reading)) {
        if (found.length >= maxFrameRows || bytes >= maxFrameBytes) return { rows: found, nextSeq: row.seq };
        found.push(row);
        bytes += weightOf(row);
      }
      next = page.nextSeq;
    }
    return { rows: found, nextSeq: next ?? Math.max(lastSeq + 1, (found.at(-1)?.seq ?? 0) + 1) };
  }

  function matcher(filter: string | undefined): MessageMatcher {
    return createMessageMatcher(filter ?? '', clock.now(), { subjects, rows }) ?? (() => true);
  }

  async function page({ stream: name, filter, at }: PageInput, signal: AbortSignal): Promise<StoredPage> {
    const reading = { stream: durable.stream(name), wants: matcher(filter), signal };
    const state = await reading.stream.state();
    const { lastSeq } = state;
    if (at.kind === 'newest' || at.kind === 'before') {
      const before = at.kind === 'newest' ? lastSeq + 1 : Math.min(at.seq, lastSeq + 1);
      const found = await backward({ before, firstSeq: state.firstSeq }, reading);
      return pageOf(found.rows, { fromSeq: found.fromSeq, toSeq: before - 1 }, state);
    }
    const seq = Math.max(state.firstSeq, at.kind === 'from' ? at.seq : await seqAt(reading, at.ms, lastSeq));
    const found = await forward({ seq, lastSeq }, reading);
    const toSeq = found.nextSeq - 1;
    return pageOf(found.rows, { fromSeq: seq, toSeq }, { ...state, lastSeq: Math.max(lastSeq, toSeq) });
  }

  return { page, matcher, forward };
}

/** The place of the first message that was stored at a time or later; behind the last one if there is none. */
async function seqAt({ stream, signal }: StoredReading, ms: number, lastSeq: number): Promise<number> {
  const { messages } = await stream.read({ fromMs: ms, limit: 1, signal });
  return messages[0]?.seq ?? lastSeq + 1;
}

/** The last rows, as many as a frame holds. */
function newestThatFit(found: readonly PlacedRow[]): readonly PlacedRow[] {
  let bytes = 0;
  let from = found.length;
  while (from > 0 && found.length - from < maxFrameRows && bytes < maxFrameBytes) {
    from--;
    bytes += weightOf(found[from] as PlacedRow);
  }
  return found.slice(from);
}

function pageOf(
  rows: readonly PlacedRow[],
  { fromSeq, toSeq }: Pick<StoredPage, 'fromSeq' | 'toSeq'>,
  { firstSeq, lastSeq }: Pick<StreamState, 'firstSeq' | 'lastSeq'>,
): StoredPage {
  return { rows: frameOf(rows, toSeq), fromSeq, toSeq, firstSeq, lastSeq };
}

/** What is told of a message that is not there (any more). */
export function notInStream(name: string, seq: number, state: Pick<StreamState, 'firstSeq' | 'lastSeq'>): VakError {
  const { firstSeq, lastSeq } = state;
  const holds = firstSeq > lastSeq ? 'it is empty' : `it holds ${firstSeq} to ${lastSeq}, less what was deleted`;
  return new VakError('not-found', `${name}: there is no message ${seq}; ${holds}`);
}
