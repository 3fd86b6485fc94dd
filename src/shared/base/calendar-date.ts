/**
 * Days of the Gregorian calendar, for texts that name one.
 * Law: total for any numbers; no time zone and no clock is asked.
 */

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Whether there is such a day: year 0–9999, month 1–12, day from 1. */
export function isCalendarDate(year: number, month: number, day: number): boolean {
  return year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}
