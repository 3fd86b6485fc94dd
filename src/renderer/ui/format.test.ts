import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatCount,
  formatDateTime,
  formatDuration,
  formatMebibytes,
  formatPercent,
  formatRate,
  formatRelative,
  formatShortCount,
  formatTime,
  formatTimeOfDay,
  formatZone,
  shortenId,
  thinSpace,
  unitSpace,
} from './format.ts';

/** For reading, `_` stands for the thin space and `~` for the one before a unit. */
const thin = (text: string): string => text.replaceAll('_', thinSpace).replaceAll('~', unitSpace);

describe('numbers', () => {
  it.each([
    [0, 0, '0'],
    [999, 0, '999'],
    [1204, 0, '1_204'],
    [1_234_567, 0, '1_234_567'],
    [-12_345, 0, '−12_345'],
    [1234.5, 2, '1_234.50'],
    [-0.01, 1, '0.0'],
    [Number.NaN, 0, '–'],
  ])('writes %d with %d decimals as %s', (value, decimals, expected) => {
    expect(formatCount(value, decimals)).toBe(thin(expected));
  });

  it.each([
    [0, '0'],
    [999_999, '999_999'],
    [1_204_332, '1.20~M'],
    [34_512_000, '34.5~M'],
    [999_900_000, '999.9~M'],
    [1_000_000_000, '1.00~G'],
    [-2_000_000, '−2.00~M'],
    [Number.NaN, '–'],
  ])('writes %d in a narrow column as %s', (value, expected) => {
    expect(formatShortCount(value)).toBe(thin(expected));
  });

  it('keeps every digit of any safe integer', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (value) => formatCount(value).replaceAll(thinSpace, '') === String(value)));
  });

  it.each([
    [0, '0/s'],
    [0.1, '0.1/s'],
    [0.04, '0/s'],
    [2, '2/s'],
    [9.96, '10/s'],
    [38.4, '38/s'],
    [2431, '2_431/s'],
  ])('writes the rate %d as %s', (value, expected) => {
    expect(formatRate(value)).toBe(thin(expected));
  });

  it('writes percentages with their unit', () => {
    expect(formatPercent(4.2)).toBe(thin('4~%'));
    expect(formatPercent(187.25, 1)).toBe(thin('187.3~%'));
  });
});

describe('ages', () => {
  it.each([
    [-5, '0~s'],
    [41_900, '41~s'],
    [572_000, '9~min 32~s'],
    [600_000, '10~min'],
    [3_599_999, '59~min'],
    [3_600_000, '1~h 00~min'],
    [35_999_999, '9~h 59~min'],
    [36_000_000, '10~h'],
    [86_399_999, '23~h'],
    [273_600_000, '3~d 4~h'],
  ])('writes %d ms as %s', (ms, expected) => {
    expect(formatAge(ms)).toBe(thin(expected));
  });

  it('are never longer than their column', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 86_400_000 * 999 }), (ms) => formatAge(ms).length <= 10));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_000_000_000 }), (value) => formatShortCount(value).length <= 8),
    );
  });
});

describe('sizes', () => {
  it.each([
    [0, '0~B'],
    [412, '412~B'],
    [1023, '1_023~B'],
    [1024, '1.0~KiB'],
    [1536, '1.5~KiB'],
    [1_048_575, '1.0~MiB'],
    [3_250_586, '3.1~MiB'],
    [1_299_227_607, '1.2~GiB'],
    [5 * 1024 ** 4, '5.0~TiB'],
    [5000 * 1024 ** 4, '5_000.0~TiB'],
  ])('writes %d bytes as %s', (value, expected) => {
    expect(formatBytes(value)).toBe(thin(expected));
  });

  it('never prints 1 024 of a unit that has a larger one', () => {
    fc.assert(fc.property(fc.nat({ max: 2 ** 31 - 1 }), (value) => !formatBytes(value).startsWith(thin('1_024'))));
  });

  it('gives MiB without unit', () => {
    expect(formatMebibytes(64 * 1_048_576, 0)).toBe('64');
    expect(formatMebibytes(3_250_586)).toBe('3.1');
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 10, 29, 14, 3, 7, 12);

  it('writes UTC with milliseconds', () => {
    expect(formatTime(at, 'utc')).toBe('14:03:07.012');
    expect(formatTimeOfDay(at, 'utc')).toBe('14:03:07');
    expect(formatDateTime(at, 'utc')).toBe('2026-11-29 14:03:07.012 UTC');
    expect(formatZone('utc', at)).toBe('UTC');
  });

  it('writes the local time with its offset', () => {
    const local = new Date(2026, 0, 5, 6, 7, 8, 9).getTime();
    expect(formatTime(local, 'local')).toBe('06:07:08.009');
    expect(formatDateTime(local, 'local')).toMatch(/^2026-01-05 06:07:08\.009 UTC[+−]\d\d:\d\d$/);
    expect(formatZone('local', local)).toMatch(/^UTC[+−]\d\d:\d\d$/);
  });

  it('does not invent a time', () => {
    expect(formatTime(Number.NaN, 'utc')).toBe('–');
    expect(formatDateTime(9e15, 'local')).toBe('–');
    expect(formatRelative(Number.NaN, at)).toBe('–');
    expect(formatDuration(Number.NaN)).toBe('–');
  });

  it.each([
    [0, '0~ms'],
    [412, '412~ms'],
    [999.7, '1.0~s'],
    [41_200, '41.2~s'],
    [59_960, '1~min 00~s'],
    [192_000, '3~min 12~s'],
    [7_500_000, '2~h 05~min'],
    [3 * 86_400_000 + 4 * 3_600_000, '3~d 4~h'],
    [-412, '−412~ms'],
  ])('writes the duration %d ms as %s', (value, expected) => {
    expect(formatDuration(value)).toBe(thin(expected));
  });

  it.each([
    [0, 'now'],
    [-999, 'now'],
    [4_900, '4~s ago'],
    [125_000, '2~min ago'],
    [3 * 3_600_000, '3~h ago'],
    [50 * 3_600_000, '2~d ago'],
    [-125_000, 'in 2~min'],
  ])('writes an age of %d ms as %s', (age, expected) => {
    expect(formatRelative(at - age, at)).toBe(thin(expected));
  });
});

describe('ids', () => {
  it('keeps short ids whole and shortens long ones in the middle', () => {
    expect(shortenId('r-7f3')).toBe('r-7f3');
    expect(shortenId('123456789012')).toBe('123456789012');
    expect(shortenId('019a3c0e-41f2-7c10-8d01')).toBe('019a3c0e…d01');
  });

  it('never exceeds its length nor splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 4, max: 30 }), (id, max) => {
        const short = [...shortenId(id, max)];
        return short.length <= Math.max(max, 4) && short.every((c) => c === '…' || id.includes(c));
      }),
    );
  });
});
