/** What a key does to a tree of JSON (WAI-ARIA tree pattern, and j/k as in every list). Pure. */
import { type JsonRow, parentIndex, toggleRow } from './json-rows.ts';

/** The keys of a tree. */
export const treeKeys: ReadonlySet<string> = new Set([
  ...['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'PageDown', 'PageUp', 'Home', 'End', 'Enter', ' ', 'j', 'k'],
]);

export interface TreePlace {
  readonly bytes: Uint8Array;
  readonly rows: readonly JsonRow[];
  /** Index of the row that has the focus. */
  readonly active: number;
  /** Rows that a page key moves by. */
  readonly pageRows: number;
}

/** Inward: opens, or goes to the first row below; outward: closes, or goes to the row that holds it. */
function sideways({ bytes, rows, active }: TreePlace, isInward: boolean): Pick<TreePlace, 'rows' | 'active'> {
  const row = rows[active];
  const isOpen = row === undefined || row.kind === 'part' ? undefined : row.isOpen;
  if (isOpen !== undefined && isOpen !== isInward) return { rows: toggleRow(bytes, rows, active), active };
  if (isInward) return { rows, active: isOpen === true ? active + 1 : active };
  return { rows, active: parentIndex(rows, active) };
}

/** The tree after the key; undefined: the key is not the tree's. */
export function stepInTree(place: TreePlace, key: string): Pick<TreePlace, 'rows' | 'active'> | undefined {
  const { bytes, rows, active, pageRows } = place;
  const to = (index: number) => ({ rows, active: Math.max(0, Math.min(rows.length - 1, index)) });
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(active + 1);
    case 'ArrowUp':
    case 'k':
      return to(active - 1);
    case 'PageDown':
      return to(active + pageRows);
    case 'PageUp':
      return to(active - pageRows);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      return sideways(place, true);
    case 'ArrowLeft':
      return sideways(place, false);
    case 'Enter':
    case ' ':
      return { rows: toggleRow(bytes, rows, active), active };
    default:
      return undefined;
  }
}
