/** Which row of a timeline stays where it is, and whether its end is in sight. Pure. */

/** A row as it lies in what scrolls. */
export interface RowBox {
  readonly key: string;
  readonly topPx: number;
  readonly heightPx: number;
}

export interface Anchor {
  readonly key: string;
  /** From the top of what is in sight; negative: it begins above. */
  readonly offsetPx: number;
}

/** Less than a line from the end is at the end. */
const endPx = 8;

/** The first row that is wholly in sight, else the one that is partly: days and lines are no place to hold on to. */
export function anchorAmong(boxes: readonly RowBox[], scrollTop: number): Anchor | undefined {
  const rows = boxes.filter(({ key }) => key.startsWith('m:') || key.startsWith('e:'));
  const box = rows.find(({ topPx }) => topPx >= scrollTop) ?? rows.findLast(({ topPx }) => topPx < scrollTop);
  return box === undefined ? undefined : { key: box.key, offsetPx: box.topPx - scrollTop };
}

export function isAtEnd({
  scrollTop,
  scrollHeight,
  clientHeight,
}: {
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}): boolean {
  return scrollHeight - scrollTop - clientHeight <= endPx;
}
