import { beforeEach, describe, expect, test } from 'vitest';
import { createHeldJournal } from '../../../tests/support/held-journal.ts';
import { createLife, mortalJournal, settle } from '../../../tests/support/outbox-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Journal } from '../bus/memory/journal.ts';
import { everyKey } from '../bus/memory/journal-keys.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { type HandledKey, type HandledMemory, openHandledMemory } from './handled-memory.ts';

const day = 24 * 3_600_000;

let journal: Journal;
let clock: FakeClock;
let ran: string[];

beforeEach(() => {
  journal = createMemoryJournal();
  clock = createFakeClock();
  ran = [];
});

const open = (change: Partial<Parameters<typeof openHandledMemory>[0]> = {}): Promise<HandledMemory> =>
  openHandledMemory({ journal, clock, maxAgeMs: 90 * day, capacity: 1000, name: 'worker', ...change });
const key = (id: string, source = 'vak://acme/ada/ada-1-q'): HandledKey => ({ source, id });

function handle(memory: HandledMemory, id: string, source?: string): Promise<boolean> {
  return memory.handleOnce(key(id, source), async () => {
    ran.push(id);
    return undefined;
  });
}

async function keyCount(): Promise<number> {
  let count = 0;
  for await (const _ of journal.entries(everyKey)) count++;
  return count;
}

describe('E15 handled envelopes', () => {
  test('E15 each is handled once, across restarts', async () => {
    const memory = await open();
    expect([await memory.isNew(key('1')), await handle(memory, '1'), await handle(memory, '1')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await memory.isNew(key('1'))).toBe(false);
    const next = await open();
    expect([await next.isNew(key('1')), await handle(next, '1'), await handle(next, '2')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(ran).toEqual(['1', '2']);
    expect(next.stats()).toEqual({ count: 2, evictedCount: 0 });
  });

  test('E15 source and id make it, and no two pairs are taken for one; memories of one journal are apart', async () => {
    const memory = await open();
    for (const [source, id] of [
      ['ab', 'c'],
      ['a', 'bc'],
      ['', 'abc'],
      ['abc', ''],
    ] as const) {
      expect(await handle(memory, id, source)).toBe(true);
    }
    const other = await open({ name: 'other' });
    expect([await handle(other, 'c', 'ab'), other.stats().count, memory.stats().count]).toEqual([true, 1, 4]);
  });

  test('E15 a handler that fails leaves it new; the next delivery runs it again', async () => {
    const memory = await open();
    const failing = memory.handleOnce(key('1'), () => Promise.reject(new VakError('timeout', 'too slow')));
    await expect(failing).rejects.toMatchObject({ code: 'timeout' });
    expect([await memory.isNew(key('1')), await handle(memory, '1')]).toEqual([true, true]);
  });

  test('E15 a second delivery waits for the first, and runs only if that failed', async () => {
    const memory = await open();
    const ends: ((error?: Error) => void)[] = [];
    const deliver = () =>
      memory.handleOnce(key('1'), () => {
        return new Promise((resolve, reject) => {
          ends.push((error) => (error === undefined ? resolve(undefined) : reject(error)));
        });
      });
    const [first, second, third] = [deliver(), deliver(), deliver()];
    const failed = first.catch((error: Error) => error.message);
    await settle(clock);
    expect(ends).toHaveLength(1);
    ends[0]?.(new Error('failed'));
    expect(await failed).toBe('failed');
    await settle(clock);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    expect([await second, await third]).toEqual([true, false]);
    expect(ends).toHaveLength(2);
  });

  test('E15 what a journal does not take is not remembered', async () => {
    const held = createHeldJournal(journal);
    const memory = await open({ journal: held });
    held.failCommits(new VakError('disk-full', 'no room'));
    await expect(handle(memory, '1')).rejects.toMatchObject({ code: 'disk-full' });
    held.failCommits(undefined);
    expect([memory.stats().count, await handle(memory, '1')]).toEqual([0, true]);
    expect(ran).toEqual(['1', '1']);
  });

  test('E15 it is remembered for its age, and then forgotten with all its keys', async () => {
    const memory = await open({ maxAgeMs: day });
    await handle(memory, '1');
    clock.advance(day);
    expect(await memory.isNew(key('1'))).toBe(false);
    clock.advance(1);
    expect([await memory.isNew(key('1')), await handle(memory, '1')]).toEqual([true, true]);
    expect([memory.stats(), await keyCount()]).toEqual([{ count: 1, evictedCount: 0 }, 2]);
    clock.advance(day);
    expect(await memory.isNew(key('1'))).toBe(false);
    clock.advance(1);
    await handle(memory, '2');
    expect([memory.stats().count, await keyCount()]).toEqual([1, 2]);
  });

  test('E15 it is bounded by count: the oldest give way and are counted', async () => {
    const memory = await open({ capacity: 10 });
    for (let n = 0; n < 25; n++) {
      clock.advance(1);
      await handle(memory, String(n));
    }
    expect([memory.stats(), await keyCount()]).toEqual([{ count: 10, evictedCount: 15 }, 20]);
    expect([await memory.isNew(key('14')), await memory.isNew(key('15'))]).toEqual([true, false]);
    const smaller = await open({ capacity: 4 });
    await handle(smaller, 'x');
    expect([smaller.stats().count, await keyCount()]).toEqual([4, 8]);
  });

  test('E15 many at once keep the bound', async () => {
    const memory = await open({ capacity: 10 });
    await Promise.all(Array.from({ length: 40 }, (_, n) => handle(memory, String(n))));
    expect([memory.stats().count, await keyCount(), ran.length]).toEqual([10, 20, 40]);
  });
});

describe('E15 a crash between handling and remembering', () => {
  const balance = utf8('balance');

  /** Handles one envelope in a life of so many steps, then again after a restart; gives what came of it. */
  async function liveTwice(
    steps: number,
    isDoneAtDeath: boolean,
    isAtomic: boolean,
  ): Promise<[number, number, boolean]> {
    journal = createMemoryJournal();
    ran = [];
    const life = createLife(steps, isDoneAtDeath);
    const add = (memory: HandledMemory) =>
      memory.handleOnce(key('1'), async () => {
        ran.push('1');
        if (!isAtomic) return undefined;
        const before = await journal.get(balance);
        const value = utf8(String(Number(before === undefined ? 0 : toText(before)) + 1));
        return { changes: [{ key: balance, value }] };
      });
    void add(await open({ journal: mortalJournal(journal, life) }));
    await settle(clock);
    await add(await open());
    const value = await journal.get(balance);
    return [ran.length, value === undefined ? 0 : Number(toText(value)), life.isDead];
  }

  test('E15 runs the handler once more at most, and never loses it', async () => {
    const runs: number[] = [];
    for (let steps = 1; ; steps++) {
      const [before, , isDead] = await liveTwice(steps, false, false);
      const [after] = await liveTwice(steps, true, false);
      runs.push(before, after);
      if (!isDead) break;
    }
    expect(new Set(runs)).toEqual(new Set([1, 2]));
  });

  test('E15 what the handler commits with the memory happens exactly once', async () => {
    for (let steps = 1; ; steps++) {
      const [, before, isDead] = await liveTwice(steps, false, true);
      const [, after] = await liveTwice(steps, true, true);
      expect([before, after]).toEqual([1, 1]);
      if (!isDead) break;
    }
  });
});
