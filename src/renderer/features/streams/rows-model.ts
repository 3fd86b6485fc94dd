/**
 * The live table's state outside React: its feed, its ring of rows, pause, place and selection (architecture.md §5).
 * Law: one version a frame at most; credits go back only after paint, and never while paused, hidden or out of view.
 */

import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { Outage } from '../../../shared/contract/connections-contract.ts';
import type { RowsFrame } from '../../../shared/contract/streams-contract.ts';
import type { OpenFeed } from '../../bridge/client.ts';
import { createLiveBuffer, type LiveBuffer } from '../../state/live-buffer.ts';
import { createPaintedFeed, type PaintDeps } from '../../state/painted-feed.ts';
import { createAwaitedPlace } from './awaited-place.ts';
import type { JumpPlace, JumpRange } from './jump-place.ts';
import type { PauseMark, TableModel } from './table-model.ts';
import { createTableReplay, type HeldRange, type TableReplay } from './table-replay.ts';
import { createTableScroll } from './table-scroll.ts';

/** The table of what is heard live. */
export interface RowsModel extends TableModel {
  readonly kind: 'live';
  /** Subjects that the open feed matches; undefined before the first `open`. */
  readonly pattern: string | undefined;
  readonly hasFrames: boolean;
  /** What was there before is being sent: how many messages were looked at, of how many. Undefined: the live end is reached. */
  readonly replay: TableReplay['progress'];
  /**
   * Shows other messages, from the oldest that the engine holds: of these subjects, those that a filter without fault means. The same
   * again changes nothing.
   */
  open(pattern: string, filter?: string): void;
  /** Brings the newest place where rows are missing into view, now or when it has been replayed; false: there is none. */
  showGap(kind: 'dropped' | 'outage'): boolean;
  /** Takes in when there was no connection; while paused, what is shown does not change. */
  setOutages(outages: readonly Outage[]): void;
}

export interface RowsModelDeps extends PaintDeps {
  readonly openFeed: OpenFeed<AppContract>;
  readonly buffer?: LiveBuffer;
  readonly held?: HeldRange;
}

function lossFrame(dropped: number, scannedSeq: number): RowsFrame {
  const none = {
    seq: [],
    atMs: [],
    subjects: [],
    subjectIndex: [],
    peers: [],
    peerIndex: [],
    sizeBytes: [],
    preview: [],
    marks: [],
  };
  return { ...none, dropped, scannedSeq };
}

/** What a table shows. */
interface Shown {
  readonly pattern: string | undefined;
  readonly filter: string;
}

/** What came while the table took nothing. With a filter it is not known how far the feed has looked. */
function replayMissed({ pattern, filter }: Shown, replay: TableReplay): void {
  if (pattern === '>' && filter === '') replay.resume();
}

/** The messages that are held; undefined: none is. */
function heldRange(buffer: LiveBuffer): JumpRange {
  const seqAt = (from: number, step: 1 | -1): number | undefined => {
    for (let at = from; at >= buffer.firstIndex && at < buffer.endIndex; at += step) {
      const row = buffer.rowAt(at);
      if (row?.kind === 'message') return row.seq;
    }
    return undefined;
  };
  const [firstSeq, lastSeq] = [seqAt(buffer.firstIndex, 1), seqAt(buffer.endIndex - 1, -1)];
  return firstSeq === undefined || lastSeq === undefined ? undefined : { firstSeq, lastSeq };
}

/** The first message that is held at a place or behind it. */
function seqFrom(buffer: LiveBuffer, at: JumpPlace): number | undefined {
  const from = at.kind === 'from' ? buffer.indexOfSeq(at.seq) : buffer.firstIndex;
  for (let index = from; index < buffer.endIndex; index++) {
    const row = buffer.rowAt(index);
    if (row?.kind === 'message' && (at.kind === 'from' || row.atMs >= at.ms)) return row.seq;
  }
  return undefined;
}

/** Creates the model; it lives as long as the key store is open. */
export function createRowsModel(deps: RowsModelDeps): RowsModel {
  const buffer = deps.buffer ?? createLiveBuffer();
  const scroll = createTableScroll(buffer);
  const heldBack: RowsFrame[] = [];
  let [pattern, filter]: [string | undefined, string] = [undefined, ''];
  /** While paused, frames that reach beyond `holdSeq` are held back. */
  let [epoch, hasFrames, holdSeq] = [0, false, Number.POSITIVE_INFINITY];
  let outages: readonly Outage[] = [];
  let [pausedAt, selectedSeq]: [PauseMark?, number?] = [];
  const awaited = createAwaitedPlace(buffer, scroll);
  const replay = createTableReplay(buffer, deps.held ?? (() => undefined));
  const { frameClock, afterPaint } = deps;
  const feed = createPaintedFeed<RowsFrame>({ frameClock, afterPaint, isShown: false, isTaken: () => true, onFrame });
  const { touch } = feed;

  function take(frame: RowsFrame): void {
    buffer.append(frame);
    scroll.settle();
    awaited.settle(replay.settle());
    hasFrames = true;
  }
  function takeOutages(): void {
    const { isChanged, insertedAt } = buffer.setOutages(outages);
    for (const index of insertedAt) scroll.insert(index);
    if (!isChanged) return;
    scroll.settle();
    touch();
  }
  function select(seq: number | undefined): void {
    selectedSeq = seq;
    awaited.forget();
    if (seq !== undefined) scroll.detach();
    touch();
  }
  function show(seq: number): void {
    select(seq);
    awaited.showSeq(seq);
  }
  function onFrame(frame: RowsFrame): void {
    if (frame.scannedSeq > holdSeq) {
      heldBack.push(frame);
      return;
    }
    take(frame);
    feed.owe();
  }
  function start(fromSeq: number): void {
    replay.begin(fromSeq - 1);
    heldBack.length = 0;
    const params = { pattern: pattern as string, filter, fromSeq };
    feed.start((handlers) => deps.openFeed('streams.rows', params, handlers));
  }

  return {
    ...{ kind: 'live' as const, buffer, scroll },
    get pattern() {
      return pattern;
    },
    get epoch() {
      return epoch;
    },
    get hasFrames() {
      return hasFrames;
    },
    get replay() {
      return replay.progress;
    },
    get error() {
      return feed.error;
    },
    get pausedAt() {
      return pausedAt;
    },
    get selectedSeq() {
      return selectedSeq;
    },
    subscribe: feed.subscribe,
    getVersion: feed.getVersion,
    open(next, nextFilter = '') {
      if (next === pattern && nextFilter === filter) return;
      [pattern, filter] = [next, nextFilter];
      epoch++;
      hasFrames = false;
      selectedSeq = undefined;
      awaited.forget();
      buffer.clear();
      scroll.reset();
      // A filter that is opened while paused is filled up to the pause.
      if (pausedAt !== undefined) holdSeq = pausedAt.seq;
      start(0);
    },
    retry(oldestSeq) {
      if (pattern === undefined) return;
      const lostCount = oldestSeq - 1 - buffer.scannedSeq;
      if (buffer.scannedSeq > 0 && lostCount > 0) take(lossFrame(lostCount, oldestSeq - 1));
      start(buffer.scannedSeq === 0 ? 0 : buffer.scannedSeq + 1);
    },
    pause(now) {
      if (pausedAt !== undefined) return;
      pausedAt = { seq: Math.max(now.seq, buffer.scannedSeq), receivedBytes: now.receivedBytes };
      holdSeq = buffer.scannedSeq;
      touch();
    },
    resume() {
      pausedAt = undefined;
      holdSeq = Number.POSITIVE_INFINITY;
      takeOutages();
      for (const frame of heldBack.splice(0)) take(frame);
      replayMissed({ pattern, filter }, replay);
      feed.owe();
    },
    select,
    show,
    range: () => heldRange(buffer),
    async jump(at) {
      const seq = seqFrom(buffer, at);
      if (seq !== undefined) show(seq);
      return seq;
    },
    follow() {
      scroll.follow();
      touch();
    },
    showGap(kind) {
      select(undefined);
      const isFound = awaited.showGap(kind) || replay.isUnderWay;
      if (!replay.isUnderWay) awaited.forget();
      return isFound;
    },
    setOutages(next) {
      outages = next;
      if (pausedAt === undefined) takeOutages();
    },
    learn(seq, marks) {
      if (buffer.setMarks(seq, marks)) touch();
    },
    setShown(isShown) {
      if (isShown) replayMissed({ pattern, filter }, replay);
      feed.setShown(isShown);
    },
    touch,
    dispose() {
      feed.dispose();
      heldBack.length = 0;
      buffer.clear();
      scroll.reset();
    },
  };
}
