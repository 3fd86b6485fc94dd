/**
 * The table over one durable stream: what lies in it and what is stored meanwhile, in one table (docs/spec/streams.md V4).
 * Law: bounded rows; what is read stays where it is, whatever comes above or below it.
 */
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { PageInput, RowsFrame, StoredPage } from '../../../shared/contract/streams-contract.ts';
import type { OpenFeed } from '../../bridge/client.ts';
import { createLiveBuffer, type LiveBuffer } from '../../state/live-buffer.ts';
import { createPaintedFeed, type PaintDeps } from '../../state/painted-feed.ts';
import type { JumpPlace } from './jump-place.ts';
import { createStoredPaging, type OnFirst, type StoredPaging, type StoredQuery } from './stored-paging.ts';
import type { PauseMark, TableModel } from './table-model.ts';
import { createTableScroll, type RowRange } from './table-scroll.ts';

export interface StoredModel extends TableModel, Pick<StoredPaging, 'span' | 'reading'> {
  readonly kind: 'stored';
  readonly stream: string | undefined;
  /** Shows a stream from its newest message on; `place`: the engine that holds it. The same again changes nothing. */
  open(stream: string, filter: string, place: string): void;
}

export interface StoredModelDeps extends PaintDeps {
  readonly openFeed: OpenFeed<AppContract>;
  readonly page: (input: PageInput, signal: AbortSignal) => Promise<StoredPage>;
  readonly buffer?: LiveBuffer;
}

/** Rows that the table holds. */
const heldRows = 20_000;

/** What there is to scroll over. */
function rangeOf(buffer: LiveBuffer, hasNewer: () => boolean): RowRange {
  return {
    get firstIndex() {
      return buffer.firstIndex;
    },
    get endIndex() {
      return buffer.endIndex;
    },
    get messageCount() {
      return buffer.messageCount;
    },
    get hasNewer() {
      return hasNewer();
    },
  };
}

/** Creates the model without a stream. */
export function createStoredModel(deps: StoredModelDeps): StoredModel {
  const buffer = deps.buffer ?? createLiveBuffer(heldRows, true);
  const heldBack: RowsFrame[] = [];
  let [query, openedAt]: [StoredQuery | undefined, string] = [undefined, ''];
  let [epoch, pausedAt, selectedSeq]: [number, PauseMark?, number?] = [0];
  const { frameClock, afterPaint, page } = deps;
  const feed = createPaintedFeed<RowsFrame>({ frameClock, afterPaint, isShown: false, isTaken: () => true, onFrame });
  const paging = createStoredPaging({
    ...{ buffer, page, scroll: () => scroll, onTail, onTailLost: () => feed.stop(), onChange: feed.touch },
  });
  const scroll = createTableScroll(rangeOf(buffer, () => paging.hasNewer));

  function onTail(fromSeq: number): void {
    if (query === undefined) return;
    const { stream, filter = '' } = query;
    feed.start((handlers) => deps.openFeed('streams.tail', { stream, filter, fromSeq }, handlers));
  }
  function take(frame: RowsFrame): void {
    if (!paging.take(frame)) return;
    scroll.settle();
    feed.owe();
  }
  function onFrame(frame: RowsFrame): void {
    if (pausedAt === undefined) take(frame);
    else heldBack.push(frame);
  }
  function touch(): void {
    paging.look();
    feed.touch();
  }
  function select(seq: number | undefined): void {
    selectedSeq = seq;
    if (seq !== undefined) scroll.detach();
    feed.touch();
  }
  function begin(at: PageInput['at'], onFirst?: OnFirst): void {
    if (query === undefined) return;
    epoch++;
    heldBack.length = 0;
    selectedSeq = undefined;
    feed.stop();
    paging.begin(query, at, onFirst);
  }
  /** Selects the first row from an index on; behind the end there is none, and that is followed. */
  function settleAt(index: number): number | undefined {
    const seq = buffer.rowAt(Math.max(index, buffer.firstIndex))?.seq;
    if (seq === undefined) {
      if (!paging.hasNewer) scroll.follow();
      return undefined;
    }
    select(seq);
    scroll.reveal(buffer.findSeq(seq));
    touch();
    return seq;
  }
  function jump(at: JumpPlace): Promise<number | undefined> {
    const { span } = paging;
    if (at.kind === 'from' && span !== undefined && at.seq >= span.fromSeq && at.seq <= span.toSeq)
      return Promise.resolve(settleAt(buffer.indexOfSeq(at.seq)));
    return new Promise((resolve, reject) => {
      begin(at, (error) => (error === undefined ? resolve(settleAt(buffer.firstIndex)) : reject(error)));
    });
  }

  return {
    ...{ kind: 'stored' as const, buffer, scroll },
    get stream() {
      return query?.stream;
    },
    get epoch() {
      return epoch;
    },
    get error() {
      return paging.error ?? feed.error;
    },
    get pausedAt() {
      return pausedAt;
    },
    get selectedSeq() {
      return selectedSeq;
    },
    get span() {
      return paging.span;
    },
    get reading() {
      return paging.reading;
    },
    get hasNewer() {
      return paging.hasNewer;
    },
    subscribe: feed.subscribe,
    getVersion: feed.getVersion,
    open(stream, filter, place) {
      if (query?.stream === stream && query.filter === filter && openedAt === place) return;
      query = { stream, filter };
      openedAt = place;
      pausedAt = undefined;
      begin({ kind: 'newest' });
    },
    jump,
    range: () => paging.span,
    retry() {
      if (paging.error !== undefined) paging.retry();
      else if (paging.span !== undefined) onTail(paging.span.toSeq + 1);
    },
    pause(now) {
      pausedAt ??= now;
      feed.touch();
    },
    resume() {
      pausedAt = undefined;
      for (const frame of heldBack.splice(0)) take(frame);
      touch();
    },
    select,
    show: (seq) => void jump({ kind: 'from', seq }),
    toFirst: () => void jump({ kind: 'from', seq: Math.max(1, paging.span?.firstSeq ?? 1) }),
    follow() {
      if (paging.hasNewer && paging.reading !== 'first') begin({ kind: 'newest' });
      else scroll.follow();
      touch();
    },
    learn(seq, marks) {
      if (buffer.setMarks(seq, marks)) feed.touch();
    },
    setShown(isShown) {
      feed.setShown(isShown);
      paging.setShown(isShown);
    },
    touch,
    dispose() {
      paging.dispose();
      feed.dispose();
      heldBack.length = 0;
      buffer.clear();
      scroll.reset();
    },
  };
}
