/** What differs between two texts, line by line. Pure, bounded: of very long changes only that they differ is told. */

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Lines on either side that are compared one by one; more are told as removed and added whole. */
const maxCompared = 600;
/** Lines of what is the same that are shown beside a change. */
const around = 3;

/** Lengths of the longest common part from each pair of places on. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let b = before.length - 1; b >= 0; b--) {
    const [row, below] = [rows[b] as Uint16Array, rows[b + 1] as Uint16Array];
    for (let a = after.length - 1; a >= 0; a--) {
      row[a] =
        before[b] === after[a] ? (below[a + 1] as number) + 1 : Math.max(below[a] as number, row[a + 1] as number);
    }
  }
  return rows;
}

const line =
  (kind: DiffLine['kind']) =>
  (text: string): DiffLine => ({ kind, text });

function compare(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length > maxCompared || after.length > maxCompared) {
    return [...before.map(line('removed')), ...after.map(line('added'))];
  }
  const common = commonLengths(before, after);
  const at = (b: number, a: number): number => common[b]?.[a] ?? 0;
  const lines: DiffLine[] = [];
  let [b, a] = [0, 0];
  while (b < before.length || a < after.length) {
    if (b < before.length && a < after.length && before[b] === after[a]) {
      lines.push({ kind: 'same', text: before[b] as string });
      b++;
      a++;
    } else if (b < before.length && (a >= after.length || at(b + 1, a) >= at(b, a + 1))) {
      lines.push({ kind: 'removed', text: before[b++] as string });
    } else lines.push({ kind: 'added', text: after[a++] as string });
  }
  return lines;
}

/** What was changed, with a few lines around; empty: nothing was. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const rest = Math.min(before.length, after.length) - head;
  while (tail < rest && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (head === before.length && head === after.length) return [];
  return [
    ...before.slice(Math.max(0, head - around), head).map(line('same')),
    ...compare(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail, before.length - tail + around).map(line('same')),
  ];
}
