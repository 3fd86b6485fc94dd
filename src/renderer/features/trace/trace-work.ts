/** What the Trace view works on: the trace that is shown, how it was read, what is selected of it, and how close it is looked at. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { TraceReport } from '../../../shared/contract/trace-contract.ts';
import { describeError, type ErrorReport } from '../../ui/describe-error.ts';
import { type TraceZoom, wholeTrace } from './trace-zoom.ts';

export type TraceMode = 'waterfall' | 'graph';

export interface TraceWorkState {
  readonly traceId: string | null;
  /** The last one that was read of it; null: none was. */
  readonly report: TraceReport | null;
  readonly isBusy: boolean;
  /** Why the last reading failed; what was read before stays. */
  readonly problem: ErrorReport | null;
  readonly selectedId: string | null;
  readonly mode: TraceMode;
  readonly zoom: TraceZoom;
}

export interface TraceWork {
  readonly store: StoreApi<TraceWorkState>;
  /** Shows another trace, or reads the same one anew. Never throws. */
  show(traceId: string): Promise<void>;
  /** Reads what is shown anew. */
  refresh(): Promise<void>;
  /** Gives up reading. */
  stop(): void;
  select(id: string): void;
  setMode(mode: TraceMode): void;
  setZoom(zoom: TraceZoom): void;
}

export type ReadTrace = (input: { traceId: string }, options: { signal: AbortSignal }) => Promise<TraceReport>;

const nothing: TraceWorkState = {
  ...{ traceId: null, report: null, isBusy: false, problem: null, selectedId: null },
  ...{ mode: 'waterfall', zoom: wholeTrace },
};

/** Creates it; nothing is shown. */
export function createTraceWork(read: ReadTrace): TraceWork {
  const store = createStore<TraceWorkState>(() => nothing);
  let reading: AbortController | undefined;

  function take(report: TraceReport): void {
    const { selectedId } = store.getState();
    const isThere = report.rows.some(({ id }) => id === selectedId);
    store.setState({ report, problem: null, selectedId: isThere ? selectedId : (report.rows[0]?.id ?? null) });
  }

  function begin(traceId: string): void {
    const { mode, selectedId, traceId: shown } = store.getState();
    if (traceId === shown) return;
    // The first one that is shown is the one that was left.
    store.setState({ ...nothing, mode, traceId, selectedId: shown === null ? selectedId : null });
  }

  async function show(traceId: string): Promise<void> {
    begin(traceId);
    reading?.abort();
    const own = new AbortController();
    reading = own;
    store.setState({ isBusy: true });
    try {
      const report = await read({ traceId }, { signal: own.signal });
      if (reading === own) take(report);
    } catch (error) {
      const isOver = reading !== own || isVakError(error, 'aborted');
      if (!isOver) store.setState({ problem: describeError('Read the trace', error) });
    } finally {
      if (reading === own) store.setState({ isBusy: false });
    }
  }

  return {
    store,
    show,
    async refresh() {
      const { traceId } = store.getState();
      if (traceId !== null) await show(traceId);
    },
    stop: () => reading?.abort(),
    select: (selectedId) => store.setState({ selectedId }),
    setMode: (mode) => store.setState({ mode }),
    setZoom: (zoom) => store.setState({ zoom }),
  };
}
