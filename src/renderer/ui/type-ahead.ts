/**
 * Type-ahead in a list: letters that follow each other lead to the row whose name begins so (look.md "Manners"). Pure.
 * Law: a key that does something begins no search, with Shift every letter begins one; while one goes on every letter is its own.
 */

export interface Search {
  readonly text: string;
  /** When its last letter was typed, ms. */
  readonly atMs: number;
}

/** A search is over so long after its last letter. */
const searchMs = 1_000;

export interface TypedKey {
  readonly search: Search | undefined;
  /** `KeyboardEvent.key`. */
  readonly key: string;
  readonly nowMs: number;
  /** Whether this press does something else. */
  readonly isBound: boolean;
}

/** The search that the key begins or goes on with; undefined: it is none of a search. */
export function searchOn({ search, key, nowMs, isBound }: TypedKey): Search | undefined {
  if ([...key].length !== 1) return undefined;
  const isUnderWay = search !== undefined && nowMs - search.atMs < searchMs;
  if (isUnderWay) return { text: search.text + key.toLowerCase(), atMs: nowMs };
  return isBound || key === ' ' ? undefined : { text: key.toLowerCase(), atMs: nowMs };
}

const isOneLetter = (text: string): boolean => new Set(text).size === 1;

/** The place of the row that is meant, from the selected one on and around the end; the same letter again and again goes through all that begin with it. */
export function findByName(
  names: readonly string[],
  selected: number,
  { text }: Pick<Search, 'text'>,
): number | undefined {
  const from = (start: number, wanted: string): number | undefined => {
    const order = names.map((_, step) => (start + step + names.length) % names.length);
    return order.find((at) => names[at]?.toLowerCase().startsWith(wanted));
  };
  const [letter = ''] = text;
  const whole = [...text].length > 1 ? from(Math.max(0, selected), text) : undefined;
  return whole ?? (isOneLetter(text) ? from(selected + 1, letter) : undefined);
}
