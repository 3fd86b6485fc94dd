/**
 * Numbers as the engine writes them for people: each with its unit (look.md "Manners").
 * Law: thin-space thousands, a no-break space before the unit, one unit that a person would choose.
 */

const thinSpace = '\u202f';
const unitSpace = '\u00a0';

/** `12 400`. */
export function countWords(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, thinSpace);
}

/** `1 task`, `12 400 tasks`. */
export function quantityWords(value: number, [one, many]: readonly [string, string]): string {
  return `${countWords(value)} ${value === 1 ? one : many}`;
}

/** `12/s`, `0.4/s`. */
export function rateWords(perSecond: number): string {
  return perSecond > 0 && perSecond < 9.95 ? `${Number(perSecond.toFixed(1))}/s` : `${countWords(perSecond)}/s`;
}

/** `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function spanWords(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${seconds}${unitSpace}s`;
  if (hours < 1) return `${minutes}${unitSpace}min`;
  if (hours < 48) return `${hours}${unitSpace}h ${String(minutes % 60).padStart(2, '0')}${unitSpace}min`;
  return `${countWords(Math.floor(hours / 24))}${unitSpace}d ${hours % 24}${unitSpace}h`;
}
