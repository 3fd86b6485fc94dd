import { beforeEach, describe, expect, test } from 'vitest';
import { createHeldJournal } from '../../../tests/support/held-journal.ts';
import {
  advance,
  codeOf,
  createOutboxParts,
  failing,
  minute,
  type OutboxParts,
  openTestOutbox,
  outboxEntry,
  receiptSubject,
  settle,
  storedTexts,
  taskSubject,
  textOf,
} from '../../../tests/support/outbox-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import type { Outbox, OutboxDelivery } from './outbox.ts';
import { numberKey } from './outbox-records.ts';

let parts: OutboxParts;
let outbox: Outbox;

beforeEach(async () => {
  parts = createOutboxParts(createMemoryJournal());
  outbox = await openTestOutbox(parts);
});

const texts = (): string[] => storedTexts(parts);

async function reopen(): Promise<void> {
  await outbox.close();
  outbox = await openTestOutbox(parts);
}

describe('B8 the outbox sends', () => {
  test('B8 what was put is stored under its id, and leaves the outbox', async () => {
    const told: OutboxDelivery[] = [];
    outbox.onDelivered((delivery) => told.push(delivery));
    const put = outbox.put(outboxEntry(0));
    const settled = outbox.settled(textOf(0));
    await put;
    expect(await settled).toEqual({ stream: 'VAK_WORK_acme', seq: 1, isDuplicate: false });
    await settle(parts.clock);
    expect(parts.played.all()).toMatchObject([{ subject: taskSubject, messageId: textOf(0), data: utf8(textOf(0)) }]);
    expect(told).toMatchObject([{ messageId: textOf(0), seq: 0, appended: { seq: 1 } }]);
    expect(outbox.waiting()).toMatchObject({ count: 0, bytes: 0, sourceCount: 0, oldestMs: undefined });
    expect(await codeOf(outbox.settled(textOf(0)))).toBe('not-found');
    await outbox.close();
    expect(parts.clock.timerCount).toBe(0);
  });

  test('B8 put resolves when it is on disk, and nothing is sent before that', async () => {
    const journal = createHeldJournal(parts.journal);
    const held = await openTestOutbox({ ...parts, journal });
    const letGo = journal.holdCommits();
    let isKept = false;
    const put = held.put(outboxEntry(0)).then(() => {
      isKept = true;
    });
    parts.status.set('connected');
    await settle(parts.clock);
    expect([isKept, parts.played.appends.length]).toEqual([false, 0]);
    letGo();
    await put;
    await settle(parts.clock);
    expect(texts()).toEqual([textOf(0)]);
  });

  test('B8 it is noted as sent before it is sent for the first time', async () => {
    let marks: (Uint8Array | undefined)[] = [];
    parts.played.play = () => {
      void parts.journal.get(numberKey('mark', 0)).then((mark) => marks.push(mark));
      return undefined;
    };
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    expect(marks.map((mark) => mark !== undefined)).toEqual([true]);
    marks = [await parts.journal.get(numberKey('mark', 0)), await parts.journal.get(numberKey('entry', 0))];
    expect(marks).toEqual([undefined, undefined]);
  });

  test('B8 one after the other in a source, while another source goes on', async () => {
    const other = 'vak://acme/ada/ada-1-d';
    parts.played.play = (subject) => (subject === taskSubject ? failing('timeout')() : undefined);
    for (const seq of [0, 1, 2]) await outbox.put(outboxEntry(seq));
    for (const seq of [0, 1]) await outbox.put(outboxEntry(seq, { source: other, subject: receiptSubject }));
    await advance(parts.clock, 5000);
    expect(texts()).toEqual([textOf(0, other), textOf(1, other)]);
    expect(new Set(parts.played.appends.map(({ messageId }) => messageId))).not.toContain(textOf(1));
    expect(outbox.waiting()).toMatchObject({ count: 3, sourceCount: 1, lastError: { code: 'timeout' } });
    parts.played.play = undefined;
    await advance(parts.clock, 31_000);
    expect(texts().slice(2)).toEqual([textOf(0), textOf(1), textOf(2)]);
  });

  test('B8 at most 32 sources are under way, and all get their turn', async () => {
    let underWay = 0;
    const most: number[] = [];
    const { append } = parts.played.plane;
    Object.assign(parts.played.plane, {
      async append(...given: Parameters<typeof append>) {
        most.push(++underWay);
        await new Promise<void>((resolve) => setImmediate(resolve));
        underWay--;
        return append(...given);
      },
    });
    const sources = Array.from({ length: 70 }, (_, n) => `vak://acme/p${n}/s-q`);
    await Promise.all(sources.flatMap((source) => [0, 1].map((seq) => outbox.put(outboxEntry(seq, { source })))));
    await advance(parts.clock, 1000);
    expect(Math.max(...most)).toBe(32);
    expect(texts()).toHaveLength(140);
    for (const source of sources) {
      expect(texts().filter((one) => one.startsWith(`${source}#`))).toEqual([textOf(0, source), textOf(1, source)]);
    }
  });

  test('B8 nothing is tried while there is no connection, and all at once when there is one', async () => {
    parts.status.set('reconnecting');
    await outbox.put(outboxEntry(0));
    await outbox.put(outboxEntry(0, { source: 'vak://acme/bob/bob-1-q', messageId: 'b' }));
    await advance(parts.clock, 5 * minute, minute);
    expect(parts.played.appends).toEqual([]);
    parts.status.set('connected');
    await settle(parts.clock);
    expect(texts()).toHaveLength(2);
  });

  test('B8 it is tried again under the same id, after rising pauses of at most 30 s, and at once when connected', async () => {
    const atMs: number[] = [];
    parts.played.play = () => {
      atMs.push(parts.clock.monotonic());
      return failing('timeout')();
    };
    await outbox.put(outboxEntry(0));
    await advance(parts.clock, 4 * minute, 125);
    const pauses = atMs.slice(1).map((ms, n) => ms - (atMs[n] ?? 0));
    for (const [n, pause] of pauses.entries()) {
      const full = Math.min(30_000, 250 * 2 ** n);
      expect(pause).toBeGreaterThanOrEqual(full / 2);
      expect(pause).toBeLessThanOrEqual(full + 125);
    }
    expect(pauses.length).toBeGreaterThan(8);
    expect(new Set(parts.played.appends.map(({ messageId }) => messageId))).toEqual(new Set([textOf(0)]));
    parts.played.play = undefined;
    parts.status.set('stale');
    parts.status.set('connected');
    await settle(parts.clock);
    expect(texts()).toEqual([textOf(0)]);
  });

  test('B8 an engine that never answers does not hold up closing', async () => {
    Object.assign(parts.played.plane, { append: () => new Promise(() => {}) });
    await outbox.put(outboxEntry(0));
    const settled = codeOf(outbox.settled(textOf(0)));
    await settle(parts.clock);
    await outbox.close();
    expect(await settled).toBe('closed');
    expect(await codeOf(outbox.put(outboxEntry(1)))).toBe('closed');
    expect(parts.clock.timerCount).toBe(0);
  });

  test('B8 an answer that comes after closing changes nothing: the journal is closed by then', async () => {
    const { append } = parts.played.plane;
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    Object.assign(parts.played.plane, {
      append: (...given: Parameters<typeof append>) => answered.then(() => append(...given)),
    });
    const journal = createHeldJournal(parts.journal);
    const held = await openTestOutbox({ ...parts, journal });
    await held.put(outboxEntry(0));
    await settle(parts.clock);
    await held.close();
    const { commitCount } = journal;
    answer();
    await settle(parts.clock);
    expect([texts(), journal.commitCount - commitCount]).toEqual([[textOf(0)], 0]);
    Object.assign(parts.played.plane, { append });
    await reopen();
    await settle(parts.clock);
    expect([texts(), outbox.waiting().count]).toEqual([[textOf(0)], 0]);
  });

  test('B8 drain says whether all was stored in time', async () => {
    expect(await outbox.drain(0)).toBe(true);
    parts.played.play = failing('timeout');
    await outbox.put(outboxEntry(0));
    const late = outbox.drain(1000);
    await advance(parts.clock, 1000);
    expect(await late).toBe(false);
    parts.played.play = undefined;
    const soon = outbox.drain(minute);
    await advance(parts.clock, 30_000);
    expect(await soon).toBe(true);
  });

  test('B8 waiting for one can be given up; the message stays', async () => {
    parts.played.play = failing('timeout');
    await outbox.put(outboxEntry(0));
    const giveUp = new AbortController();
    const settled = codeOf(outbox.settled(textOf(0), giveUp.signal));
    giveUp.abort();
    expect([await settled, outbox.waiting().count]).toEqual(['aborted', 1]);
    expect(await codeOf(outbox.settled(textOf(0), giveUp.signal))).toBe('aborted');
  });
});

describe('B8 the outbox is bounded', () => {
  test('B8 by count; a void takes the place of what was refused', async () => {
    outbox = await openTestOutbox(parts, { maxCount: 2 });
    parts.played.play = failing('limit-exceeded');
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.played.play = failing('timeout');
    await outbox.put(outboxEntry(1));
    expect(await codeOf(outbox.put(outboxEntry(2)))).toBe('limit-exceeded');
    await outbox.put(outboxEntry(3), { settles: 0 });
    expect(await codeOf(outbox.put(outboxEntry(4)))).toBe('limit-exceeded');
    parts.played.play = undefined;
    await advance(parts.clock, minute, 5000);
    await outbox.put(outboxEntry(5));
    await settle(parts.clock);
    expect(texts()).toEqual([textOf(1), textOf(3), textOf(5)]);
  });

  test('B8 by bytes, after a restart too', async () => {
    const maxBytes = 100;
    outbox = await openTestOutbox(parts, { maxBytes });
    parts.status.set('reconnecting');
    await outbox.put(outboxEntry(0, { data: new Uint8Array(60) }));
    await outbox.close();
    outbox = await openTestOutbox(parts, { maxBytes });
    expect(await codeOf(outbox.put(outboxEntry(1, { data: new Uint8Array(41) })))).toBe('limit-exceeded');
    await outbox.put(outboxEntry(1, { data: new Uint8Array(40) }));
    expect(outbox.waiting()).toMatchObject({ count: 2, bytes: 100 });
  });

  test('B8 a message above 1 MiB, a subject that no stream keeps, an id that no stream takes or that waits already', async () => {
    parts.status.set('reconnecting');
    expect(await codeOf(outbox.put(outboxEntry(0, { data: new Uint8Array(1024 * 1024 + 1) })))).toBe('limit-exceeded');
    expect(await codeOf(outbox.put(outboxEntry(0, { subject: 'vak.events.acme.s.status' })))).toBe('invalid-subject');
    for (const messageId of ['', 'a b', 'ä', 'x'.repeat(256)]) {
      expect(await codeOf(outbox.put(outboxEntry(0, { messageId })))).toBe('invalid-input');
    }
    await outbox.put(outboxEntry(0));
    expect(await codeOf(outbox.put(outboxEntry(0)))).toBe('exists');
    expect(outbox.waiting().count).toBe(1);
  });

  test('B8 a journal that cannot be changed refuses with its reason', async () => {
    const journal = createHeldJournal(parts.journal, 'the store is damaged');
    const closed = await openTestOutbox({ ...parts, journal });
    await expect(closed.put(outboxEntry(0))).rejects.toThrow(/the store is damaged/);
    expect(await codeOf(closed.put(outboxEntry(0)))).toBe('read-only');
  });

  test('B8 a put that the disk refuses is as if it had not been, and the next one goes', async () => {
    const journal = createHeldJournal(parts.journal);
    const held = await openTestOutbox({ ...parts, journal });
    journal.failCommits(new VakError('disk-full', 'no room'));
    const put = codeOf(held.put(outboxEntry(0)));
    const settled = codeOf(held.settled(textOf(0)));
    expect([await put, await settled]).toEqual(['disk-full', 'disk-full']);
    expect(held.waiting()).toMatchObject({ count: 0, bytes: 0 });
    journal.failCommits(undefined);
    await held.put(outboxEntry(0, { data: utf8('again') }));
    await settle(parts.clock);
    expect(texts()).toEqual(['again']);
  });

  test('B8 what is stored is told, even if the journal does not take that; it is not sent again', async () => {
    const journal = createHeldJournal(parts.journal);
    const held = await openTestOutbox({ ...parts, journal });
    parts.played.play = () => {
      journal.failCommits(new VakError('disk-full', 'no room'));
      return undefined;
    };
    const put = held.put(outboxEntry(0));
    const settled = held.settled(textOf(0));
    await put;
    expect(await settled).toMatchObject({ seq: 1 });
    await advance(parts.clock, 5000);
    expect(held.waiting().count).toBe(1);
    journal.failCommits(undefined);
    await advance(parts.clock, minute, 5000);
    expect([held.waiting().count, parts.played.appends.length]).toEqual([0, 1]);
  });
});

describe('B8 after a restart', () => {
  test('B8 what waited is sent in its order, with what comes behind it', async () => {
    parts.status.set('reconnecting');
    for (const seq of [0, 1, 2]) await outbox.put(outboxEntry(seq));
    await reopen();
    expect(outbox.waiting()).toMatchObject({ count: 3, sourceCount: 1, oldestMs: parts.clock.now() });
    await outbox.put(outboxEntry(3));
    parts.status.set('connected');
    await settle(parts.clock);
    expect(texts()).toEqual([0, 1, 2, 3].map((seq) => textOf(seq)));
  });

  test('E12 the heads of the chains are there, as of the last put', async () => {
    parts.status.set('reconnecting');
    for (const seq of [0, 1]) await outbox.put(outboxEntry(seq));
    await outbox.put(outboxEntry(7, { source: 'vak://acme/ada/ada-1-d', subject: receiptSubject }));
    await reopen();
    expect(outbox.heads.previous('ada', 'q')).toEqual({
      source: 'vak://acme/ada/ada-1-q',
      seq: 1,
      leaf: outboxEntry(1).leaf,
    });
    expect(outbox.heads.previous('ada', 'd')).toMatchObject({ seq: 7 });
    expect(outbox.heads.previous('bob', 'd')).toBeUndefined();
  });

  test('B8 a damaged record is counted and left where it is; the others are sent', async () => {
    parts.status.set('reconnecting');
    for (const seq of [0, 1]) await outbox.put(outboxEntry(seq));
    await outbox.close();
    const damaged = Uint8Array.of(0, 0, 0, 9, 1);
    await parts.journal.commit([{ key: numberKey('entry', 0), value: damaged }]);
    outbox = await openTestOutbox(parts);
    parts.status.set('connected');
    await settle(parts.clock);
    expect([texts(), outbox.waiting().damagedCount]).toEqual([[textOf(1)], 1]);
    expect(await parts.journal.get(numberKey('entry', 0))).toEqual(damaged);
    await outbox.put(outboxEntry(2));
    await settle(parts.clock);
    expect(texts()).toEqual([textOf(1), textOf(2)]);
  });

  test('B8 a message that has gone from the journal is refused as corrupt', async () => {
    parts.status.set('reconnecting');
    await outbox.put(outboxEntry(0));
    await parts.journal.commit([{ key: numberKey('entry', 0), value: undefined }]);
    const settled = codeOf(outbox.settled(textOf(0)));
    parts.status.set('connected');
    expect(await settled).toBe('corrupt');
  });
});
