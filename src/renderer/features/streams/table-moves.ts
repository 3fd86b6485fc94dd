/** What keys do to the selection and the place of the live table. */
import type { TableModel } from './table-model.ts';
import { rowPx } from './table-scroll.ts';

type Table = Pick<TableModel, 'buffer' | 'scroll' | 'selectedSeq' | 'select' | 'follow' | 'toFirst' | 'touch'>;

const lastVisible = ({ scroll, buffer }: Table): number =>
  Math.min(buffer.endIndex, Math.floor((scroll.topPx + scroll.heightPx) / rowPx)) - 1;

function isVisible({ scroll }: Table, index: number): boolean {
  return index * rowPx + rowPx > scroll.topPx && index * rowPx < scroll.topPx + scroll.heightPx;
}

/** The nearest message at `index` or beyond it in the direction; markers cannot be selected. */
function messageFrom({ buffer }: Table, index: number, direction: 1 | -1): number | undefined {
  for (let at = index; at >= buffer.firstIndex && at < buffer.endIndex; at += direction) {
    if (buffer.rowAt(at)?.kind === 'message') return at;
  }
  return undefined;
}

function selectAt(table: Table, index: number, direction: 1 | -1): void {
  const { firstIndex, endIndex } = table.buffer;
  const wanted = Math.min(endIndex - 1, Math.max(firstIndex, index));
  const found = messageFrom(table, wanted, direction) ?? messageFrom(table, wanted, direction === 1 ? -1 : 1);
  if (found === undefined) return;
  table.select(table.buffer.rowAt(found)?.seq);
  table.scroll.reveal(found);
  table.touch();
}

/** Moves the selection by rows; without one in sight it begins at the lowest whole row. */
export function moveSelection(table: Table, step: number): void {
  const index = table.selectedSeq === undefined ? -1 : table.buffer.findSeq(table.selectedSeq);
  const direction = step < 0 ? -1 : 1;
  if (index < 0 || (table.scroll.isFollowing && !isVisible(table, index))) selectAt(table, lastVisible(table), -1);
  else selectAt(table, index + step, direction);
}

/** One screen up or down: the selection if there is one in sight, else the place. */
export function movePage(table: Table, direction: 1 | -1): void {
  const index = table.selectedSeq === undefined ? -1 : table.buffer.findSeq(table.selectedSeq);
  const pageRows = Math.max(1, Math.floor(table.scroll.heightPx / rowPx) - 1);
  if (index >= 0 && isVisible(table, index)) {
    selectAt(table, index + direction * pageRows, direction);
    return;
  }
  table.scroll.scrollBy(direction * pageRows * rowPx);
  table.touch();
}

/** Selects the oldest message that there is. */
export function moveToOldest(table: Table): void {
  if (table.toFirst === undefined) selectAt(table, table.buffer.firstIndex, 1);
  else table.toFirst();
}

/** Moves by key, wherever they are pressed in the table. */
export const tableKeys: ReadonlyMap<string, (table: Table) => void> = new Map([
  ['j', (table: Table) => moveSelection(table, 1)],
  ['ArrowDown', (table: Table) => moveSelection(table, 1)],
  ['k', (table: Table) => moveSelection(table, -1)],
  ['ArrowUp', (table: Table) => moveSelection(table, -1)],
  ['PageDown', (table: Table) => movePage(table, 1)],
  ['PageUp', (table: Table) => movePage(table, -1)],
  ['Home', moveToOldest],
  ['End', (table: Table) => table.follow()],
  ['g', (table: Table) => table.follow()],
  ['G', (table: Table) => table.follow()],
]);
