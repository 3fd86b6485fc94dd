import { describe, expect, it } from 'vitest';
import { packMarks } from '../../../shared/protocol/trust-marks.ts';
import { createLiveBuffer } from '../../state/live-buffer.ts';
import { checkPauseMs, createRowChecks, maxAskedRows } from './row-checks.ts';
import { createTableScroll, rowPx } from './table-scroll.ts';

const marksOf = (signature: 'unchecked' | 'valid' | 'invalid' | 'unsigned'): number =>
  packMarks({ seal: 'sealed', signature, chain: 'ok', isRefused: false });
const unchecked = marksOf('unchecked');

/** Lets every promise that is settled now tell whoever waits for it. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

/** A table of ten rows with a clock that is moved by hand. */
function setUp(rowsInSight = 10) {
  const buffer = createLiveBuffer(1000);
  const scroll = createTableScroll(buffer);
  scroll.setHeight(rowsInSight * rowPx);
  let nowMs = 0;
  let timers: { atMs: number; run: () => void }[] = [];
  const questions: { seqs: readonly number[]; atMs: number; answer: (marks: readonly number[]) => Promise<void> }[] =
    [];
  let fail: (error: Error) => void = () => {};
  let onVersion = (): void => {};
  let signal: AbortSignal | undefined;
  const checks = createRowChecks({
    model: {
      buffer,
      scroll,
      subscribe: (listener) => {
        onVersion = listener;
        return () => {
          onVersion = () => {};
        };
      },
      learn: (seq, marks) => void buffer.setMarks(seq, marks),
    },
    check: (seqs, asked) =>
      new Promise((resolve, reject) => {
        signal = asked;
        fail = reject;
        const answer = async (marks: readonly number[]): Promise<void> => {
          resolve({ marks });
          await settle();
        };
        questions.push({ seqs, atMs: nowMs, answer });
      }),
    after: (ms, run) => {
      const timer = { atMs: nowMs + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  });
  return {
    buffer,
    scroll,
    checks,
    questions,
    signal: () => signal,
    timerCount: () => timers.length,
    version: () => onVersion(),
    fail: async () => {
      fail(new Error('no'));
      await settle();
    },
    /** Rows of the seqs `from` to `to`, drawn at once. */
    add(from: number, to: number, marks = unchecked) {
      const seq = Array.from({ length: to - from + 1 }, (_, at) => from + at);
      const each = <T>(value: T): T[] => seq.map(() => value);
      buffer.append({
        seq,
        atMs: each(0),
        subjects: ['s'],
        subjectIndex: each(0),
        peers: [],
        peerIndex: each(-1),
        sizeBytes: each(1),
        preview: each(''),
        marks: each(marks),
        dropped: 0,
        scannedSeq: to,
      });
      scroll.settle();
      onVersion();
    },
    pass(ms: number) {
      const until = nowMs + ms;
      for (;;) {
        const next = timers.filter(({ atMs }) => atMs <= until).toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        nowMs = next.atMs;
        timers = timers.filter((timer) => timer !== next);
        next.run();
      }
      nowMs = until;
    },
  };
}

describe('E13 signatures of the rows in sight', () => {
  it('E13 asks after a pause for the rows in sight that are unchecked, and puts the answers into the table', async () => {
    const table = setUp();
    table.add(1, 2, marksOf('unsigned'));
    table.add(3, 10);
    table.pass(checkPauseMs - 1);
    expect(table.questions).toEqual([]);
    table.pass(1);
    expect(table.questions.map(({ seqs }) => seqs)).toEqual([[3, 4, 5, 6, 7, 8, 9, 10]]);
    await table.questions[0]?.answer([marksOf('invalid'), ...Array.from({ length: 7 }, () => marksOf('valid'))]);
    expect([3, 4, 10].map((seq) => table.buffer.rowAt(table.buffer.findSeq(seq))?.marks)).toEqual([
      marksOf('invalid'),
      marksOf('valid'),
      marksOf('valid'),
    ]);
  });

  it('does not ask for rows that run through, and asks when they stand', () => {
    const table = setUp();
    let seq = 1;
    for (let turn = 0; turn < 20; turn++) {
      table.add(seq, seq + 19);
      seq += 20;
      table.pass(50);
    }
    expect(table.questions).toEqual([]);
    table.pass(2 * checkPauseMs);
    expect(table.questions.map(({ seqs }) => seqs.at(-1))).toEqual([400]);
  });

  it('asks at most once in a pause while a detached table is scrolled, one question at a time', async () => {
    const table = setUp();
    table.add(1, 500);
    table.scroll.scrollTo(100 * rowPx);
    for (let turn = 0; turn < 30; turn++) {
      table.scroll.scrollBy(-2 * rowPx);
      table.version();
      table.pass(20);
    }
    expect(table.questions).toHaveLength(1);
    await table.questions[0]?.answer(table.questions[0].seqs.map(() => marksOf('valid')));
    table.pass(checkPauseMs);
    expect(table.questions).toHaveLength(2);
    const [first, second] = table.questions;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(checkPauseMs);
  });

  it.each(['answered in vain', 'failed'])(
    'a question that was %s is not asked again while its rows stay',
    async (how) => {
      const table = setUp();
      table.add(1, 10);
      table.pass(checkPauseMs);
      if (how === 'failed') await table.fail();
      else await table.questions[0]?.answer(Array.from({ length: 10 }, () => unchecked));
      for (let turn = 0; turn < 20; turn++) {
        table.version();
        table.pass(checkPauseMs);
      }
      expect([table.questions.length, table.timerCount()]).toEqual([1, 0]);
      table.add(11, 40, marksOf('valid'));
      table.version();
      table.scroll.scrollTo(0);
      table.version();
      table.pass(checkPauseMs);
      expect(table.questions).toHaveLength(2);
    },
  );

  it('a row that has left the engine’s buffer is never asked for again, nor is any before it', async () => {
    const table = setUp();
    table.add(1, 10);
    table.pass(checkPauseMs);
    await table.questions[0]?.answer([-1, -1, -1, -1, -1, ...Array.from({ length: 5 }, () => marksOf('valid'))]);
    table.add(11, 40, marksOf('valid'));
    table.version();
    table.scroll.scrollTo(0);
    table.version();
    table.pass(10 * checkPauseMs);
    expect([table.questions.length, table.timerCount()]).toEqual([1, 0]);
  });

  it('asks for no more rows at once than the engine takes, and for the rest behind the answer', async () => {
    const table = setUp(200);
    table.add(1, 200);
    table.pass(checkPauseMs);
    expect(table.questions[0]?.seqs).toHaveLength(maxAskedRows);
    await table.questions[0]?.answer(Array.from({ length: maxAskedRows }, () => marksOf('valid')));
    table.pass(checkPauseMs);
    expect(table.questions[1]?.seqs).toHaveLength(200 - maxAskedRows);
  });

  it('asks nothing and takes nothing once it is disposed', async () => {
    const table = setUp();
    table.add(1, 10);
    table.pass(checkPauseMs);
    table.checks.dispose();
    await table.questions[0]?.answer(Array.from({ length: 10 }, () => marksOf('valid')));
    table.add(11, 20);
    table.pass(10 * checkPauseMs);
    expect([table.signal()?.aborted, table.questions.length, table.buffer.rowAt(0)?.marks]).toEqual([
      true,
      1,
      unchecked,
    ]);
  });
});
