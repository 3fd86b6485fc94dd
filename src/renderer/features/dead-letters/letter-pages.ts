/**
 * The letters of one filter as a list of thousands, of which only what is in sight was asked for.
 * Law: while somebody reads, a letter keeps its row; what came since is counted, not put in between.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { FilterFault, LetterAnswer, LetterRow } from '../../../shared/contract/dlq-contract.ts';

/** A row: the letter, or undefined where it was not asked for yet. */
export interface LetterSlot {
  readonly index: number;
  readonly row: LetterRow | undefined;
}

export interface LetterPagesState {
  readonly filter: string;
  /** The filter that the slots are of; undefined: nothing was answered yet. */
  readonly slotsOf: string | undefined;
  readonly slots: readonly LetterSlot[];
  readonly matchingCount: number;
  readonly allCount: number;
  readonly faults: readonly FilterFault[];
  /** Letters above the first row. */
  readonly newCount: number;
  /** Of that filter, something was answered. */
  readonly isKnown: boolean;
  /** Why the last reading failed; the slots stay as they were. */
  readonly error: unknown;
}

export type PageAnswer = LetterAnswer & { readonly rows: readonly LetterRow[] };

export interface LetterPagesDeps {
  readonly page: (
    asked: { readonly filter: string; readonly fromIndex: number; readonly limit: number },
    options?: { readonly signal: AbortSignal },
  ) => Promise<PageAnswer>;
}

export interface LetterPages {
  readonly store: StoreApi<LetterPagesState>;
  /** Shows another filter, from its newest letter on. */
  show(filter: string): void;
  /** Asks anew for what is in sight: the letters have changed. */
  refresh(): void;
  /** A row came into sight. */
  want(index: number): void;
  /** While it holds, no row moves. */
  hold(isHeld: boolean): void;
  /** Lets in what came since. */
  showNew(): void;
  close(): void;
}

const chunk = 100;
const nothing: Omit<LetterPagesState, 'filter'> = {
  ...{
    slots: [],
    slotsOf: undefined,
    matchingCount: 0,
    allCount: 0,
    faults: [],
    newCount: 0,
    isKnown: false,
    error: undefined,
  },
};

/** The first row in the order of the stream that was there before. */
const newerThan = (rows: readonly LetterRow[], topSeq: number): number => rows.filter(({ seq }) => seq > topSeq).length;

/** Creates it with no filter; `show` begins. */
export function createLetterPages({ page }: LetterPagesDeps): LetterPages {
  const store = createStore<LetterPagesState>(() => ({ filter: '', ...nothing }));
  let rows = new Map<number, LetterRow>();
  /** Where the chunks in sight begin, the last one last; at most two. */
  let inSight: readonly number[] = [0];
  let asked = new Set<number>();
  let topSeq: number | undefined;
  let isHeld = false;
  let reading: AbortController | undefined;
  let isDirty = false;

  function publish(answer: LetterAnswer, newCount: number): void {
    const { matchingCount, allCount, faults } = answer;
    const length = Math.max(0, matchingCount - newCount);
    const slots = Array.from({ length }, (_, index): LetterSlot => ({ index, row: rows.get(index) }));
    const { filter: slotsOf } = store.getState();
    store.setState({
      ...{ slots, slotsOf, matchingCount, allCount, faults, newCount },
      isKnown: true,
      error: undefined,
    });
  }

  function take(from: number, found: readonly LetterRow[]): void {
    for (const [at, row] of found.entries()) rows.set(from + at, row);
  }

  /** How many letters stand above the first row. */
  function shiftOf(head: PageAnswer): number {
    if (!isHeld || topSeq === undefined) return 0;
    const newer = newerThan(head.rows, topSeq);
    if (newer < head.rows.length || head.rows.length === head.matchingCount) return newer;
    const { matchingCount, newCount } = store.getState();
    return Math.max(newer, newCount + head.matchingCount - matchingCount);
  }

  /** The rows in sight, by their places below the first row. */
  async function readSight(head: PageAnswer, shift: number, asking: { filter: string; signal: AbortSignal }) {
    const { filter, signal } = asking;
    const fresh = new Map(head.rows.slice(shift).map((row, at) => [at, row]));
    for (const from of inSight) {
      if (from === 0 && shift === 0) continue;
      const answer = await page({ filter, fromIndex: from + shift, limit: chunk }, { signal });
      for (const [at, row] of answer.rows.entries()) fresh.set(from + at, row);
    }
    return fresh;
  }

  async function readAll(filter: string, signal: AbortSignal): Promise<void> {
    const head = await page({ filter, fromIndex: 0, limit: chunk }, { signal });
    const shift = shiftOf(head);
    const sight = inSight;
    const fresh = await readSight(head, shift, { filter, signal });
    if (signal.aborted) return;
    rows = fresh;
    asked = new Set(sight);
    if (shift === 0) topSeq = head.rows[0]?.seq;
    publish(head, shift);
    // What came into sight meanwhile was asked for by its former place.
    for (const from of inSight) if (!asked.has(from)) void readChunk(from);
  }

  async function run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const call = new AbortController();
    reading = call;
    try {
      await work(call.signal);
    } catch (error) {
      if (!call.signal.aborted && !isVakError(error, 'aborted')) store.setState({ error, isKnown: true });
    } finally {
      if (reading === call) {
        reading = undefined;
        if (isDirty) refresh();
      }
    }
  }

  function refresh(): void {
    if (reading !== undefined) {
      isDirty = true;
      return;
    }
    isDirty = false;
    void run((signal) => readAll(store.getState().filter, signal));
  }

  async function readChunk(from: number): Promise<void> {
    const { filter, newCount } = store.getState();
    const before = rows;
    asked.add(from);
    try {
      const answer = await page({ filter, fromIndex: from + newCount, limit: chunk });
      // What was read for other rows belongs to none of these.
      if (before !== rows || store.getState().filter !== filter) return;
      take(from, answer.rows);
      publish(answer, newCount);
    } catch (error) {
      asked.delete(from);
      if (!isVakError(error, 'aborted')) store.setState({ error });
    }
  }

  return {
    store,
    show(filter) {
      reading?.abort();
      reading = undefined;
      rows = new Map();
      [inSight, asked, topSeq, isDirty] = [[0], new Set(), undefined, false];
      // What was shown stays until the answer comes.
      store.setState({ filter, isKnown: store.getState().isKnown, newCount: 0, error: undefined });
      refresh();
    },
    refresh,
    want(index) {
      const from = Math.floor(index / chunk) * chunk;
      inSight = [...inSight.filter((one) => one !== from), from].slice(-2);
      if (asked.has(from) || rows.has(index)) return;
      void readChunk(from);
    },
    hold(held) {
      if (isHeld === held) return;
      isHeld = held;
      if (!held && store.getState().newCount > 0) refresh();
    },
    showNew() {
      topSeq = undefined;
      inSight = [0];
      refresh();
    },
    close() {
      reading?.abort();
      isDirty = false;
    },
  };
}
