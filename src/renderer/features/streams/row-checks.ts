/**
 * Has the signatures of rows checked that are looked at (E13): those in sight that say "unchecked", once they stay in sight.
 * Law: one question at a time with a pause before each; no row is asked for twice while it stays in sight, or once it has left.
 */
import type { Disposable } from '../../../shared/base/disposer.ts';
import { unpackMarks } from '../../../shared/protocol/trust-marks.ts';
import type { TableModel } from './table-model.ts';
import { rowPx } from './table-scroll.ts';

/** Time between what changed in sight and the question, ms. */
export const checkPauseMs = 200;
/** Rows in one question; the engine takes no more. */
export const maxAskedRows = 128;

export interface RowChecksDeps {
  readonly model: Pick<TableModel, 'buffer' | 'scroll' | 'subscribe' | 'learn'>;
  /** Marks of the rows in the same order; −1 for a row that has left the engine's buffer. */
  readonly check: (seqs: readonly number[], signal: AbortSignal) => Promise<{ readonly marks: readonly number[] }>;
  /** Runs once after that time; gives what calls it off. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** Begins to look with each version of the model. */
export function createRowChecks({ model, check, after }: RowChecksDeps): Disposable {
  const { buffer, scroll } = model;
  const calls = new AbortController();
  /** Rows in sight that were asked for, whatever the answer was. */
  let asked = new Set<number>();
  /** Rows up to this one have left the engine's buffer. */
  let goneSeq = 0;
  let isAsking = false;
  let callOff: (() => void) | undefined;

  function uncheckedInSight(): number[] {
    const start = Math.max(buffer.firstIndex, Math.floor(scroll.topPx / rowPx));
    const end = Math.min(buffer.endIndex, Math.ceil((scroll.topPx + scroll.heightPx) / rowPx));
    const stillAsked = new Set<number>();
    const found: number[] = [];
    for (let index = start; index < end; index++) {
      if (unpackMarks(buffer.marksAt(index)).signature !== 'unchecked') continue;
      const seq = buffer.rowAt(index)?.seq ?? 0;
      if (asked.has(seq)) stillAsked.add(seq);
      else if (seq > goneSeq) found.push(seq);
    }
    asked = stillAsked;
    return found.slice(0, maxAskedRows);
  }

  function look(): void {
    if (isAsking || callOff !== undefined || calls.signal.aborted || uncheckedInSight().length === 0) return;
    const topPx = scroll.topPx;
    callOff = after(checkPauseMs, () => {
      callOff = undefined;
      // Rows that run through are not read: wait until they stand.
      if (scroll.isFollowing && scroll.topPx !== topPx) look();
      else ask(uncheckedInSight());
    });
  }

  function learn(seqs: readonly number[], marks: readonly number[]): void {
    for (const [at, seq] of seqs.entries()) {
      const found = marks[at] ?? -1;
      if (found >= 0) model.learn(seq, found);
      else goneSeq = Math.max(goneSeq, seq);
    }
  }

  function ask(seqs: readonly number[]): void {
    if (seqs.length === 0) return;
    isAsking = true;
    for (const seq of seqs) asked.add(seq);
    const takeIn = ({ marks }: { readonly marks: readonly number[] }): void => {
      if (!calls.signal.aborted) learn(seqs, marks);
    };
    // Rows that could not be checked go on to say "unchecked", which is what they are.
    const leave = (): void => {};
    void check(seqs, calls.signal)
      .then(takeIn, leave)
      .finally(() => {
        isAsking = false;
        look();
      });
  }

  const stop = model.subscribe(look);
  return {
    dispose() {
      stop();
      callOff?.();
      calls.abort();
    },
  };
}
