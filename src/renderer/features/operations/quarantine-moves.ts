/**
 * The selection in a list whose newest row stands first: a message keeps it while others arrive. Pure.
 * Law: rows are known by their seq, never by their place.
 */

/** What of a row decides. */
interface Row {
  readonly seq: number;
}

export interface QuarantinePlace {
  readonly rows: readonly Row[];
  readonly selectedSeq: number | undefined;
  /** Rows that a page key moves by. */
  readonly pageRows: number;
}

/** Place of the selected row; −1 when nothing is selected or it is not kept any more. */
export function selectedIndex({ rows, selectedSeq }: Pick<QuarantinePlace, 'rows' | 'selectedSeq'>): number {
  return selectedSeq === undefined ? -1 : rows.findIndex(({ seq }) => seq === selectedSeq);
}

/** Place that the key goes to; undefined: it is not a key of the list, or there is no row. */
export function moveInQuarantine(place: QuarantinePlace, key: string): number | undefined {
  const { rows, pageRows } = place;
  const index = selectedIndex(place);
  const steps = new Map([
    ['j', index + 1],
    ['ArrowDown', index + 1],
    ['k', index - 1],
    ['ArrowUp', index - 1],
    ['PageDown', index + pageRows],
    ['PageUp', index - pageRows],
    ['Home', 0],
    ['End', rows.length - 1],
  ]);
  const next = steps.get(key);
  return next === undefined || rows.length === 0 ? undefined : Math.max(0, Math.min(rows.length - 1, next));
}

/** How many rows have come before what was the first one; 0 when that is not kept any more. */
export function arrivedBefore(rows: readonly Row[], formerFirstSeq: number | undefined): number {
  return formerFirstSeq === undefined ? 0 : Math.max(0, selectedIndex({ rows, selectedSeq: formerFirstSeq }));
}
