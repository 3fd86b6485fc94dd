import { beforeEach, describe, expect, test } from 'vitest';
import {
  advance,
  codeOf,
  createOutboxParts,
  failing,
  minute,
  type OutboxParts,
  openTestOutbox,
  outboxEntry,
  settle,
  storedTexts,
  taskSubject,
  textOf,
} from '../../../tests/support/outbox-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import type { Outbox, OutboxGuard, Refusal } from './outbox.ts';

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

describe('B8 what may have been stored', () => {
  test('B8 within the window it is sent again under its id, and the duplicate is the message itself', async () => {
    parts.played.play = failing('timeout', true);
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.played.play = undefined;
    const settled = outbox.settled(textOf(0));
    await advance(parts.clock, 1000);
    expect(await settled).toEqual({ stream: 'VAK_WORK_acme', seq: 1, isDuplicate: true });
    expect([texts(), parts.played.lookups]).toEqual([[textOf(0)], []]);
  });

  test.each([
    ['by the last message of its subject', 0],
    ['among what came later', 5],
  ])('B8 after the window it is looked up first, and found %s', async (_, laterCount) => {
    parts.played.play = failing('timeout', true);
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    for (let n = 0; n < laterCount; n++)
      await parts.played.plane.append(taskSubject, utf8(`other ${n}`)).catch(() => {});
    parts.status.set('reconnecting');
    await advance(parts.clock, 15 * minute, minute);
    parts.played.play = undefined;
    const appendCount = parts.played.appends.length;
    const settled = outbox.settled(textOf(0));
    parts.status.set('connected');
    expect(await settled).toEqual({ stream: 'VAK_WORK_acme', seq: 1, isDuplicate: true });
    expect(parts.played.appends).toHaveLength(appendCount);
    expect(texts().filter((one) => one === textOf(0))).toHaveLength(1);
  });

  test('B8 after the window it is sent if it is not there, and the window counts from then', async () => {
    parts.played.play = failing('disconnected');
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.status.set('reconnecting');
    await advance(parts.clock, 15 * minute, minute);
    parts.played.play = failing('timeout', true);
    parts.status.set('connected');
    await settle(parts.clock);
    const lookupCount = parts.played.lookups.length;
    expect(lookupCount).toBe(1);
    parts.played.play = undefined;
    await advance(parts.clock, minute);
    expect([texts(), parts.played.lookups.length]).toEqual([[textOf(0)], 1]);
    expect(outbox.waiting().count).toBe(0);
  });

  test.each([
    ['as the note on disk says', 0],
    ['also if the clock was set back meanwhile', 3_600_000],
  ])('B8 after a restart it is looked up too, %s', async (_, backMs) => {
    parts.played.play = failing('timeout', true);
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.status.set('reconnecting');
    parts.played.play = undefined;
    await outbox.close();
    const sentMs = parts.clock.now();
    parts.clock.advance(11 * minute);
    const clock = backMs === 0 ? parts.clock : createFakeClock(sentMs - backMs);
    outbox = await openTestOutbox({ ...parts, clock });
    parts.status.set('connected');
    await settle(clock);
    expect([texts(), parts.played.lookups.length, outbox.waiting().count]).toEqual([[textOf(0)], 1, 0]);
  });

  test('B8 a failure to look up refuses nothing', async () => {
    parts.played.play = failing('timeout', true);
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.status.set('reconnecting');
    await advance(parts.clock, 11 * minute, minute);
    const { stream } = parts.played.plane;
    Object.assign(parts.played.plane, {
      stream: () => ({ last: () => Promise.reject(new VakError('limit-exceeded', 'too many questions')) }),
    });
    parts.status.set('connected');
    await settle(parts.clock);
    expect(outbox.waiting()).toMatchObject({ count: 1, lastError: { code: 'limit-exceeded' } });
    Object.assign(parts.played.plane, { stream });
    await advance(parts.clock, minute);
    expect([texts(), outbox.waiting().count]).toEqual([[textOf(0)], 0]);
  });

  test('B8 who may not look sends it again: whoever handles it knows what it has handled', async () => {
    parts.played.play = failing('disconnected');
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.status.set('reconnecting');
    await advance(parts.clock, 11 * minute, minute);
    Object.assign(parts.played.plane, {
      stream: () => ({ last: () => Promise.reject(new VakError('forbidden', 'not allowed')) }),
    });
    parts.played.play = undefined;
    parts.status.set('connected');
    await settle(parts.clock);
    expect([texts(), outbox.waiting().count]).toEqual([[textOf(0)], 0]);
  });

  test('W1 another message under its id refuses it for good, as a conflict', async () => {
    await parts.played.plane.append(taskSubject, utf8('something else'), { messageId: textOf(0) });
    const refusals: Refusal[] = [];
    outbox.onRefused((refusal) => refusals.push(refusal));
    await outbox.put(outboxEntry(0));
    expect(await codeOf(outbox.settled(textOf(0)))).toBe('conflict');
    expect(refusals).toMatchObject([{ seq: 0, error: { code: 'conflict' }, isVoidOwed: true }]);
  });

  test('W1 a duplicate whose body has been consumed counts as stored', async () => {
    parts.played.play = failing('timeout', true);
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.played.stored.get('VAK_WORK_acme')?.pop();
    parts.played.play = undefined;
    await advance(parts.clock, 1000);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 0 });
  });
});

describe('B8 what is refused', () => {
  test.each(['limit-exceeded', 'no-such-peer', 'invalid-payload', 'invalid-subject', 'forbidden'] as const)(
    'B8 %s is for good: it is told, remembered until its void, and the next one goes',
    async (code) => {
      const refusals: Refusal[] = [];
      outbox.onRefused((refusal) => refusals.push(refusal));
      parts.played.play = (_, data) =>
        toText(data) === textOf(0) ? { isStored: false, error: new VakError(code, 'no') } : undefined;
      const put = outbox.put(outboxEntry(0));
      const settled = codeOf(outbox.settled(textOf(0)));
      await put;
      await outbox.put(outboxEntry(1));
      expect(await settled).toBe(code);
      await settle(parts.clock);
      expect(texts()).toEqual([textOf(1)]);
      expect(refusals).toEqual(outbox.refusals());
      expect(refusals).toMatchObject([{ number: 0, seq: 0, messageId: textOf(0), error: { code } }]);
      await reopen();
      expect(outbox.refusals()).toMatchObject([{ number: 0, seq: 0, error: { code } }]);
      expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 1 });
      await outbox.put(outboxEntry(2), { settles: 0 });
      expect(outbox.refusals()).toEqual([]);
      await reopen();
      expect(outbox.refusals()).toEqual([]);
    },
  );

  test.each([
    'timeout',
    'disconnected',
    'closed',
    'not-found',
    'disk-full',
    'read-only',
    'unsupported',
    'no-responders',
  ] as const)('B8 %s says nothing of the message: it is tried again', async (code) => {
    parts.played.play = () => ({ isStored: false, error: new VakError(code, 'not now') });
    await outbox.put(outboxEntry(0));
    await advance(parts.clock, 2 * minute, 5000);
    expect(outbox.waiting()).toMatchObject({ count: 1, voidOwedCount: 0, lastError: { code } });
    parts.played.play = undefined;
    await advance(parts.clock, 30_000, 5000);
    expect(texts()).toEqual([textOf(0)]);
  });

  test('B8 a fault of the program loses nothing', async () => {
    parts.played.play = () => ({ isStored: false, error: new TypeError('a bug') });
    await outbox.put(outboxEntry(0));
    await advance(parts.clock, minute, 5000);
    expect(outbox.waiting()).toMatchObject({ count: 1, lastError: { code: 'internal' } });
    parts.played.play = undefined;
    await advance(parts.clock, 30_000, 5000);
    expect(texts()).toEqual([textOf(0)]);
  });

  test('B8 denied rights are for good only after 10 s of a connection that denies them', async () => {
    parts.played.play = failing('unauthorized');
    await outbox.put(outboxEntry(0));
    await advance(parts.clock, 8000);
    parts.status.set('reconnecting');
    await advance(parts.clock, minute, 5000);
    parts.played.play = () => {
      // The connection goes while it answers: then it is the credentials.
      parts.status.set('reconnecting');
      return failing('unauthorized')();
    };
    parts.status.set('connected');
    await settle(parts.clock);
    parts.played.play = failing('unauthorized');
    parts.status.set('connected');
    await advance(parts.clock, 8000);
    expect(outbox.waiting().count).toBe(1);
    await advance(parts.clock, 10_000);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 1 });
  });

  test('E12 no void is owed for a void record', async () => {
    const refusals: Refusal[] = [];
    outbox.onRefused((refusal) => refusals.push(refusal));
    parts.played.play = failing('limit-exceeded');
    await outbox.put(outboxEntry(0, { subject: 'vak.audit.acme.ada.void' }));
    await settle(parts.clock);
    expect(refusals).toMatchObject([{ isVoidOwed: false }]);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 0 });
    await reopen();
    expect(outbox.refusals()).toEqual([]);
  });
});

describe('R8 what is asked for once more before it goes', () => {
  /** Opens one with a guard that says so. */
  async function guarded(word: Awaited<ReturnType<OutboxGuard>>): Promise<{ asked: string[]; refusals: Refusal[] }> {
    await outbox.close();
    const asked: string[] = [];
    const refusals: Refusal[] = [];
    const guard: OutboxGuard = async ({ data }) => {
      asked.push(toText(data));
      return word;
    };
    outbox = await openTestOutbox(parts, { guard });
    outbox.onRefused((refusal) => refusals.push(refusal));
    return { asked, refusals };
  }

  test('R8 what goes at once goes as it was put; what waited is asked for, and goes if it may', async () => {
    const { asked } = await guarded('send');
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    expect([texts(), asked]).toEqual([[textOf(0)], []]);
    parts.status.set('reconnecting');
    await outbox.put(outboxEntry(1));
    await advance(parts.clock, 2_000);
    parts.status.set('connected');
    await settle(parts.clock);
    expect([texts(), asked]).toEqual([[textOf(0), textOf(1)], [textOf(1)]]);
  });

  test('R8 what may go no more and was never sent is refused, and its void record owed', async () => {
    const { refusals } = await guarded('stale');
    parts.status.set('reconnecting');
    await outbox.put(outboxEntry(0));
    await advance(parts.clock, 2_000);
    parts.status.set('connected');
    await settle(parts.clock);
    expect(texts()).toEqual([]);
    expect(refusals).toMatchObject([{ error: { code: 'conflict', details: { why: 'stale' } }, isVoidOwed: true }]);
  });

  test('R8 what may go no more and lies there already is found, and not refused', async () => {
    const { refusals } = await guarded('stale');
    parts.played.play = failing('timeout', true);
    await outbox.put(outboxEntry(0));
    await settle(parts.clock);
    parts.played.play = undefined;
    const settled = outbox.settled(textOf(0));
    await advance(parts.clock, 1_000);
    expect(await settled).toMatchObject({ seq: 1 });
    expect([texts(), refusals]).toEqual([[textOf(0)], []]);
  });

  test('R8 while nobody can say it waits', async () => {
    const { asked, refusals } = await guarded('later');
    parts.status.set('reconnecting');
    await outbox.put(outboxEntry(0));
    await advance(parts.clock, 2_000);
    parts.status.set('connected');
    await advance(parts.clock, 5_000);
    expect(asked.length).toBeGreaterThan(1);
    expect([texts(), refusals, outbox.waiting().count]).toEqual([[], [], 1]);
  });
});
