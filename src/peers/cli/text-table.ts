/** Rows of text with their columns below each other, for people. */

/** Gives lines; the columns are two spaces apart, and numbers stand to the right where `isRight` says so. */
export function textTable(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = () => false,
): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const cellText = (cell: string, at: number): string =>
    isRight(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => `${row.map(cellText).join('  ').trimEnd()}\n`).join('');
}
