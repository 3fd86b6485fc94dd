/** Where the nodes of the graph of causes lie: causes to the left, the first effect on the line of its cause, others below. Pure. */
import type { TraceRow } from '../../../shared/contract/trace-contract.ts';

export interface GraphNode {
  readonly row: TraceRow;
  readonly column: number;
  readonly line: number;
  /** Line of its cause; null: it has none here. */
  readonly causeLine: number | null;
}

export interface GraphLayout {
  readonly nodes: readonly GraphNode[];
  readonly columns: number;
  readonly lines: number;
}

/** Lays out rows that stand below their causes. */
export function layOutGraph(rows: readonly TraceRow[]): GraphLayout {
  const placed = new Map<string, { column: number; line: number; hasEffect: boolean }>();
  const nodes: GraphNode[] = [];
  let [lines, columns] = [0, 0];
  for (const row of rows) {
    const cause = row.parentId === null ? undefined : placed.get(row.parentId);
    const isBeside = cause !== undefined && !cause.hasEffect;
    const line = isBeside ? cause.line : lines++;
    if (cause !== undefined) cause.hasEffect = true;
    const column = cause === undefined ? 0 : cause.column + 1;
    columns = Math.max(columns, column + 1);
    placed.set(row.id, { column, line, hasEffect: false });
    nodes.push({ row, column, line, causeLine: cause?.line ?? null });
  }
  return { nodes, columns, lines };
}
