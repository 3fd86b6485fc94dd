/**
 * Pages of the tasks that stand in a queue, read on demand; nothing is claimed by it.
 * Law: one reading at a time; the page that is shown stays until the next one is there, and when that fails.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { PeekedTask } from '../../../shared/contract/queues-contract.ts';
import type { Workbench } from '../../workbench.tsx';

const pageSize = 50;
/** A page that weighs more is read again only when that is asked for. */
const maxRefreshedBytes = 1024 * 1024;

export interface PeekPage {
  /** Null: from the oldest task on. */
  readonly fromSeq: number | null;
  readonly tasks: readonly PeekedTask[];
  /** Null: it is the last page. */
  readonly nextSeq: number | null;
  readonly readAtMs: number;
  /** Tasks that stood in the queue then. */
  readonly standingCount: number;
}

export interface PeekState {
  /** Undefined: none was read yet. */
  readonly page: PeekPage | undefined;
  readonly isReading: boolean;
  /** Why the last reading failed; undefined: it did not. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Where the pages before this one begin. */
  readonly trail: readonly (number | null)[];
}

export interface PeekPages {
  readonly store: StoreApi<PeekState>;
  /** Reads this page again. */
  again(): Promise<void>;
  /** As `again`, if the page is the first and light, and none is being read. */
  refresh(): Promise<void>;
  /** Reads the next page, if there is one. */
  next(): Promise<void>;
  previous(): Promise<void>;
  dispose(): void;
}

export interface PeekPagesDeps {
  readonly queue: string;
  readonly peek: Workbench['client']['queues']['peek'];
  readonly standing: Workbench['client']['queues']['standing'];
  readonly now: () => number;
}

/** Creates it with nothing read. */
export function createPeekPages({ queue, peek, standing, now }: PeekPagesDeps): PeekPages {
  const store = createStore<PeekState>(() => ({ page: undefined, isReading: false, failure: undefined, trail: [] }));
  const calls = new AbortController();

  async function read(fromSeq: number | null, trail: PeekState['trail']): Promise<void> {
    if (store.getState().isReading || calls.signal.aborted) return;
    store.setState({ isReading: true });
    try {
      const from = fromSeq === null ? {} : { fromSeq };
      const { signal } = calls;
      const [{ tasks, nextSeq }, { count: standingCount }] = await Promise.all([
        peek({ queue, limit: pageSize, ...from }, { signal }),
        standing({ queue }, { signal }),
      ]);
      if (signal.aborted) return;
      store.setState({ page: { fromSeq, tasks, nextSeq, readAtMs: now(), standingCount }, trail, failure: undefined });
    } catch (error) {
      if (!calls.signal.aborted && !isVakError(error, 'aborted')) store.setState({ failure: { error } });
    } finally {
      store.setState({ isReading: false });
    }
  }

  const again = (): Promise<void> => {
    const { page, trail } = store.getState();
    return read(page?.fromSeq ?? null, trail);
  };
  return {
    store,
    again,
    async refresh() {
      const { page } = store.getState();
      const bytes = page?.tasks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) ?? 0;
      if ((page?.fromSeq ?? null) === null && bytes <= maxRefreshedBytes) await again();
    },
    async next() {
      const { page, trail } = store.getState();
      if (page !== undefined && page.nextSeq !== null) await read(page.nextSeq, [...trail, page.fromSeq]);
    },
    async previous() {
      const { trail } = store.getState();
      const fromSeq = trail.at(-1);
      if (fromSeq !== undefined) await read(fromSeq, trail.slice(0, -1));
    },
    dispose: () => calls.abort(),
  };
}
