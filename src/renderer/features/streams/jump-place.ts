/** A place in a table as people type it: a time or a sequence (docs/spec/streams.md V5). Pure. */
import { readTime } from '../../../shared/filter/typed-filter.ts';
import { formatCount, formatDateTime, type Zone } from '../../ui/format.ts';

/** Where to go. Times are ms since the epoch. */
export type JumpPlace =
  | { readonly kind: 'from'; readonly seq: number }
  | { readonly kind: 'time'; readonly ms: number };

/** What may be typed, in one line. */
export const jumpForms =
  'a sequence (#1204), a time (14:05, 14:03:07.512, 2026-11-30T14:05, in UTC), or so long ago (90s, 2h, 3d)';

/** Reads what was typed; a text says what is wrong with it. */
export function readJump(text: string, nowMs: number): JumpPlace | string {
  const typed = text.trim();
  if (typed === '') return `type ${jumpForms}`;
  const digits = /^#?([\d\s]*\d)$/.exec(typed)?.[1]?.replaceAll(/\s/g, '');
  if (digits !== undefined) {
    const seq = Number(digits);
    if (seq === 0) return 'sequences begin at 1';
    return Number.isSafeInteger(seq) ? { kind: 'from', seq } : `there is no sequence of ${digits.length} digits`;
  }
  const ms = readTime(typed, nowMs);
  if (ms === undefined) return `“${typed.slice(0, 40)}” is neither: type ${jumpForms}`;
  return ms > nowMs ? 'that time has not come yet' : { kind: 'time', ms };
}

/** Which places a table can go to; undefined: nothing is there yet. */
export type JumpRange = { readonly firstSeq: number; readonly lastSeq: number } | undefined;

/** Why a sequence is none that the table can show; undefined: it may be. */
export function whyNoSeq(seq: number, range: JumpRange, kind: 'live' | 'stored'): string | undefined {
  const where = kind === 'live' ? 'the table' : 'the stream';
  if (range === undefined || range.firstSeq > range.lastSeq) return `${where} is empty`;
  if (seq >= range.firstSeq && seq <= range.lastSeq) return undefined;
  const gone = seq < range.firstSeq ? 'has left it' : 'has not come yet';
  return `#${formatCount(seq)} ${gone}: ${where} holds #${formatCount(range.firstSeq)} to #${formatCount(range.lastSeq)}`;
}

/** What is said where no row is there from a place on. */
export function nothingFrom(place: JumpPlace, zone: Zone): string {
  return place.kind === 'from'
    ? `no row that the filter means comes from #${formatCount(place.seq)} on`
    : `no row that the filter means came at ${formatDateTime(place.ms, zone)} or later`;
}

/** What is said where the row that was found is not the one that was asked for; undefined: it is. */
export function nextInstead(place: JumpPlace, found: number): string | undefined {
  if (place.kind === 'time' || place.seq === found) return undefined;
  return `#${formatCount(place.seq)} is not among these rows (deleted, or left out by the filter): #${formatCount(found)} is the next`;
}
