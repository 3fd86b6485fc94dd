import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matches } from '../../../shared/protocol/subject.ts';
import { createDedupeWindow } from './dedupe-window.ts';
import { createDueList } from './due-list.ts';
import { createMessageIndex, createSubjectMatch, type IndexedMessage } from './message-index.ts';
import { createPayloadCache } from './payload-cache.ts';
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
          expect(index.remove(victim)).toEqual(plain.find((one) => one.seq === victim));
          plain = plain.filter((one) => one.seq !== victim);
        }
        expect([index.count, index.bytes]).toEqual([plain.length, plain.reduce((sum, one) => sum + one.sizeBytes, 0)]);
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

test('B4 what is due comes in order of time, then of number', () => {
  const list = createDueList();
  for (const [seq, dueMs] of [
    [5, 30],
    [1, 30],
    [2, 10],
    [3, 50],
    [2, 40],
    [3, 5],
  ] as const) {
    list.set(seq, dueMs);
  }
  list.delete(5);
  list.delete(9);
  const order: (number | undefined)[] = [];
  for (let first = list.first(); first !== undefined; first = list.first()) {
    order.push(first.seq);
    list.delete(first.seq);
  }
  expect(order).toEqual([3, 1, 2]);
  expect(list.size).toBe(0);
});

test('B3 an id is remembered for its window, and a newer message takes it over', () => {
  let windowMs = 100;
  const window = createDedupeWindow(() => windowMs);
  window.remember({ messageId: 'm', seq: 1, storedMs: 0 });
  expect([window.find('m', 99), window.find('m', 100), window.idOf(1)]).toEqual([1, undefined, 'm']);
  window.remember({ messageId: 'm', seq: 2, storedMs: 100 });
  expect(window.expire(100)).toEqual([1]);
  expect([window.find('m', 199), window.idOf(1), window.size]).toEqual([2, undefined, 1]);
  windowMs = 10;
  expect(window.find('m', 110)).toBeUndefined();
  window.forget(2);
  expect([window.find('m', 100), window.size]).toEqual([undefined, 0]);
});

test('B6 payloads in memory never exceed their bound, and those used last stay', () => {
  const cache = createPayloadCache(10_000);
  const payload = { messageId: undefined, data: new Uint8Array(1_000) };
  for (let seq = 1; seq <= 100; seq++) {
    cache.put({ stream: 1, seq }, payload);
    expect(cache.get(1, 1)).toBe(payload);
    expect(cache.get(1, seq)).toBe(payload);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(cache.get(1, 50)).toBeUndefined();
  expect(cache.get(2, 1)).toBeUndefined();
  cache.put({ stream: 2, seq: 1 }, { messageId: undefined, data: new Uint8Array(20_000) });
  expect(cache.get(2, 1)).toBeUndefined();
  const before = cache.bytes;
  cache.delete(1, 1);
  expect(cache.get(1, 1)).toBeUndefined();
  expect(cache.bytes).toBe(before - 1_320);
});
