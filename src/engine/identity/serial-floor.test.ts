import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratchFolder } from '../../../tests/support/identity-fixture.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { openSerialFloor, type SeenSerial, type SerialFloor } from './serial-floor.ts';

let path: string;
let clock: FakeClock;
let reports: VakError[];
let disposer: Disposer;

beforeEach(() => {
  disposer = createDisposer();
  path = join(disposer.add(createScratchFolder()).path, 'profile', 'serials.json');
  clock = createFakeClock();
  reports = [];
});

afterEach(() => disposer.dispose());

async function open(): Promise<SerialFloor> {
  const report = (error: VakError): number => reports.push(error);
  return disposer.add(await openSerialFloor({ path, clock, randomness: createSystemRandomness(), report }));
}

const seen = (serial: number, change: Partial<SeenSerial> = {}): SeenSerial => {
  return { kind: 'grant', ws: 'acme', peer: 'ada', serial, digest: String(serial % 10).repeat(64), ...change };
};

describe('I4 the floor of serials', () => {
  test('I4 it rises, and what is lower, or other under the same serial, is a replay', async () => {
    const floor = await open();
    expect(floor.judge(seen(5))).toBe('newer');
    floor.raise(seen(5));
    expect(floor.judge(seen(5))).toBe('known');
    expect(floor.judge(seen(4))).toBe('replay');
    expect(floor.judge(seen(5, { digest: 'f'.repeat(64) }))).toBe('replay');
    expect(floor.judge(seen(6))).toBe('newer');
    expect(floor.highest(seen(1))).toBe(5);
    await floor.settled();
  });

  test('I4 a replay is refused after a restart, too', async () => {
    const before = await open();
    before.raise(seen(5));
    await before.settled();
    before.dispose();
    const after = await open();
    expect(after.judge(seen(4))).toBe('replay');
    expect(after.judge(seen(5))).toBe('known');
    expect(after.judge(seen(5, { digest: 'f'.repeat(64) }))).toBe('replay');
  });

  test('I4 kinds, workspaces and peers have floors of their own', async () => {
    const floor = await open();
    floor.raise(seen(5));
    for (const change of [{ kind: 'card' }, { ws: 'other' }, { peer: 'bob' }] as const) {
      expect(floor.judge(seen(1, change))).toBe('newer');
      expect(floor.highest(seen(1, change))).toBe(0);
    }
    await floor.settled();
  });

  test('I4 many rises at once are all on disk when it has settled, and it never falls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 50 }))),
        async (rises) => {
          rmSync(path, { force: true });
          const floor = await open();
          const highest = new Map<string, number>();
          for (const [peer, serial] of rises) {
            floor.raise(seen(serial, { peer }));
            highest.set(peer, Math.max(serial, highest.get(peer) ?? 0));
          }
          await floor.settled();
          const again = await open();
          for (const peer of ['a', 'b', 'c']) {
            expect(floor.highest(seen(1, { peer }))).toBe(highest.get(peer) ?? 0);
            expect(again.highest(seen(1, { peer }))).toBe(highest.get(peer) ?? 0);
          }
          floor.dispose();
          again.dispose();
        },
      ),
      { numRuns: 25 },
    );
  });

  test('I4 two processes: the higher of both stands on disk', async () => {
    const [left, right] = [await open(), await open()];
    left.raise(seen(9));
    await left.settled();
    right.raise(seen(7));
    right.raise(seen(3, { peer: 'bob' }));
    await right.settled();
    const third = await open();
    expect(third.highest(seen(1))).toBe(9);
    expect(third.highest(seen(1, { peer: 'bob' }))).toBe(3);
    // What this process has not seen itself may not have reached its directory either.
    expect(right.judge(seen(7))).toBe('known');
  });

  test('I4 a floor that cannot be written is said, still holds here, and is written later', async () => {
    const floor = await open();
    mkdirSync(path);
    floor.raise(seen(5));
    await expect(floor.settled()).rejects.toSatisfy((error) => isVakError(error));
    expect(reports).toHaveLength(1);
    expect(floor.judge(seen(4))).toBe('replay');
    rmSync(path, { recursive: true });
    await floor.settled();
    expect(readFileSync(path, 'utf8')).toContain('"serial":5');
  });
});
