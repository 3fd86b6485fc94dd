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
  /** The envelope whose trace is looked for; null: none is. */
  readonly findingId: string | null;
  /** The one of which nothing was found. */
  readonly lostId: string | null;
  /** Why looking for it failed. */
  readonly findProblem: ErrorReport | null;
}

export interface TraceWork {
  readonly store: StoreApi<TraceWorkState>;
  /** Shows another trace, or reads the same one anew. Never throws. */
  show(traceId: string): Promise<void>;
  /** Reads what is shown anew. */
  refresh(): Promise<void>;
  /** Finds the trace that an envelope is of; undefined: there is none, it failed, or another one is looked for. Never throws. */
  find(envelopeId: string): Promise<string | undefined>;
  /** Gives up reading. */
  stop(): void;
  select(id: string): void;
  setMode(mode: TraceMode): void;
  setZoom(zoom: TraceZoom): void;
}

/** The calls that it makes. */
export interface TraceReading {
  read(input: { traceId: string }, options: { signal: AbortSignal }): Promise<TraceReport>;
  find(input: { envelopeId: string }, options: { signal: AbortSignal }): Promise<{ traceId: string | null }>;
}

const noFinding = { findingId: null, lostId: null, findProblem: null } as const;

const nothing: TraceWorkState = {
  ...{ traceId: null, report: null, isBusy: false, problem: null, selectedId: null },
  ...{ mode: 'waterfall', zoom: wholeTrace, ...noFinding },
};

/** Creates it; nothing is shown. */
export function createTraceWork(calls: TraceReading): TraceWork {
  const store = createStore<TraceWorkState>(() => nothing);
  let reading: AbortController | undefined;
  let finding: AbortController | undefined;

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
    store.setState({ isBusy: true, lostId: null, findProblem: null });
    try {
      const report = await calls.read({ traceId }, { signal: own.signal });
      if (reading === own) take(report);
    } catch (error) {
      const isOver = reading !== own || isVakError(error, 'aborted');
      if (!isOver) store.setState({ problem: describeError('Read the trace', error) });
    } finally {
      if (reading === own) store.setState({ isBusy: false });
    }
  }

  async function find(envelopeId: string): Promise<string | undefined> {
    finding?.abort();
    const own = new AbortController();
    finding = own;
    store.setState({ ...noFinding, findingId: envelopeId });
    try {
      const { traceId } = await calls.find({ envelopeId }, { signal: own.signal });
      if (own.signal.aborted) return undefined;
      store.setState({ findingId: null, lostId: traceId === null ? envelopeId : null });
      return traceId ?? undefined;
    } catch (error) {
      if (!own.signal.aborted)
        store.setState({ findingId: null, findProblem: describeError('Find the trace of an envelope', error) });
      return undefined;
    }
  }

  return {
    store,
    show,
    find,
    async refresh() {
      const { traceId } = store.getState();
      if (traceId !== null) await show(traceId);
    },
    stop() {
      reading?.abort();
      finding?.abort();
    },
    select: (selectedId) => store.setState({ selectedId }),
    setMode: (mode) => store.setState({ mode }),
    setZoom: (zoom) => store.setState({ zoom }),
  };
}
