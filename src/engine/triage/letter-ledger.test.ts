import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLetterBook, type LetterEntry } from './letter-book.ts';
import { createLetterLedger, type LetterLedger } from './letter-ledger.ts';
import type { SaidAction } from './letter-records.ts';

const leaf = (at: number): string => at.toString(16).padStart(64, '0');
const id = (at: number): string => `0197a3c0-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;

/** Letters at 1 … count, of tasks 101 …; `failed`: one more for each, of the task of a retry, with its error class. */
function bookOf(count: number, failed: Readonly<Record<number, string>> = {}) {
  const book = createLetterBook(1_000);
  const note = (seq: number, task: number, errorClass: string) =>
    book.note({
      ...{
        seq,
        id: id(1_000 + seq),
        storedMs: seq,
        failedAt: '2026-01-01T00:00:00Z',
        queue: 'q',
        envelopeId: id(task),
      },
      ...{ taskLeaf: leaf(task), type: null, key: null, workerId: 'w', by: 'w', errorClass, reason: 'no', attempts: 1 },
    });
  for (let seq = 1; seq <= count; seq++) note(seq, 100 + seq, 'exit.1');
  let next = count;
  for (const [task, errorClass] of Object.entries(failed)) note(++next, Number(task), errorClass);
  return book;
}

let place = 0;
const action = (more: Partial<SaidAction>): SaidAction => ({
  ...{
    seq: ++place,
    storedMs: place,
    by: 'olga',
    operationId: 'op',
    action: 'dlq.retry',
    outcome: 'published',
    scope: '',
  },
  ...{ reason: null, places: [[1, 1]], task: { taskId: id(201), taskLeaf: leaf(201), queue: 'q' }, fingerprint: null },
  ...more,
});
const done = (task: number, isDone = true) => ({ taskId: id(task), taskLeaf: leaf(task), queue: 'q', isDone });
const entry = (book: ReturnType<typeof bookOf>, seq = 1): LetterEntry => book.get(seq) as LetterEntry;

function stateAfter(tell: (ledger: LetterLedger) => void, failed: Readonly<Record<number, string>> = {}) {
  const book = bookOf(1, failed);
  const ledger = createLetterLedger({ book });
  tell(ledger);
  return [ledger.stateOf(entry(book)), ledger.retriesOf(1).map(({ outcome }) => outcome)];
}

test('D3 a letter is what the last thing that came of it says', () => {
  const saidOfRetry = (outcome: string, more: Partial<SaidAction> = {}) => action({ outcome, ...more });
  const tried = (isDone: boolean) => (ledger: LetterLedger) => {
    ledger.noteAction(saidOfRetry('published'));
    ledger.noteOutcome(done(201, isDone));
  };
  const cases: [string, (ledger: LetterLedger) => void, unknown, Record<number, string>?][] = [
    ['nothing was done', () => {}, ['open', []]],
    ['frozen, not begun', (l) => l.noteAction(saidOfRetry('begun', { task: null })), ['open', []]],
    ['not acknowledged', (l) => l.noteAction(saidOfRetry('unanswered')), ['open', ['unanswered']]],
    ['refused', (l) => l.noteAction(saidOfRetry('refused')), ['open', ['refused']]],
    ['stored', (l) => l.noteAction(saidOfRetry('published')), ['retrying', ['published']]],
    ['lost', (l) => l.noteAction(saidOfRetry('lost')), ['open', ['lost']]],
    ['done by its record', (l) => l.noteAction(saidOfRetry('done')), ['resolved', ['done']]],
    ['failed by its record', (l) => l.noteAction(saidOfRetry('failed-new')), ['failed-again', ['failed-new']]],
    ['finished late', (l) => l.noteOutcome(done(101)), ['resolved', []]],
    ['another task is done', (l) => l.noteOutcome(done(102)), ['open', []]],
    ['an attempt failed', tried(false), ['retrying', ['claimed']]],
    ['its receipt says done', tried(true), ['resolved', ['done']]],
    [
      'dead in the same way',
      (l) => l.noteAction(saidOfRetry('published')),
      ['failed-again', ['failed-same']],
      { 201: 'exit.1' },
    ],
    [
      'dead in another way',
      (l) => l.noteAction(saidOfRetry('published')),
      ['failed-again', ['failed-new']],
      { 201: 'exit.2' },
    ],
    ['dead, then done', tried(true), ['resolved', ['done']], { 201: 'exit.1' }],
    [
      'archived',
      (l) => l.noteAction(action({ action: 'dlq.archive', outcome: 'archived', task: null })),
      ['archived', []],
    ],
    [
      'a second retry that was not acknowledged changes nothing',
      (l) => {
        l.noteAction(saidOfRetry('failed-same'));
        l.noteAction(saidOfRetry('unanswered', { task: { taskId: id(202), taskLeaf: null, queue: 'q' } }));
      },
      ['failed-again', ['unanswered', 'failed-same']],
    ],
  ];
  for (const [name, tell, wanted, failed] of cases) expect([name, stateAfter(tell, failed)]).toEqual([name, wanted]);
});

test('D3 the order in which things become known changes nothing', () => {
  const outcomes = ['requested', 'published', 'unanswered', 'failed-same', 'lost', 'begun'] as const;
  const told = fc.array(
    fc.record({
      letter: fc.integer({ min: 1, max: 3 }),
      task: fc.integer({ min: 201, max: 204 }),
      outcome: fc.constantFrom(...outcomes),
      what: fc.constantFrom('dlq.retry', 'dlq.edit', 'dlq.archive', 'dlq.restore', 'dlq.read'),
      isDone: fc.option(fc.boolean(), { nil: undefined }),
    }),
    { maxLength: 12 },
  );
  const gen = told.chain((list) =>
    fc.tuple(
      fc.constant(list),
      fc.shuffledSubarray(
        list.map((_, at) => at),
        { minLength: list.length },
      ),
    ),
  );
  fc.assert(
    fc.property(gen, ([list, order]) => {
      const all = list.map(({ letter, task, outcome, what, isDone }, at) => (ledger: LetterLedger) => {
        const isTask = what === 'dlq.retry' || what === 'dlq.edit';
        ledger.noteAction(
          action({
            ...{ seq: at + 1, storedMs: at, places: [[letter, letter]], outcome, action: what },
            task: isTask ? { taskId: id(task), taskLeaf: leaf(task), queue: 'q' } : null,
          }),
        );
        if (isDone !== undefined) ledger.noteOutcome(done(task, isDone));
      });
      const [one, other] = [list.map((_, at) => at), order].map((places) => {
        const book = bookOf(3, { 203: 'exit.9' });
        const ledger = createLetterLedger({ book });
        for (const at of places) all[at]?.(ledger);
        return [1, 2, 3].map((seq) => [ledger.stateOf(entry(book, seq)), ledger.retriesOf(seq), ledger.auditOf(seq)]);
      });
      expect(other).toEqual(one);
    }),
    { numRuns: 200 },
  );
});

test('D5 of archive and restore the later record counts, for the letters that it names', () => {
  const book = bookOf(3);
  const ledger = createLetterLedger({ book });
  const archive = action({ seq: 50, action: 'dlq.archive', outcome: 'archived', task: null, places: [[1, 2]] });
  const restore = action({ seq: 51, action: 'dlq.restore', outcome: 'restored', task: null, places: [[2, 2]] });
  ledger.noteAction(restore);
  ledger.noteAction(archive);
  ledger.noteAction(archive);
  expect([1, 2, 3].map((seq) => ledger.stateOf(entry(book, seq)))).toEqual(['archived', 'open', 'open']);
  expect(ledger.auditOf(2).map(({ outcome }) => outcome)).toEqual(['restored', 'archived']);
});

test('D5 what is remembered of one letter is bounded, and the newest stays', () => {
  const book = bookOf(1);
  const ledger = createLetterLedger({ book });
  for (let at = 0; at < 400; at++) {
    ledger.noteAction(action({ seq: 1_000 + at, action: 'dlq.read', task: null, operationId: `op-${at}` }));
  }
  expect(ledger.auditOf(1)).toHaveLength(256);
  expect(ledger.auditOf(1)[0]?.operationId).toBe('op-399');
});

test('D8 that an operation was cancelled stands in the audit of its letters, by whom and why', () => {
  const book = bookOf(2);
  const ledger = createLetterLedger({ book });
  ledger.noteAction(action({ outcome: 'begun', task: null, places: [[1, 1]] }));
  ledger.noteAction(
    action({ action: 'dlq.cancel', outcome: 'requested', by: 'otto', reason: 'no', task: null, places: [] }),
  );
  expect(ledger.auditOf(1).map(({ by, action: what }) => `${by} ${what}`)).toEqual([
    'otto dlq.cancel',
    'olga dlq.retry',
  ]);
  expect(ledger.auditOf(2)).toEqual([]);
});
