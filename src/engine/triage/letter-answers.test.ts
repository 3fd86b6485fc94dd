import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createLetterAnswers } from './letter-answers.ts';
import { createLetterBook, type SaidDeath } from './letter-book.ts';
import { createLetterLedger } from './letter-ledger.ts';
import { historyParts } from './letter-query.ts';
import { trendOf } from './letter-rows.ts';

const clock = createFakeClock(Date.parse('2026-03-01T12:00:00Z'));
const at = (hoursAgo: number): string => new Date(clock.now() - hoursAgo * 3_600_000).toISOString();
const death = (seq: number, more: Partial<SaidDeath> = {}): SaidDeath => ({
  ...{ seq, id: `letter-${seq}`, storedMs: clock.now(), failedAt: at(1), queue: 'q', envelopeId: `task-${seq}` },
  ...{ taskLeaf: `${seq}`, type: 'vak.work.task', key: null, workerId: 'w1', by: 'w1', errorClass: 'exit.1' },
  ...{ reason: 'no route to host', attempts: 1, ...more },
});

function open(deaths: readonly SaidDeath[], capacity = 1_000) {
  const book = createLetterBook(capacity);
  for (const one of deaths) book.note(one);
  const ledger = createLetterLedger({ book });
  let version = 0;
  const letters = {
    ...{ book, ledger, receiptPlaces: () => [] },
    ...{ saidOf: () => undefined, version: () => version + book.version() + ledger.version() },
  };
  const closed = { kind: 'unknown-secret', why: 'There is no secret s9 here.', culprit: null } as const;
  const opener = { whyClosed: (keyId: string) => (keyId.startsWith('s9') ? closed : undefined) };
  const answers = createLetterAnswers({ letters: () => letters, opener, clock });
  const seqs = (filter: string): number[] =>
    answers.page({ filter, fromIndex: 0, limit: 100 }).rows.map(({ seq }) => seq);
  const archive = (seq: number, operationId = 'op', action = 'dlq.archive') =>
    ledger.noteAction({
      ...{
        seq: ++version,
        storedMs: 0,
        by: 'o',
        operationId,
        action,
        scope: '',
        outcome: 'archived',
      },
      ...{ reason: null, places: [[seq, seq]], task: null, fingerprint: null },
    });
  return { book, answers, seqs, archive };
}

test('D12 a filter finds letters by every field, by words, and by what must not be so; what is archived only if it is asked for', () => {
  const { seqs, archive, answers } = open([
    death(1, { failedAt: at(50), errorClass: 'TimeoutError' }),
    death(2, { queue: 'to-pay', attempts: 4 }),
    death(3, { workerId: 'w2', reason: 'disk full', stack: 'RangeError: x\n    at grow (/srv/app/dist/sheet.js:3:1)' }),
    death(4, { type: 'other.type' }),
    death(5, {}),
  ]);
  archive(5);
  const cases: [string, number[]][] = [
    ['', [4, 3, 2, 1]],
    ['error:timeouterror', [1]],
    ['error:timeout', []],
    ['error:exit', [4, 3, 2]],
    ['error:rangeerror', [3]],
    ['queue:TO-PAY', [2]],
    ['queue:to', []],
    ['worker:w2', [3]],
    ['type:other', [4]],
    ['attempts>1', [2]],
    ['attempts:1 -worker:w2', [4, 1]],
    ['after:2d', [4, 3, 2]],
    ['before:2d', [1]],
    ['"no route" -queue:to-pay', [4, 1]],
    ['sheet.js', [3]],
    ['task-4', [4]],
    ['state:archived', [5]],
    ['state:open error:TimeoutError', [1]],
  ];
  for (const [filter, wanted] of cases) expect([filter, seqs(filter)]).toEqual([filter, wanted]);
  const wrong = answers.page({ filter: 'size>3', fromIndex: 0, limit: 10 });
  expect([wrong.rows, wrong.matchingCount, wrong.faults]).toMatchObject([[], 0, [{ from: 0, to: 6 }]]);
  const cause = answers.page({ filter: 'worker:w2', fromIndex: 0, limit: 1 }).rows[0]?.fingerprint ?? '';
  expect(seqs(`cause:${cause.slice(0, 8)}`)).toEqual([3]);
  expect(answers.page({ filter: '', fromIndex: 1, limit: 2 })).toMatchObject({
    ...{ matchingCount: 4, allCount: 5, rows: [{ seq: 3 }, { seq: 2 }] },
  });
});

test('D12 groups add up, those with the most open letters first, with their history', () => {
  const { answers, archive } = open([
    death(1, { failedAt: at(24) }),
    death(2, { failedAt: at(1) }),
    death(3, { failedAt: at(0), reason: 'disk full' }),
    death(4, { queue: 'other', reason: 'no route to host' }),
  ]);
  archive(1);
  const asked = { filter: 'state:open', by: 'cause', limit: 1 } as const;
  const found = answers.groups(asked);
  expect(found).toMatchObject({ matchingCount: 3, allCount: 4, leftOutCount: 1 });
  expect(found.groups).toMatchObject([
    { title: 'no route to host', totalCount: 2, queues: ['other', 'q'], newestSeq: 4 },
  ]);
  const [all] = answers.groups({ ...asked, filter: '-state:resolved' }).groups;
  expect(all?.counts).toEqual({ open: 2, retrying: 0, resolved: 0, 'failed-again': 0, archived: 1 });
  expect(all?.history).toHaveLength(historyParts);
  expect([all?.history[0], all?.history.at(-1), all?.history.reduce((a, b) => a + b, 0)]).toEqual([1, 2, 3]);
  expect(answers.groups({ filter: '', by: 'queue', limit: 9 }).groups.map(({ key }) => key)).toEqual(['q', 'other']);
  expect(answers.totals()).toMatchObject({ counts: { open: 3, archived: 1 }, groupCount: 2, openGroupCount: 2 });
});

test('D12 a trend needs more than a few letters', () => {
  const parts = (before: number, after: number): number[] => [
    ...new Array<number>(12).fill(0),
    ...[before, after].flatMap((n) => [n, 0, 0, 0, 0, 0]),
  ];
  expect([trendOf(parts(1, 3)), trendOf(parts(0, 3)), trendOf(parts(9, 3)), trendOf(parts(10, 12))]).toEqual([
    ...['steady', 'rising', 'falling', 'steady'],
  ]);
});

test('D6 what cannot be opened is left out of a retry, with its reason', () => {
  const { answers, book } = open([
    death(1, { envelopeId: null }),
    death(2, { key: { keyId: 's9.carla.20260101.x', peer: 'carla' } }),
    death(3, { key: { keyId: 's1.carla.20260101.x', peer: 'carla' } }),
  ]);
  const whys = book.all().map((letter) => answers.whyLeftOut(letter, 'retry') ?? null);
  expect(whys).toEqual([null, 'There is no secret s9 here.', expect.stringContaining('no envelope')]);
  expect(book.all().map((letter) => answers.whyLeftOut(letter, 'export') ?? null)).toEqual([null, null, null]);
});

test('D5 an archive is undone by its operation: what it archived, and not what was archived before or restored since', () => {
  const { answers, archive } = open([death(1), death(2), death(3), death(4)]);
  archive(1, 'before');
  for (const seq of [2, 3, 4]) archive(seq, 'last');
  archive(3, 'restoring', 'dlq.restore');
  archive(4, 'restoring', 'dlq.restore');
  archive(4, 'other');
  const chosen = answers.select({ archivedBy: 'last' });
  expect(chosen).toMatchObject({ allCount: 4, unknownCount: 0, scope: 'what operation last archived' });
  expect(chosen.letters.map(({ seq }) => seq)).toEqual([2]);
});

test('D2 a book holds so many letters: the oldest give way and are counted, whatever is late stands at its place', () => {
  const { book, seqs } = open([], 100);
  for (let seq = 2; seq <= 131; seq += 2) book.note(death(seq));
  for (let seq = 1; seq <= 131; seq += 2) book.note(death(seq));
  expect(book.size()).toBeLessThanOrEqual(110);
  expect(book.size() + book.forgottenCount()).toBe(131);
  const places = book.all().map(({ seq }) => seq);
  expect(places).toEqual(places.toSorted((a, b) => b - a));
  expect([book.newestSeq(), seqs('')[0]]).toEqual([131, 131]);
  const gone = (places.at(-1) ?? 0) - 1;
  expect([book.get(gone), book.ofId(`letter-${gone}`), book.ofTask(`task-${gone}`)]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(book.note(death(gone))).toBeUndefined();
  book.amend(131, { type: 'new.type', key: { keyId: 'k', peer: 'p' } });
  expect([book.get(131), book.all()[0], book.ofTask('task-131')[0]]).toMatchObject(
    Array.from({ length: 3 }, () => ({ type: 'new.type', isSealed: true })),
  );
});
