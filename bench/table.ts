/** The rows as a table for people. */
import type { NotMeasured, Row, Target } from './rounds.ts';

/** Three figures that count: `412 k`, `1.07 M`, `0.0213`. */
export function short(value: number): string {
  const [scaled, unit] = value >= 1e6 ? [value / 1e6, ' M'] : value >= 1e3 ? [value / 1e3, ' k'] : [value, ''];
  const digits = scaled >= 100 ? 0 : scaled >= 10 ? 1 : scaled >= 1 ? 2 : 4;
  return scaled.toFixed(digits) + unit;
}

function targetText(target: Target | undefined): string {
  if (target === undefined) return '–';
  return 'atLeast' in target ? `≥ ${target.atLeast} ×` : `≤ ${target.atMost} ×`;
}

const verdictOf = ({ isMet, isNoisy }: Row): string => {
  const verdict = isMet === undefined ? '–' : isMet ? 'met' : 'MISSED';
  return isNoisy ? `${verdict}, noisy` : verdict;
};

/** One line a row, columns aligned; what was not measured stands below with its reason. */
export function tableOf(rows: readonly Row[], notMeasured: readonly NotMeasured[]): string {
  const cells = [
    ['', 'work', 'ours', 'peer', 'unit', 'ratio', 'least – most', 'spread', 'target', ''],
    ...rows.map((row) => [
      ...[row.plan, row.title, short(row.ours.median), short(row.peer.median), row.unit],
      ...[`${short(row.ratio.median)} ×`, `${short(row.ratio.least)} – ${short(row.ratio.most)}`],
      ...[`${Math.round(row.ratio.spread * 100)} %`, targetText(row.target), verdictOf(row)],
    ]),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? [];
  const lines = cells.map((line) =>
    line
      .map((cell, column) => (isFigure(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const missing = notMeasured.map(
    ({ plan, title, target, reason }) => `${plan}  ${title} (${targetText(target)}): not measured: ${reason}`,
  );
  return [...lines, ...missing].join('\n');
}

const isFigure = (column: number): boolean => [2, 3, 5, 6, 7, 8].includes(column);
