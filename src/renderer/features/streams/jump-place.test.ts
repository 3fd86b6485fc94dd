import { expect, it } from 'vitest';
import { nextInstead, readJump, whyNoSeq } from './jump-place.ts';

const nowMs = Date.UTC(2026, 10, 30, 15, 0, 0);

it.each([
  ['1204', { kind: 'from', seq: 1204 }],
  [' #12 345 ', { kind: 'from', seq: 12_345 }],
  ['#1\u202f204', { kind: 'from', seq: 1204 }],
  ['14:03:07.512', { kind: 'time', ms: Date.UTC(2026, 10, 30, 14, 3, 7, 512) }],
  ['14:05', { kind: 'time', ms: Date.UTC(2026, 10, 30, 14, 5) }],
  ['2026-11-29T14:05:06.7Z', { kind: 'time', ms: Date.UTC(2026, 10, 29, 14, 5, 6, 700) }],
  ['2h', { kind: 'time', ms: nowMs - 7_200_000 }],
])('V5 %s is read as a place', (text, place) => {
  expect(readJump(text, nowMs)).toEqual(place);
});

it.each([
  ['', 'type a sequence (#1204)'],
  ['0', 'sequences begin at 1'],
  ['99999999999999999', 'there is no sequence of 17 digits'],
  ['yesterday', '“yesterday” is neither: type a sequence'],
  ['2026-02-30', 'is neither'],
  ['25:00', 'is neither'],
  ['-5', 'is neither'],
  ['1e3', 'is neither'],
  ['16:00', 'that time has not come yet'],
])('V5 %s is refused with what to type', (text, why) => {
  expect(readJump(text, nowMs)).toContain(why);
});

it('V5 a sequence that is not held says what is; one that is left out says which is next', () => {
  const range = { firstSeq: 400, lastSeq: 900 };
  expect(whyNoSeq(17, range, 'live')).toBe('#17 has left it: the table holds #400 to #900');
  expect(whyNoSeq(901, range, 'stored')).toBe('#901 has not come yet: the stream holds #400 to #900');
  expect([whyNoSeq(400, range, 'live'), whyNoSeq(900, range, 'live')]).toEqual([undefined, undefined]);
  expect(whyNoSeq(1, undefined, 'stored')).toBe('the stream is empty');
  expect(nextInstead({ kind: 'from', seq: 5 }, 5)).toBeUndefined();
  expect(nextInstead({ kind: 'from', seq: 5 }, 8)).toContain('#8 is the next');
});
