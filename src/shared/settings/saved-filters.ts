/**
 * Typed filters that were given a name, as a setting keeps them: one text, a JSON object of names and filters.
 * Law: a name stands once; what cannot be read is no list, and nothing is written that could not be read again.
 */

export interface SavedFilter {
  readonly name: string;
  readonly filter: string;
}

const maxSaved = 64;
const maxNameLength = 40;
const maxFilterLength = 2048;
/** Longest text of a setting, in UTF-16 units. */
const maxTextLength = 4096;

/** What is allowed, for people. */
export const savedFiltersForm = `{"name":"filter", …}: ${maxSaved} names of at most ${maxNameLength} characters, ${maxTextLength} characters together`;

/** Why a text is no name; undefined: it is one. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'give it a name';
  if (name !== name.trim()) return 'take the space before or after it away';
  if (name.length > maxNameLength) return `at most ${maxNameLength} characters`;
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name) ? 'it has a character that is not seen' : undefined;
}

function readAll(text: string): readonly SavedFilter[] | undefined {
  if (text.length > maxTextLength) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const areFit = entries.every(
    ([name, filter]) =>
      nameFault(name) === undefined &&
      typeof filter === 'string' &&
      filter.trim() !== '' &&
      filter.length <= maxFilterLength,
  );
  return areFit && entries.length <= maxSaved ? entries.map(([name, filter]) => ({ name, filter })) : undefined;
}

/** Whether a setting may hold it. */
export function areSavedFilters(value: unknown): boolean {
  return typeof value === 'string' && readAll(value) !== undefined;
}

/** The filters of a setting, by name; none of null. */
export function savedFiltersOf(text: string | null): readonly SavedFilter[] {
  const found = text === null ? [] : (readAll(text) ?? []);
  return [...found].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** The text of a list; null for an empty one. */
function textOf(filters: readonly SavedFilter[]): string | null {
  if (filters.length === 0) return null;
  return JSON.stringify(Object.fromEntries(filters.map(({ name, filter }) => [name, filter])));
}

/** The list with a filter under a name, which it may have had; a string: why not. */
export function withFilter(
  filters: readonly SavedFilter[],
  { name, filter }: SavedFilter,
): string | { readonly text: string | null } {
  const fault = nameFault(name);
  if (fault !== undefined) return fault;
  const others = filters.filter((one) => one.name !== name);
  if (others.length >= maxSaved) return `there are ${maxSaved} already: delete one first`;
  const text = textOf([...others, { name, filter: filter.trim() }]);
  if (text !== null && readAll(text) === undefined)
    return `together they are longer than ${maxTextLength} characters: delete one first`;
  return { text };
}

/** The list with one under another name; a string: why not. */
export function withName(
  filters: readonly SavedFilter[],
  from: string,
  to: string,
): string | { readonly text: string | null } {
  const one = filters.find(({ name }) => name === from);
  if (one === undefined) return 'it is gone';
  if (to !== from && filters.some(({ name }) => name === to)) return 'another one has this name';
  return withFilter(
    filters.filter(({ name }) => name !== from),
    { name: to, filter: one.filter },
  );
}

/** The list without one. */
export function withoutFilter(filters: readonly SavedFilter[], name: string): { readonly text: string | null } {
  return { text: textOf(filters.filter((one) => one.name !== name)) };
}
