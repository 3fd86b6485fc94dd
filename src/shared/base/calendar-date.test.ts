import { expect, test } from 'vitest';
import { isCalendarDate } from './calendar-date.ts';

test('E1 the calendar agrees with Date for every day of four hundred years', () => {
  for (let year = 1799; year <= 2201; year++) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = new Date(Date.UTC(year, month - 1, day));
        const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        if (isCalendarDate(year, month, day) !== isReal) expect.unreachable(`${year}-${month}-${day}`);
      }
    }
  }
  expect(isCalendarDate(0, 2, 29)).toBe(true);
  expect(isCalendarDate(10_000, 1, 1)).toBe(false);
  expect(isCalendarDate(Number.NaN, 1, 1)).toBe(false);
});
