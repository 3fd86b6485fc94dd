/**
 * Filters as people type them: `error:timeout queue:"to pay" -worker:w1 attempts>2 after:2h no route` (product.md).
 * Law: total and pure; whatever was typed gives terms and faults with their places, and what has a fault filters nothing.
 */

/** How a value is read. `choice`: one of the field's words. `time`: as {@link readTime} has it. */
export type FilterKind = 'text' | 'number' | 'time' | 'choice';

export interface FilterField {
  readonly name: string;
  readonly kind: FilterKind;
  /** Of a choice. */
  readonly choices?: readonly string[];
  /** For people: what it looks at. */
  readonly help: string;
}

export type FilterOperator = ':' | '>' | '<';

/** Character positions from 0; `to` is behind the last. */
export interface FilterSpan {
  readonly from: number;
  readonly to: number;
}

/** `isNot`: it must not be so. A word is looked for anywhere, without regard to case. */
export type FilterTerm =
  | ({ readonly kind: 'word'; readonly text: string; readonly isNot: boolean } & FilterSpan)
  | ({
      readonly kind: 'field';
      readonly field: string;
      readonly operator: FilterOperator;
      /** As it was typed, without quotation marks. */
      readonly text: string;
      /** Of a number, or ms since the epoch of a time. */
      readonly value?: number;
      readonly isNot: boolean;
    } & FilterSpan);

export interface FilterFault extends FilterSpan {
  /** What is wrong, and what to type instead. */
  readonly message: string;
}

export interface ReadFilter {
  readonly terms: readonly FilterTerm[];
  readonly faults: readonly FilterFault[];
}

/** Longest filter that is read; the rest is a fault. */
const maxLength = 2048;
const maxTerms = 64;

const spans: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const moment = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?(Z)?$/;
const clockTime = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/**
 * A time, ms since the epoch: so long ago (`90s`, `15m`, `2h`, `3d`, `1w`), a day or moment (`2026-11-30`, `2026-11-30T14:05`), or a time
 * of today (`14:05`, `14:03:07.512`); all in UTC. Undefined: it is none.
 */
export function readTime(text: string, nowMs: number): number | undefined {
  const ago = /^(\d{1,6})([smhdw])$/.exec(text);
  if (ago !== null) return nowMs - Number(ago[1]) * (spans[ago[2] ?? ''] ?? 0);
  const at = moment.exec(text);
  if (at !== null) {
    const ms = Date.parse(`${at[1]}T${at[2] ?? '00:00'}Z`);
    // A day that a month does not have would silently be one of the next.
    return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(at[1] ?? '') ? ms : undefined;
  }
  const today = clockTime.exec(text);
  if (today === null) return undefined;
  const [hour, minute, second] = [Number(today[1]), Number(today[2]), Number(today[3] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Number((today[4] ?? '').padEnd(3, '0'));
  return Math.floor(nowMs / 86_400_000) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
}

interface Piece extends FilterSpan {
  readonly isNot: boolean;
  readonly name: string | undefined;
  readonly operator: FilterOperator | undefined;
  readonly text: string;
  readonly isOpen: boolean;
}

const piece = /\s*(-)?(?:([A-Za-z][A-Za-z-]{0,31})([:<>]))?(?:"([^"]*)("|$)|(\S*))/y;

/** Cuts a filter at white space that is in no quotation marks. */
function* piecesOf(text: string): Generator<Piece> {
  const reader = new RegExp(piece);
  while (reader.lastIndex < text.length) {
    const found = reader.exec(text);
    if (found === null || found[0].trim() === '') return;
    const to = reader.lastIndex;
    yield {
      from: to - found[0].trimStart().length,
      to,
      isNot: found[1] !== undefined,
      name: found[2],
      operator: found[3] as FilterOperator | undefined,
      text: found[4] ?? found[6] ?? '',
      isOpen: found[4] !== undefined && found[5] === '',
    };
  }
}

const listed = (words: readonly string[]): string => words.join(', ');

/** What is wrong with a value, or what it is. */
function readValue(
  field: FilterField,
  { text, operator }: Piece,
  nowMs: number,
): { value?: number } | { fault: string } {
  const isOrdered = field.kind === 'number' || field.kind === 'time';
  if (operator !== ':' && !isOrdered) return { fault: `${field.name} has no order; type ${field.name}:${text || '…'}` };
  if (text === '') return { fault: `${field.name}${operator} needs a value` };
  if (field.kind === 'number') {
    const value = Number(text);
    return /^\d{1,15}$/.test(text) ? { value } : { fault: `${field.name} is a whole number; “${text}” is none` };
  }
  if (field.kind === 'time') {
    const value = readTime(text, nowMs);
    const forms = 'type 2h, 3d, 14:05, 2026-11-30 or 2026-11-30T14:05 (UTC)';
    return value === undefined ? { fault: `${field.name}: “${text}” is no time; ${forms}` } : { value };
  }
  if (field.kind === 'choice' && !(field.choices ?? []).includes(text)) {
    return { fault: `${field.name} is one of ${listed(field.choices ?? [])}; “${text}” is none of them` };
  }
  return {};
}

/** Reads a filter by its fields. Never throws. */
export function readFilter(text: string, fields: readonly FilterField[], nowMs: number): ReadFilter {
  const terms: FilterTerm[] = [];
  const faults: FilterFault[] = [];

  function readField(found: Piece, operator: FilterOperator, field: FilterField): void {
    const { from, to, isNot } = found;
    const read = readValue(field, found, nowMs);
    if ('fault' in read) faults.push({ from, to, message: read.fault });
    else terms.push({ kind: 'field', field: field.name, operator, text: found.text, ...read, isNot, from, to });
  }

  function readWord({ text: word, isNot, from, to }: Piece): void {
    if (word !== '') terms.push({ kind: 'word', text: word, isNot, from, to });
    else if (isNot) faults.push({ from, to, message: 'nothing stands after the minus; type what must not be there' });
  }

  function readNamed(found: Piece, name: string, operator: FilterOperator): void {
    const field = fields.find((one) => one.name === name.toLowerCase());
    if (field !== undefined) {
      readField(found, operator, field);
      return;
    }
    const known = listed(fields.map((one) => one.name));
    const message = `there is no ${name}${operator}; known are ${known}. Words with a colon go in quotation marks`;
    faults.push({ from: found.from, to: found.to, message });
  }

  function readPiece(found: Piece): void {
    const { from, to, name, operator } = found;
    if (found.isOpen) faults.push({ from, to, message: 'a quotation mark is not closed; type another one at its end' });
    else if (name === undefined || operator === undefined) readWord(found);
    else readNamed(found, name, operator);
  }

  if (text.length > maxLength) {
    faults.push({ from: maxLength, to: text.length, message: `a filter has at most ${maxLength} characters` });
  }
  for (const found of piecesOf(text.slice(0, maxLength))) {
    if (terms.length === maxTerms) {
      faults.push({ from: found.from, to: text.length, message: `a filter has at most ${maxTerms} parts` });
      break;
    }
    readPiece(found);
  }
  return { terms, faults };
}

export interface FilterCompletion extends FilterSpan {
  /** What stands there then. */
  readonly text: string;
  readonly help: string;
}

const quoted = (text: string): string => (/[\s"]/.test(text) || text === '' ? `"${text.replaceAll('"', '')}"` : text);

/** What may be typed at a place: names of fields, or values of one. At most 20. */
export function completionsAt(
  { text, caret }: { readonly text: string; readonly caret: number },
  fields: readonly FilterField[],
  valuesOf: (field: FilterField) => readonly string[],
): readonly FilterCompletion[] {
  const from = Math.max(text.lastIndexOf(' ', caret - 1), -1) + 1;
  const typed = text.slice(from, caret);
  const found = /^(-?)([A-Za-z-]+)([:<>])"?([^"]*)$/.exec(typed);
  if (found === null) {
    const begun = typed.replace(/^-/, '').toLowerCase();
    const at = from + (typed.length - begun.length);
    return fields
      .filter(({ name }) => name.startsWith(begun) && begun !== '')
      .map(({ name, kind, help }) => ({ from: at, to: caret, text: `${name}${kind === 'number' ? '>' : ':'}`, help }))
      .slice(0, 20);
  }
  const field = fields.find(({ name }) => name === found[2]?.toLowerCase());
  if (field === undefined) return [];
  const begun = (found[4] ?? '').toLowerCase();
  const at = from + (found[1] ?? '').length + (found[2] ?? '').length + 1;
  return [...(field.choices ?? valuesOf(field))]
    .filter((value) => value.toLowerCase().includes(begun))
    .map((value) => ({ from: at, to: caret, text: quoted(value), help: '' }))
    .slice(0, 20);
}
