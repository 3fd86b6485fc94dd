/** What the chains page of the Trace view works on: the sources, the chain that is looked at, the place that is to be proven. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type {
  ChainProofSaved,
  ChainProofVerdict,
  ChainReport,
  ChainSources,
} from '../../../shared/contract/chain-report.ts';
import { describeError, type ErrorReport } from '../../ui/describe-error.ts';

export interface ChainWorkState {
  /** The last list that was read; null: none was. */
  readonly sources: ChainSources | null;
  readonly isListing: boolean;
  /** Why the list, the chain, the proof or the check failed last. */
  readonly listProblem: ErrorReport | null;
  /** The chain that is looked at. */
  readonly source: string | null;
  /** The last one that was read of it. */
  readonly report: ChainReport | null;
  readonly isBusy: boolean;
  readonly problem: ErrorReport | null;
  /** Place that is to be proven, as it is typed. */
  readonly place: string;
  readonly isProving: boolean;
  readonly proofProblem: ErrorReport | null;
  readonly saved: ChainProofSaved | null;
  /** What became of the proof's file that was checked last. */
  readonly verdict: ChainProofVerdict | null;
}

interface Asked {
  readonly signal: AbortSignal;
}

/** The calls that it makes. */
export interface ChainCalls {
  sources(input: object, options: Asked): Promise<ChainSources>;
  chain(input: { source: string }, options: Asked): Promise<ChainReport>;
  prove(input: { source: string; seq: number }): Promise<ChainProofSaved>;
  checkProof(input: object): Promise<ChainProofVerdict>;
}

export interface ChainWork {
  readonly store: StoreApi<ChainWorkState>;
  /** Reads which sources there are. None of these throws. */
  list(): Promise<void>;
  show(source: string): Promise<void>;
  /** Reads the list and what is shown anew. */
  refresh(): Promise<void>;
  setPlace(place: string): void;
  prove(): Promise<void>;
  check(): Promise<void>;
  clearVerdict(): void;
  stop(): void;
}

const nothing = { report: null, problem: null, place: '', proofProblem: null, saved: null } as const;

/** The place in what was typed; undefined: it is none. */
export function readPlace(text: string): number | undefined {
  const digits = text.replace(/\s/g, '');
  const seq = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(seq) ? seq : undefined;
}

/** One reading at a time: what is asked later is what counts. */
function createReading() {
  let now: AbortController | undefined;
  return {
    begin(): { readonly signal: AbortSignal; readonly isLast: () => boolean } {
      now?.abort();
      const own = new AbortController();
      now = own;
      return { signal: own.signal, isLast: () => now === own };
    },
    stop: () => now?.abort(),
  };
}

/** Creates it; nothing is shown. */
export function createChainWork(calls: ChainCalls): ChainWork {
  const store = createStore<ChainWorkState>(() => ({
    ...{ sources: null, isListing: false, listProblem: null, source: null, isBusy: false },
    ...{ ...nothing, isProving: false, verdict: null },
  }));
  const [listing, reading] = [createReading(), createReading()];

  async function list(): Promise<void> {
    const { signal, isLast } = listing.begin();
    store.setState({ isListing: true });
    try {
      const sources = await calls.sources({}, { signal });
      if (isLast()) store.setState({ sources, listProblem: null });
    } catch (error) {
      if (isLast() && !isVakError(error, 'aborted'))
        store.setState({ listProblem: describeError('Read which sources there are', error) });
    } finally {
      if (isLast()) store.setState({ isListing: false });
    }
  }

  /** The first place that holds is offered to be proven, unless another one was typed. */
  function take(report: ChainReport): void {
    const first = report.verified[0]?.fromSeq ?? report.seen?.fromSeq ?? '';
    store.setState(({ place }) => ({ report, problem: null, place: place === '' ? `${first}` : place }));
  }

  async function show(source: string): Promise<void> {
    if (source !== store.getState().source) store.setState({ ...nothing, source });
    const { signal, isLast } = reading.begin();
    store.setState({ isBusy: true });
    try {
      const report = await calls.chain({ source }, { signal });
      if (isLast()) take(report);
    } catch (error) {
      if (isLast() && !isVakError(error, 'aborted'))
        store.setState({ problem: describeError('Read the chain', error) });
    } finally {
      if (isLast()) store.setState({ isBusy: false });
    }
  }

  /** What asks for a file; closing that window is no failure. */
  async function withFile(doing: string, work: () => Promise<Partial<ChainWorkState>>): Promise<void> {
    if (store.getState().isProving) return;
    store.setState({ isProving: true, proofProblem: null, saved: null, verdict: null });
    try {
      store.setState(await work());
    } catch (error) {
      if (!isVakError(error, 'aborted')) store.setState({ proofProblem: describeError(doing, error) });
    } finally {
      store.setState({ isProving: false });
    }
  }

  return {
    store,
    list,
    show,
    async refresh() {
      const { source } = store.getState();
      await Promise.all([list(), source === null ? undefined : show(source)]);
    },
    setPlace: (place) => store.setState({ place }),
    async prove() {
      const { source, place } = store.getState();
      const seq = readPlace(place);
      if (source === null || seq === undefined) return;
      await withFile('Save the proof', async () => {
        const saved = await calls.prove({ source, seq });
        return store.getState().source === source ? { saved } : {};
      });
    },
    check: () => withFile('Check a proof', async () => ({ verdict: await calls.checkProof({}) })),
    clearVerdict: () => store.setState({ verdict: null }),
    stop() {
      listing.stop();
      reading.stop();
    },
  };
}
