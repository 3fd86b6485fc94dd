import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matches } from '../../../shared/protocol/subject.ts';
import type { StoredMessage } from '../durable.ts';
import { createContentCache } from './content-cache.ts';
import { createDedupeWindow } from './dedupe-window.ts';
import { createDueList, type Due } from './due-list.ts';
import { createMessageIndex, createSubjectMatch, type IndexedMessage } from './message-index.ts';
import { createSeqList } from './seq-list.ts';

describe('numbers in chunks', () => {
  test('B3 finds and counts what a plain array finds and counts', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom('push', 'push', 'push', 'delete'), fc.integer({ min: 1, max: 900 })),
      {
        maxLength: 900,
        size: 'max',
      },
    );
    fc.assert(
      fc.property(steps, fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 20 }), (program, probes) => {
        const list = createSeqList();
        const plain: number[] = [];
        for (const [what, by] of program) {
          const last = plain.at(-1) ?? 0;
          if (what === 'push') {
            plain.push(last + (by % 7) + 1);
            list.push(last + (by % 7) + 1);
          } else {
            const victim = plain[by % Math.max(1, plain.length)] ?? by;
            const at = plain.indexOf(victim);
            expect(list.delete(victim)).toBe(at >= 0);
            if (at >= 0) plain.splice(at, 1);
          }
        }
        expect(list.size).toBe(plain.length);
        for (const probe of [...probes, ...plain.slice(0, 20)]) {
          expect(list.firstFrom(probe)).toBe(plain.find((seq) => seq >= probe));
          expect(list.lastUpTo(probe)).toBe(plain.findLast((seq) => seq <= probe));
          expect(list.countFrom(probe)).toBe(plain.filter((seq) => seq >= probe).length);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('index', () => {
  test('B3 finds by number, time, subject and pattern what a walk over all finds', () => {
    const tokens = ['a', 'b', 'c'];
    const message = fc.record({
      gap: fc.constantFrom(1, 1, 2, 700),
      subject: fc.constantFrom(...tokens),
      later: fc.nat(3),
    });
    const input = fc.tuple(fc.array(message, { maxLength: 60 }), fc.array(fc.nat(100), { maxLength: 40 }));
    fc.assert(
      fc.property(input, ([program, removals]) => {
        const index = createMessageIndex();
        let plain: IndexedMessage[] = [];
        let [seq, storedMs] = [0, 0];
        for (const { gap, subject, later } of program) {
          seq += gap;
          storedMs += later;
          const added = { seq, subject: `x.${subject}`, storedMs, sizeBytes: gap };
          index.add(added);
          plain.push(added);
        }
        for (const removal of removals) {
          const victim = plain[removal % Math.max(1, plain.length)]?.seq ?? 1;
          const known = plain.find((one) => one.seq === victim);
          expect([index.get(victim), index.has(victim)]).toEqual([known, known !== undefined]);
          expect(index.sizeOf(victim)).toBe(known?.sizeBytes ?? 0);
          expect(index.remove(victim)).toBe(known !== undefined);
          plain = plain.filter((one) => one.seq !== victim);
        }
        expect([index.count(), index.bytes()]).toEqual([
          plain.length,
          plain.reduce((sum, one) => sum + one.sizeBytes, 0),
        ]);
        for (const pattern of ['>', 'x.*', 'x.a', 'x.d']) {
          const match = createSubjectMatch(pattern);
          const fits = plain.filter(({ subject }) => matches(pattern, subject));
          for (const from of [0, 1, 5, 1_024, seq, seq + 1, ...removals]) {
            expect(index.next(from, match)).toBe(fits.find((one) => one.seq >= from)?.seq);
            expect(index.countFrom(from, match)).toBe(fits.filter((one) => one.seq >= from).length);
          }
        }
        for (const ms of [-1, 0, 3, 20, 1_000]) {
          expect(index.firstStoredFrom(ms)).toBe(plain.find((one) => one.storedMs >= ms)?.seq);
        }
        for (const upTo of [0, 5, seq]) {
          expect(index.lastOf('x.a', upTo)).toBe(
            plain.findLast(({ subject, seq: at }) => subject === 'x.a' && at <= upTo)?.seq,
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});

test('B4 what is due comes in order of time, then of number, whatever was added and removed before', () => {
  const due = fc.record({ seq: fc.nat(2_000), dueMs: fc.nat(40), isRemoved: fc.boolean(), victim: fc.nat(2_000) });
  fc.assert(
    fc.property(fc.uniqueArray(due, { maxLength: 900, size: 'max', selector: ({ seq }) => seq }), (program) => {
      const list = createDueList<Due>();
      const plain: Due[] = [];
      const first = () => plain.toSorted((a, b) => a.dueMs - b.dueMs || a.seq - b.seq)[0];
      for (const { isRemoved, victim, ...added } of program) {
        list.add(added);
        plain.push(added);
        const removed = isRemoved ? first() : plain[victim];
        if (removed === undefined || victim % 3 === 0) continue;
        list.delete(removed);
        plain.splice(plain.indexOf(removed), 1);
      }
      list.delete({ seq: 5_000, dueMs: 7 });
      expect(list.size()).toBe(plain.length);
      for (let next = first(); next !== undefined; next = first()) {
        expect(list.first()).toBe(next);
        list.delete(next);
        plain.splice(plain.indexOf(next), 1);
      }
      expect([list.size(), list.first()]).toEqual([0, undefined]);
    }),
    { numRuns: 20 },
  );
});

test('B3 an id is remembered for its window, and a newer message takes it over', () => {
  let windowMs = 100;
  const window = createDedupeWindow(() => windowMs, 1);
  window.remember({ messageId: 'm', seq: 1, storedMs: 0 });
  expect([window.find('m', 99), window.find('m', 100), window.idOf(1)]).toEqual([1, undefined, 'm']);
  window.remember({ messageId: 'm', seq: 2, storedMs: 100 });
  expect(window.expire(100)).toEqual([1]);
  expect([window.find('m', 199), window.idOf(1), window.size()]).toEqual([2, undefined, 1]);
  windowMs = 10;
  expect(window.find('m', 110)).toBeUndefined();
  window.forget(2);
  expect([window.find('m', 100), window.size()]).toEqual([undefined, 0]);
});

test('B3 ids are found and pass as a walk over all finds them', () => {
  const step = fc.record({
    id: fc.nat(400),
    laterMs: fc.nat(3),
    isForgotten: fc.integer({ max: 9 }),
    at: fc.nat(5_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4_000, size: 'max' }), (program) => {
      const window = createDedupeWindow(() => 500, 2);
      let plain: { messageId: string; seq: number; storedMs: number }[] = [];
      let nowMs = 0;
      program.forEach(({ id, laterMs, isForgotten, at }, seq) => {
        nowMs += laterMs;
        const passed = plain.filter(({ storedMs }) => storedMs + 500 <= nowMs);
        if (seq % 50 === 0) {
          expect(window.expire(nowMs)).toEqual(passed.map((one) => one.seq));
          plain = plain.filter((one) => !passed.includes(one));
        }
        const messageId = `m${id}`;
        const known = plain.find((one) => one.messageId === messageId);
        const isKnown = known !== undefined && !passed.includes(known);
        expect(window.find(messageId, nowMs)).toBe(isKnown ? known.seq : undefined);
        expect(window.idOf(at)).toBe(plain.find((one) => one.seq === at)?.messageId);
        if (known === undefined) {
          window.remember({ messageId, seq, storedMs: nowMs });
          plain.push({ messageId, seq, storedMs: nowMs });
        }
        const forgotten = isForgotten === 0 ? plain[at] : undefined;
        if (forgotten === undefined) return;
        window.forget(forgotten.seq);
        plain = plain.filter((one) => one !== forgotten);
      });
      expect(window.size()).toBe(plain.length);
    }),
    { numRuns: 20 },
  );
});

test('B6 contents in memory never exceed their bound, and those stored or read last stay', () => {
  const cache = createContentCache(10_000);
  const held = new Map<number, StoredMessage>();
  const holder = { dropContent: (seq: number) => void held.delete(seq) };
  for (let seq = 1; seq <= 100; seq++) {
    const facts = { stream: 'S', subject: 'vak.work.ws.a.task', storedMs: seq, messageId: undefined };
    const content = { ...facts, seq, data: new Uint8Array(1_000) };
    held.set(seq, content);
    cache.admit(holder, content);
    expect(held.has(seq) && (seq === 1 || held.has(seq - 1))).toBe(true);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
    expect(held.size * 1_320).toBeLessThanOrEqual(cache.bytes);
  }
});
