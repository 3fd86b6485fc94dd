/**
 * Which part of a stream a table holds, and the reading of what is missing around what is in sight (docs/spec/streams.md V4).
 * Law: rows held lie next to each other in the stream; one page at a time is read, and only while somebody looks.
 */
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { PageInput, RowsFrame, StoredPage } from '../../../shared/contract/streams-contract.ts';
import type { LiveBuffer } from '../../state/live-buffer.ts';
import { rowPx, type TableScroll } from './table-scroll.ts';

/** What is shown of a stream. */
export type StoredQuery = Pick<PageInput, 'stream' | 'filter'>;
/** What of the stream was looked at, and what it holds as far as that is known. */
export type StoredSpan = Pick<StoredPage, 'fromSeq' | 'toSeq' | 'firstSeq' | 'lastSeq'>;
/** What is being read: the first page of all, what is older than what is held, or newer. */
export type StoredReadingKind = 'first' | 'older' | 'newer';

/** Told once the first page is there, or why it is not. */
export type OnFirst = (error: VakError | undefined) => void;

export interface StoredPaging {
  readonly span: StoredSpan | undefined;
  readonly reading: StoredReadingKind | undefined;
  readonly error: VakError | undefined;
  /** Whether the newest row is not held: what comes is read when somebody gets there. */
  readonly hasNewer: boolean;
  /** Forgets every row, and reads a first page. */
  begin(query: StoredQuery, at: PageInput['at'], onFirst?: OnFirst): void;
  /** Reads what is missing around what is in sight. */
  look(): void;
  /** Takes in what the tail has sent; false: it would have pushed out what is being read, so the tail is followed no more. */
  take(frame: RowsFrame): boolean;
  setShown(isShown: boolean): void;
  /** Asks again after an error. */
  retry(): void;
  dispose(): void;
}

export interface StoredPagingDeps {
  readonly buffer: LiveBuffer;
  readonly scroll: () => TableScroll;
  readonly page: (input: PageInput, signal: AbortSignal) => Promise<StoredPage>;
  /** All that there is is held: follow the tail from there on. */
  readonly onTail: (fromSeq: number) => void;
  readonly onTailLost: () => void;
  readonly onChange: () => void;
}

interface Asked {
  readonly kind: StoredReadingKind;
  readonly at: PageInput['at'];
  readonly onFirst?: OnFirst | undefined;
}

const errorOf = (cause: unknown): VakError =>
  isVakError(cause) ? cause : new VakError('internal', 'the page could not be read');

/** What of the sight is missing; undefined: nothing. */
function missing(
  { fromSeq, toSeq, firstSeq }: StoredSpan,
  { buffer, scroll, hasTail }: { readonly buffer: LiveBuffer; readonly scroll: TableScroll; readonly hasTail: boolean },
): Asked | undefined {
  const { topPx, minPx, heightPx } = scroll;
  if (fromSeq > firstSeq && topPx - minPx < heightPx) return { kind: 'older', at: { kind: 'before', seq: fromSeq } };
  const belowPx = buffer.endIndex * rowPx - topPx - heightPx;
  return !hasTail && belowPx < heightPx ? { kind: 'newer', at: { kind: 'from', seq: toSeq + 1 } } : undefined;
}

/** Creates it over a table's rows. */
export function createStoredPaging(deps: StoredPagingDeps): StoredPaging {
  const { buffer, page, onChange } = deps;
  let query: StoredQuery | undefined;
  let span: StoredSpan | undefined;
  let asked: Asked | undefined;
  let failed: { readonly asked: Asked; readonly error: VakError } | undefined;
  let hasTail = false;
  let isShown = false;
  let calls = new AbortController();

  function loseTail(): void {
    if (hasTail) deps.onTailLost();
    hasTail = false;
  }

  /** The oldest rows gave way to newer ones. */
  const oldestHeld = (firstIndex: number, fromSeq: number): number =>
    buffer.firstIndex > firstIndex ? (buffer.rowAt(buffer.firstIndex)?.seq ?? fromSeq) : fromSeq;

  function takeOlder(found: StoredPage, held: StoredSpan): void {
    const { endIndex } = buffer;
    buffer.prepend(found.rows);
    let { toSeq } = held;
    if (buffer.endIndex < endIndex) {
      toSeq = buffer.rowAt(buffer.endIndex - 1)?.seq ?? toSeq;
      loseTail();
    }
    span = { ...found, fromSeq: found.fromSeq, toSeq };
  }

  function takeNewer(found: StoredPage, held: StoredSpan | undefined): void {
    const { firstIndex } = buffer;
    buffer.append(found.rows);
    span = { ...found, fromSeq: oldestHeld(firstIndex, held?.fromSeq ?? found.fromSeq) };
    deps.scroll().see();
  }

  function takePage({ kind, at, onFirst }: Asked, found: StoredPage): void {
    if (kind === 'older' && span !== undefined) takeOlder(found, span);
    else takeNewer(found, span);
    if (kind === 'first') {
      if (at.kind === 'newest') deps.scroll().reset();
      else deps.scroll().startAtFirst();
    }
    const { toSeq, lastSeq } = span ?? found;
    if (!hasTail && toSeq >= lastSeq) {
      hasTail = true;
      deps.onTail(toSeq + 1);
    }
    deps.scroll().settle();
    onFirst?.(undefined);
  }

  function ask(next: Asked): void {
    if (query === undefined) return;
    const { signal } = calls;
    asked = next;
    failed = undefined;
    page({ ...query, at: next.at }, signal)
      .then(
        (found) =>
          signal.aborted
            ? next.onFirst?.(new VakError('aborted', 'something else is shown by now'))
            : takePage(next, found),
        (cause: unknown) => {
          const error = signal.aborted ? new VakError('aborted', 'something else is shown by now') : errorOf(cause);
          if (!signal.aborted) failed = { asked: next, error };
          next.onFirst?.(error);
        },
      )
      .finally(() => {
        if (signal.aborted) return;
        asked = undefined;
        look();
        onChange();
      });
    onChange();
  }

  function look(): void {
    if (asked !== undefined || failed !== undefined || span === undefined || !isShown) return;
    const next = missing(span, { buffer, scroll: deps.scroll(), hasTail });
    if (next !== undefined) ask(next);
  }

  return {
    get span() {
      return span;
    },
    get reading() {
      return asked?.kind;
    },
    get error() {
      return failed?.error;
    },
    get hasNewer() {
      return !hasTail;
    },
    begin(next, at, onFirst) {
      calls.abort();
      calls = new AbortController();
      loseTail();
      query = next;
      span = asked = undefined;
      buffer.clear();
      deps.scroll().reset();
      ask({ kind: 'first', at, onFirst });
    },
    look,
    take(frame) {
      if (span === undefined) return false;
      if (!deps.scroll().isFollowing && buffer.size + frame.seq.length > buffer.capacity) {
        loseTail();
        return false;
      }
      const { firstIndex } = buffer;
      buffer.append(frame);
      const toSeq = Math.max(span.toSeq, frame.scannedSeq);
      span = {
        ...{ firstSeq: span.firstSeq, fromSeq: oldestHeld(firstIndex, span.fromSeq) },
        ...{ toSeq, lastSeq: Math.max(span.lastSeq, toSeq) },
      };
      return true;
    },
    setShown(next) {
      isShown = next;
      look();
    },
    retry() {
      if (failed !== undefined) ask(failed.asked);
    },
    dispose() {
      calls.abort();
      query = span = asked = undefined;
      hasTail = false;
    },
  };
}
