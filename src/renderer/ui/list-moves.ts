/**
 * Selection and scroll of a list whose rows come and go. Pure.
 * Law: rows are known by their key, never by their place; what is looked at stays where it is.
 */

export interface ListPlace {
  readonly keys: readonly string[];
  readonly selectedKey: string | undefined;
  /** Rows that a page key moves by. */
  readonly pageRows: number;
}

/** The place of the row that a key of the keyboard leads to; undefined: it is none of the list's, or there is no row. */
export function moveInList({ keys, selectedKey, pageRows }: ListPlace, key: string): number | undefined {
  const index = selectedKey === undefined ? -1 : keys.indexOf(selectedKey);
  const steps = new Map([
    ['j', index + 1],
    ['ArrowDown', index + 1],
    ['k', index - 1],
    ['ArrowUp', index - 1],
    ['PageDown', index + pageRows],
    ['PageUp', index - pageRows],
    ['Home', 0],
    ['End', keys.length - 1],
  ]);
  const next = steps.get(key);
  return next === undefined || keys.length === 0 ? undefined : Math.max(0, Math.min(keys.length - 1, next));
}

export interface ScrollPlace {
  readonly former: readonly string[];
  readonly next: readonly string[];
  readonly scrollTop: number;
  readonly rowPx: number;
}

/** Where the list has to be scrolled to so that the first row in sight that is still there does not move. */
export function keepPlace({ former, next, scrollTop, rowPx }: ScrollPlace): number {
  const first = Math.floor(scrollTop / rowPx);
  const places = new Map(next.map((key, at) => [key, at]));
  for (let at = first; at < former.length; at++) {
    const now = places.get(former[at] as string);
    if (now !== undefined) return Math.max(0, scrollTop + (now - at) * rowPx);
  }
  return scrollTop;
}

/** What takes the place of a row that went: the one that follows it in the former order, else the one before it. */
export function neighbourOf(former: readonly string[], next: readonly string[], gone: string): string | undefined {
  const at = former.indexOf(gone);
  const isThere = (key: string): boolean => key !== gone && next.includes(key);
  return former.slice(at + 1).find(isThere) ?? former.slice(0, Math.max(0, at)).findLast(isThere) ?? next[0];
}

export interface HeldRows<T> {
  /** In the former order, each as it is now; one that is known no more as it was. */
  readonly kept: readonly T[];
  /** Those that came since. */
  readonly added: readonly T[];
}

/** Rows in the order in which they stood, so that none moves under a pointer; what came since is apart. */
export function holdOrder<T>(former: readonly T[], next: readonly T[], keyOf: (row: T) => string): HeldRows<T> {
  const now = new Map(next.map((row) => [keyOf(row), row]));
  const known = new Set(former.map(keyOf));
  return {
    kept: former.map((row) => now.get(keyOf(row)) ?? row),
    added: next.filter((row) => !known.has(keyOf(row))),
  };
}
