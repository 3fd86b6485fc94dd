import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Denial } from '../access/denial-log.ts';
import {
  type Acknowledgement,
  createIncidentBook,
  type IncidentBook,
  maxIncidents,
  type RefusedFact,
  type TaskFact,
} from './incident-book.ts';
import type { QueueReading } from './queue-conditions.ts';
import type { Moment } from './standing-condition.ts';

const limits = { lagLimit: 1_000, ageLimitSec: 600, noConsumerSec: 30 };
const start = 1_700_000_000_000;
const at = (ms: number): Moment => ({ nowMs: start + ms, monotonicMs: ms });

function createKit(alerts = limits) {
  const acknowledged = new Map<string, Acknowledgement>();
  const book = createIncidentBook({ alerts: () => alerts, acknowledged: (id) => acknowledged.get(id) });
  return {
    book,
    alerts,
    acknowledge(id: string): void {
      const facts = book.get(id);
      if (facts === undefined) throw new Error(`no incident ${id}`);
      acknowledged.set(id, { mark: facts.mark, atMs: facts.lastMs + 1 });
    },
  };
}

const leafOf = (index: number): string => index.toString(16).padStart(64, '0');
const ids = (book: IncidentBook): string[] => book.list().map(({ id }) => id);
const openIds = (book: IncidentBook): string[] =>
  book
    .list()
    .filter(({ acknowledgedMs }) => acknowledgedMs === null)
    .map(({ id }) => id);

function dead(index: number, more: Partial<TaskFact['failure'] & { queue: string }> = {}): TaskFact {
  const { queue = 'render', ...failure } = more;
  const mark = { atMs: start + index, seq: index };
  const told = { errorClass: 'exit.1', reason: 'no such file', workerId: 'w1', attempts: 4, ...failure };
  return { leaf: leafOf(index), queue, outcome: 'dead', mark, failure: told };
}

const lost = (index: number, queue = 'render'): TaskFact => ({
  leaf: leafOf(index),
  queue,
  outcome: 'lost',
  mark: { atMs: start + index, seq: index },
});
const turned = (task: TaskFact, outcome: TaskFact['outcome']): TaskFact => ({ ...task, outcome });

describe('things that happened', () => {
  test('W7 a task that is gone without a word is an incident of its queue; a later proof takes it back', () => {
    const { book } = createKit();
    book.noteTask(lost(1));
    book.noteTask(lost(2));
    expect(book.list()).toMatchObject([
      { id: 'lost:render', queue: 'render', count: 2, firstMs: start + 1, lastMs: start + 2, isStanding: false },
    ]);
    book.noteTask(turned(lost(1), 'done'));
    expect(book.get('lost:render')?.count).toBe(1);
    book.noteTask(dead(2));
    expect(ids(book)).toEqual(['dead-letters:render:exit.1']);
  });

  test('W3 dead letters are put together by queue and class, with the newest one to show', () => {
    const { book } = createKit();
    book.noteTask(dead(1));
    book.noteTask(dead(3, { reason: 'the newest' }));
    book.noteTask(dead(2));
    book.noteTask(dead(4, { errorClass: 'timeout' }));
    book.noteTask(dead(5, { queue: 'builds' }));
    expect(ids(book)).toEqual([
      'dead-letters:builds:exit.1',
      'dead-letters:render:timeout',
      'dead-letters:render:exit.1',
    ]);
    expect(book.get('dead-letters:render:exit.1')).toMatchObject({
      count: 3,
      firstMs: start + 1,
      lastMs: start + 3,
      detail: { reason: 'the newest', errorClass: 'exit.1' },
    });
  });

  test('W6 a task that finishes late closes its part of the count, and the last one the incident', () => {
    const { book } = createKit();
    for (const index of [1, 2]) book.noteTask(dead(index));
    book.noteTask(turned(dead(1), 'finished-late'));
    expect(book.get('dead-letters:render:exit.1')?.count).toBe(1);
    book.noteTask(turned(dead(2), 'finished-late'));
    expect(ids(book)).toEqual([]);
  });

  test('W3 the same word again changes nothing, and a task whose dead letter changes its class moves', () => {
    const { book } = createKit();
    for (let again = 0; again < 3; again++) book.noteTask(dead(1));
    expect(book.get('dead-letters:render:exit.1')?.count).toBe(1);
    book.noteTask(dead(1, { errorClass: 'timeout' }));
    expect(ids(book)).toEqual(['dead-letters:render:timeout']);
  });

  test('W3 classes that somebody makes up do not fill the list, and their names stay out of ids', () => {
    const { book } = createKit();
    for (let index = 0; index < 300; index++) book.noteTask(dead(index, { errorClass: `\u202e made up ${index}` }));
    expect(book.list().length).toBe(17);
    expect(book.get('dead-letters:render:*')?.count).toBe(284);
    expect(ids(book).every((id) => /^dead-letters:render:(\*|~[0-9a-f]{16})$/.test(id))).toBe(true);
  });

  test('W6 records that do not count are counted by their sort, and taken back when they turn out to count', () => {
    const { book } = createKit();
    const receipt: RefusedFact = {
      ...{ record: 'receipt', count: 3, firstMs: start, why: 'It is signed by nobody.', session: 's1', records: [] },
      mark: { atMs: start + 5, seq: 9 },
    };
    book.noteRefused([receipt]);
    expect(book.list()).toMatchObject([
      { id: 'refused:receipt', count: 3, session: 's1', detail: { kind: 'refused-record', record: 'receipt' } },
    ]);
    book.noteRefused([]);
    expect(ids(book)).toEqual([]);
  });

  test('W8 a verdict that does not count is an incident of approvals', () => {
    const { book } = createKit();
    const base = { count: 1, firstMs: start, why: 'It answers another request.', session: null, records: [] };
    book.noteRefused([{ ...base, record: 'verdict', mark: { atMs: start, seq: 1 } }]);
    expect(book.list()).toMatchObject([{ id: 'refused:verdict', detail: { kind: 'refused-approval' } }]);
  });

  test('A4 what a peer was refused is one incident of that peer, with the newest of it', () => {
    const { book } = createKit();
    const denial = (peer: string, subject: string, lastMs: number, count: number): Denial => ({
      ...{
        peer,
        action: 'publish',
        subject,
        rule: 'A2',
        side: 'engine',
        count,
        firstMs: start,
        lastMs: start + lastMs,
      },
    });
    book.noteDenials([denial('w1', 'a', 5, 2), denial('w1', 'b', 9, 1), denial('w2', 'c', 1, 1)]);
    expect(book.list()).toMatchObject([
      { id: 'denied:w1', count: 3, lastMs: start + 9, detail: { subject: 'b' } },
      { id: 'denied:w2', count: 1 },
    ]);
    // The log keeps the newest alone: what it has forgotten did happen.
    book.noteDenials([denial('w1', 'd', 12, 1)]);
    expect(book.get('denied:w1')).toMatchObject({ count: 3, lastMs: start + 12, detail: { subject: 'd' } });
  });
});

describe('acknowledging', () => {
  test('W7 what comes after an acknowledgement opens the incident again, however many were taken back meanwhile', () => {
    const { book, acknowledge } = createKit();
    for (const index of [1, 2, 3]) book.noteTask(dead(index));
    acknowledge('dead-letters:render:exit.1');
    expect(openIds(book)).toEqual([]);
    expect(book.list()).toHaveLength(1);
    book.noteTask(turned(dead(1), 'finished-late'));
    book.noteTask(dead(2));
    expect(openIds(book)).toEqual([]);
    book.noteTask(dead(4));
    expect(openIds(book)).toEqual(['dead-letters:render:exit.1']);
    expect(book.get('dead-letters:render:exit.1')?.count).toBe(3);
  });

  test('W7 of two things of one millisecond the second one is news', () => {
    const { book, acknowledge } = createKit();
    const second = { ...lost(1), leaf: leafOf(2), mark: { atMs: start + 1, seq: 2 } };
    book.noteTask(lost(1));
    acknowledge('lost:render');
    book.noteTask(second);
    expect(openIds(book)).toEqual(['lost:render']);
  });

  test('W7 an older thing that becomes known later is no news, whatever the order', () => {
    const { book, acknowledge } = createKit();
    book.noteTask(dead(5));
    acknowledge('dead-letters:render:exit.1');
    book.noteTask(dead(4));
    expect(openIds(book)).toEqual([]);
    expect(book.get('dead-letters:render:exit.1')).toMatchObject({ count: 2, firstMs: start + 4, lastMs: start + 5 });
  });

  test('product.md acknowledged ones stand behind those that are open', () => {
    const { book, acknowledge } = createKit();
    book.noteTask(dead(1));
    book.noteTask(lost(2));
    acknowledge('lost:render');
    expect(ids(book)).toEqual(['dead-letters:render:exit.1', 'lost:render']);
  });
});

function queue(more: Partial<QueueReading>): QueueReading {
  const { pendingCount = 0, inFlightCount = 0 } = more;
  return {
    ...{ queue: 'render', pendingCount, inFlightCount, lag: pendingCount + inFlightCount, oldestMs: null },
    ...{ inPerSec: 0, outPerSec: 0, health: 'ok', healthSinceMs: start, paused: null },
    ...more,
  };
}

/** One look a second for so long. */
function watch(book: IncidentBook, reading: (ms: number) => QueueReading, fromMs: number, untilMs: number): void {
  for (let ms = fromMs; ms <= untilMs; ms += 1_000) book.noteQueues([reading(ms)], at(ms));
}

describe('conditions of queues', () => {
  test('W9 a lag over the limit stands after 5 s, and is over after 10 s below 80 % of it', () => {
    const { book } = createKit();
    const busy = () => queue({ pendingCount: 1_200 });
    watch(book, busy, 0, 4_000);
    expect(ids(book)).toEqual([]);
    watch(book, busy, 5_000, 8_000);
    expect(book.list()).toMatchObject([{ id: 'lag:render', count: 1_200, isStanding: true, firstMs: start }]);
    watch(book, () => queue({ pendingCount: 900 }), 9_000, 60_000);
    expect(ids(book)).toEqual(['lag:render']);
    watch(book, () => queue({ pendingCount: 700 }), 61_000, 70_000);
    expect(ids(book)).toEqual(['lag:render']);
    watch(book, () => queue({ pendingCount: 700 }), 71_000, 71_000);
    expect(ids(book)).toEqual([]);
  });

  test('W9 no flapping: a lag that swings about the limit is one incident, not thirty', () => {
    const { book } = createKit();
    watch(book, () => queue({ pendingCount: 1_200 }), 0, 6_000);
    let changes = 0;
    let before = 1;
    for (let ms = 7_000; ms < 67_000; ms += 1_000) {
      book.noteQueues([queue({ pendingCount: (ms / 1_000) % 2 === 0 ? 700 : 1_100 })], at(ms));
      if (book.list().length !== before) changes++;
      before = book.list().length;
    }
    expect(changes).toBe(0);
  });

  test('W9 nobody claims: after the seconds of the setting, since when nobody did', () => {
    const { book } = createKit();
    const idle = () => queue({ pendingCount: 4, health: 'no-consumer', healthSinceMs: start + 2_000 });
    watch(book, idle, 5_000, 31_000);
    expect(ids(book)).toEqual([]);
    watch(book, idle, 32_000, 32_000);
    expect(book.list()).toMatchObject([{ id: 'no-consumer:render', count: 4, firstMs: start + 2_000 }]);
    watch(book, () => queue({ pendingCount: 3, inFlightCount: 1 }), 33_000, 43_000);
    expect(ids(book)).toEqual([]);
  });

  test('W9 a queue that is stuck, and a task that is too old', () => {
    const { book } = createKit();
    const old = () =>
      queue({ pendingCount: 3, inFlightCount: 2, health: 'stuck', healthSinceMs: start, oldestMs: start - 700_000 });
    watch(book, old, 0, 6_000);
    expect(book.list()).toMatchObject([
      { id: 'stuck:render', count: 2 },
      { id: 'age:render', count: 5, detail: { ageMs: 706_000, limitMs: 600_000 } },
    ]);
  });

  test('W9 a paused queue is none that nobody works on, and its lag says so', () => {
    const { book } = createKit();
    watch(
      book,
      () => queue({ pendingCount: 2_000, health: 'paused', paused: { by: 'ada', sinceMs: start } }),
      ...([0, 60_000] as const),
    );
    expect(book.list()).toMatchObject([{ id: 'lag:render', detail: { isPaused: true } }]);
  });

  test('W9 a limit of 0 is none, at once', () => {
    const { book, alerts } = createKit({ ...limits });
    watch(book, () => queue({ pendingCount: 1_200 }), 0, 6_000);
    alerts.lagLimit = 0;
    watch(book, () => queue({ pendingCount: 1_200 }), 7_000, 7_000);
    expect(ids(book)).toEqual([]);
  });

  test('W9 what could not be read neither begins nor ends anything; a queue that is gone has no condition', () => {
    const { book } = createKit();
    const busy = () => queue({ pendingCount: 1_200 });
    watch(book, busy, 0, 4_000);
    book.noteUnread();
    watch(book, busy, 60_000, 64_000);
    expect(ids(book)).toEqual([]);
    watch(book, busy, 65_000, 65_000);
    book.noteUnread();
    expect(ids(book)).toEqual(['lag:render']);
    book.noteQueues([], at(66_000));
    expect(ids(book)).toEqual([]);
  });

  test('W3 a supervisor that has failed stands until it runs', () => {
    const { book } = createKit();
    book.noteSupervisor({ kind: 'failed', why: 'no grant' }, at(0));
    book.noteSupervisor({ kind: 'failed', why: 'no grant' }, at(9_000));
    expect(book.list()).toMatchObject([{ id: 'supervisor', firstMs: start, isStanding: true }]);
    book.noteSupervisor({ kind: 'running', why: null }, at(10_000));
    expect(ids(book)).toEqual([]);
  });
});

describe('bounds and order', () => {
  test('product.md the worst comes first, then the latest', () => {
    const { book } = createKit();
    watch(book, () => queue({ pendingCount: 2_000, oldestMs: start - 700_000 }), 0, 6_000);
    book.noteTask(dead(1));
    book.noteTask(dead(2, { queue: 'builds' }));
    book.noteTask(lost(3));
    book.noteSupervisor({ kind: 'failed', why: null }, at(0));
    expect(ids(book)).toEqual([
      ...['lost:render', 'supervisor', 'dead-letters:builds:exit.1', 'dead-letters:render:exit.1'],
      ...['age:render', 'lag:render'],
    ]);
  });

  test('W7 however many queues fail, a loss is not pushed out', () => {
    const { book } = createKit();
    book.noteTask(lost(0));
    for (let index = 1; index <= 500; index++) book.noteTask(dead(index, { queue: `q${index}` }));
    expect(book.list()).toHaveLength(maxIncidents);
    expect(ids(book)[0]).toBe('lost:render');
    expect(ids(book)).toContain('dead-letters:q500:exit.1');
    expect(ids(book)).not.toContain('dead-letters:q1:exit.1');
  });

  test('W7 the counts are what is true of the tasks now, whatever was said before and in which order', () => {
    const said = fc.record({
      task: fc.nat({ max: 12 }),
      outcome: fc.constantFrom<TaskFact['outcome']>('queued', 'retrying', 'done', 'dead', 'finished-late', 'lost'),
      errorClass: fc.constantFrom('exit.1', 'timeout'),
    });
    fc.assert(
      fc.property(fc.array(said, { maxLength: 80 }), (words) => {
        const { book } = createKit();
        const now = new Map<number, string>();
        for (const { task, outcome, errorClass } of words) {
          book.noteTask({ ...dead(task, { errorClass }), outcome });
          now.set(
            task,
            outcome === 'dead' ? `dead-letters:render:${errorClass}` : outcome === 'lost' ? 'lost:render' : '',
          );
        }
        const wanted = new Map<string, number>();
        for (const id of now.values()) if (id !== '') wanted.set(id, (wanted.get(id) ?? 0) + 1);
        expect(new Map(book.list().map(({ id, count }) => [id, count]))).toEqual(wanted);
      }),
    );
  });
});
