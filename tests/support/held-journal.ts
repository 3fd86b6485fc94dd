/** A journal whose commits and reads a test can hold back, or let fail, over one in memory that outlives it. */
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { VakError } from '../../src/shared/base/vak-error.ts';

export interface HeldJournal extends Journal {
  /** Commits that were handed on so far. */
  readonly commitCount: number;
  /** From now on commits wait; the function lets them go. */
  holdCommits(): () => void;
  /** From now on commits are kept, and answered late; the function lets the answers go. */
  holdAnswers(): () => void;
  /** From now on reads of single keys wait; the function lets them go. */
  holdGets(): () => void;
  /** From now on every commit fails so; undefined: no more. */
  failCommits(error: Error | undefined): void;
  /** As a journal is after a refusal. */
  becomeReadOnly(reason: string): void;
}

function createGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

export function createHeldJournal(inner: Journal, givenReason?: string): HeldJournal {
  let readOnlyReason = givenReason;
  let commitsPass = Promise.resolve();
  let answersPass = Promise.resolve();
  let getsPass = Promise.resolve();
  let failure: Error | undefined;
  let commitCount = 0;
  return {
    get readOnlyReason() {
      return readOnlyReason;
    },
    get commitCount() {
      return commitCount;
    },
    async commit(changes) {
      if (readOnlyReason !== undefined) throw new VakError('read-only', readOnlyReason);
      if (failure !== undefined) throw failure;
      commitCount++;
      await commitsPass;
      await inner.commit(changes);
      await answersPass;
    },
    async get(key) {
      await getsPass;
      return inner.get(key);
    },
    entries: (range) => inner.entries(range),
    close: () => inner.close(),
    holdCommits() {
      const gate = createGate();
      commitsPass = gate.passed;
      return gate.open;
    },
    holdAnswers() {
      const gate = createGate();
      answersPass = gate.passed;
      return gate.open;
    },
    holdGets() {
      const gate = createGate();
      getsPass = gate.passed;
      return gate.open;
    },
    failCommits(error) {
      failure = error;
    },
    becomeReadOnly(reason) {
      readOnlyReason = reason;
    },
  };
}
