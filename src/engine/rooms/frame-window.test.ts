import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createFrameWindow, maxBootsPerEpoch, maxCounterJump } from './frame-window.ts';

/** The boot of a number. */
function bootOf(n: number): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, n);
  return toBase64Url(bytes);
}
const at = (counter: number, change: { epoch?: number; sender?: string; boot?: string } = {}) => ({
  epoch: 1,
  sender: 'ada',
  boot: bootOf(0),
  counter,
  ...change,
});

describe('R7 R40 R41 the replay window', () => {
  test('R7 a frame counts once: again, or one that was passed, it is a replay', () => {
    const window = createFrameWindow();
    expect([0, 1, 4].map((counter) => window.take(at(counter)))).toEqual([undefined, undefined, undefined]);
    expect([0, 1, 2, 3, 4].map((counter) => window.take(at(counter)))).toEqual(Array(5).fill('replayed'));
    expect(window.take(at(5))).toBeUndefined();
  });

  test('R7 windows are apart for each sender and boot', () => {
    const window = createFrameWindow();
    expect(window.take(at(5))).toBeUndefined();
    expect(window.take(at(5, { boot: bootOf(1) }))).toBeUndefined();
    expect(window.take(at(5, { sender: 'bob' }))).toBeUndefined();
    expect(window.take(at(5, { boot: bootOf(1) }))).toBe('replayed');
  });

  test('R13 a counter rises by 25 000 at most, and what is refused moves nothing', () => {
    const window = createFrameWindow();
    window.take(at(7));
    expect(window.take(at(8 + maxCounterJump))).toBe('jumped');
    expect(window.take(at(Number.MAX_SAFE_INTEGER))).toBe('jumped');
    expect(window.take(at(7 + maxCounterJump))).toBeUndefined();
    expect(window.take(at(8))).toBe('replayed');
  });

  test('R40 who has read an epoch from its beginning judges like who was there before: a boot may begin anywhere', () => {
    const [here, joined] = [createFrameWindow(), createFrameWindow()];
    for (const counter of [0, 20_000, 40_000]) here.take(at(counter, { epoch: 1 }));
    for (const counter of [90_000, 90_001, 90_001])
      expect(here.take(at(counter, { epoch: 2 }))).toBe(joined.take(at(counter, { epoch: 2 })));
    expect(here.save()).toEqual(joined.save());
  });

  test('R40 with an epoch its windows end, and no frame of it counts again', () => {
    const window = createFrameWindow();
    window.take(at(3));
    expect(window.take(at(4, { epoch: 2 }))).toBeUndefined();
    for (const counter of [3, 4, 5]) expect(window.take(at(counter))).toBe('old-epoch');
    expect(window.save().senders).toEqual([['ada', [[bootOf(0), 4]]]]);
  });

  test('R41 a sender who makes boots without end is refused, forgets none, and holds up nobody else', () => {
    const window = createFrameWindow();
    for (let n = 0; n < maxBootsPerEpoch; n++) expect(window.take(at(9, { boot: bootOf(n) }))).toBeUndefined();
    expect(window.bootCount('ada', 1)).toBe(maxBootsPerEpoch);
    for (let n = maxBootsPerEpoch; n < 5000; n++)
      expect(window.take(at(9, { boot: bootOf(n) }))).toBe('too-many-boots');
    // The oldest is still known for what it was, and still speaks.
    expect(window.take(at(9))).toBe('replayed');
    expect(window.take(at(10))).toBeUndefined();
    expect(window.take(at(0, { sender: 'bob' }))).toBeUndefined();
    expect(window.bootCount('ada', 2)).toBe(0);
    expect(window.take(at(11, { epoch: 2, boot: bootOf(4999) }))).toBeUndefined();
    expect(JSON.stringify(window.save()).length).toBeLessThan(200);
  });

  test('R7 after a start from what was kept, a replay is a replay', () => {
    const before = createFrameWindow();
    for (const n of [0, 1, 2]) before.take(at(n + 5, { boot: bootOf(n) }));
    const after = createFrameWindow(JSON.parse(JSON.stringify(before.save())));
    for (const n of [0, 1, 2]) expect(after.take(at(n + 5, { boot: bootOf(n) }))).toBe('replayed');
    expect(after.take(at(6))).toBeUndefined();
  });

  test('R7 a start at any moment, from what was kept with its place, changes no verdict', () => {
    const frames = fc.array(
      fc.record({
        epoch: fc.nat(2),
        sender: fc.constantFrom('ada', 'bob'),
        boot: fc.nat(2).map(bootOf),
        counter: fc.oneof(fc.nat(6), fc.constantFrom(25_002, 50_003)),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(frames, fc.nat(40), (list, crash) => {
        const steady = createFrameWindow();
        let restarted = createFrameWindow();
        const counted = new Set<string>();
        for (const [index, frame] of list.entries()) {
          if (index === crash) restarted = createFrameWindow(JSON.parse(JSON.stringify(restarted.save())));
          const verdict = steady.take(frame);
          expect(restarted.take(frame)).toBe(verdict);
          if (verdict !== undefined) continue;
          // Whatever came: no frame counts twice.
          expect(counted.has(JSON.stringify(frame))).toBe(false);
          counted.add(JSON.stringify(frame));
        }
      }),
    );
  });

  test('R7 what fits no window is damaged, and never taken for an empty one', () => {
    const boots = (n: number) => Array.from({ length: n }, (_, i) => [bootOf(i), 0]);
    const good = { v: 1, epoch: 1, senders: [['ada', boots(1)]] };
    expect(createFrameWindow(good).save()).toEqual(good);
    const bad = [
      null,
      [],
      {},
      { ...good, v: 2 },
      { ...good, epoch: -1 },
      { ...good, senders: [['ada', [[bootOf(0), -1]]]] },
      { ...good, senders: [['ada', [['x', 1]]]] },
      { ...good, senders: [['ada', boots(maxBootsPerEpoch + 1)]] },
      { ...good, more: 1 },
    ];
    for (const saved of bad) {
      let error: unknown;
      try {
        createFrameWindow(saved);
      } catch (caught) {
        error = caught;
      }
      expect(isVakError(error, 'corrupt')).toBe(true);
    }
  });
});
