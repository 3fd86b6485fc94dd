/** Rows of text with their columns below each other, for people. */
import { visibleText } from '../../shared/base/visible-text.ts';

/** Gives lines, in which nothing is hidden; the columns are two spaces apart, and stand to the right where `isRight` says so. */
export function textTable(
  given: readonly (readonly string[])[],
  isRight: (column: number) => boolean = () => false,
): string {
  const rows = given.map((row) => row.map(visibleText));
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const cellText = (cell: string, at: number): string =>
    isRight(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => `${row.map(cellText).join('  ').trimEnd()}\n`).join('');
}
