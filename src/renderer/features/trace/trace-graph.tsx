/** The graph of causes: each row of the trace as a node right of what caused it. Only lines in sight exist. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the listbox has the focus; its options are active descendants (WAI-ARIA listbox).
import { type KeyboardEvent, useEffect, useId, useMemo } from 'react';
import { useFixedWindow } from '../../ui/fixed-list.ts';
import { moveInList } from '../../ui/list-moves.ts';
import { useMainListFocus, useMainListKeys } from '../../ui/use-list-keys.ts';
import { useWorkbench } from '../../workbench.tsx';
import { type GraphNode, layOutGraph } from './graph-layout.ts';
import { StateIcon, type TraceRowsProps } from './trace-waterfall.tsx';
import { stateWords } from './trace-words.ts';
import { openRow, useTraceWork, useTraceWorkState } from './use-trace.ts';

const [columnPx, linePx, nodePx] = [208, 44, 184];

function Edge({ node: { column, line, causeLine } }: { readonly node: GraphNode }) {
  if (causeLine === null) return null;
  const [x, fromY, toY] = [column * columnPx, causeLine * linePx + linePx / 2, line * linePx + linePx / 2];
  return (
    <svg
      className="trace-edge"
      aria-hidden="true"
      style={{ left: `${x - (columnPx - nodePx)}px`, top: `${fromY}px` }}
      width={columnPx - nodePx}
      height={toY - fromY + 1}
    >
      <path d={`M0 0.5 H12 V${toY - fromY + 0.5} H${columnPx - nodePx}`} />
    </svg>
  );
}

function Node({
  node,
  id,
  isSelected,
}: {
  readonly node: GraphNode;
  readonly id: string;
  readonly isSelected: boolean;
}) {
  const { row, column, line } = node;
  const words = stateWords(row.state);
  return (
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      className="trace-node"
      data-key={row.id}
      data-state={row.state}
      title={row.why ?? undefined}
      style={{ left: `${column * columnPx}px`, top: `${line * linePx + 4}px`, width: `${nodePx}px` }}
    >
      <span className="trace-node-title">
        <StateIcon state={row.state} />
        <span className="trace-title">{row.title}</span>
      </span>
      <span className="trace-node-who dim data">{[row.peer ?? 'nobody here', words].filter(Boolean).join(' · ')}</span>
    </div>
  );
}

export function TraceGraph({ report, listRef }: TraceRowsProps) {
  const { view } = useWorkbench();
  const work = useTraceWork();
  const id = useId();
  const selectedId = useTraceWorkState((state) => state.selectedId);
  const { nodes, columns, lines } = useMemo(() => layOutGraph(report.rows), [report]);
  const keys = useMemo(() => report.rows.map((row) => row.id), [report]);
  const { startIndex, endIndex, totalPx, reveal } = useFixedWindow(listRef, { count: lines, rowPx: linePx });
  const active = nodes.findIndex(({ row }) => row.id === selectedId);
  const activeLine = nodes[active]?.line;
  const move = (key: string): void => {
    const pageRows = Math.max(1, Math.floor((listRef.current?.clientHeight ?? 0) / linePx));
    const next = moveInList({ keys, selectedKey: selectedId ?? undefined, pageRows }, key);
    if (next !== undefined && keys[next] !== undefined) work.select(keys[next]);
  };
  useMainListFocus(listRef, true);
  useMainListKeys({ group: 'Trace', noun: 'row' }, move);
  useEffect(() => {
    if (activeLine !== undefined) reveal(activeLine);
  }, [activeLine, reveal]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = nodes[active]?.row;
    if (event.key === 'Enter' && row !== undefined) openRow(view, row);
    else if (event.key === 'PageDown' || event.key === 'PageUp') move(event.key);
    else return;
    event.preventDefault();
  };
  const isInSight = ({ line, causeLine }: GraphNode): boolean => line >= startIndex && (causeLine ?? line) < endIndex;
  const isDrawn = activeLine !== undefined && activeLine >= startIndex && activeLine < endIndex;
  return (
    <div
      ref={listRef}
      className="trace-graph"
      role="listbox"
      tabIndex={0}
      aria-label="Graph of causes"
      aria-activedescendant={isDrawn ? `${id}-${active}` : undefined}
      data-list-home
      data-testid="trace-graph"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        const key =
          event.target instanceof Element ? event.target.closest('[data-key]')?.getAttribute('data-key') : null;
        if (key != null) work.select(key);
      }}
      onDoubleClick={() => {
        const row = nodes[active]?.row;
        if (row !== undefined) openRow(view, row);
      }}
    >
      <div className="trace-graph-space" style={{ height: `${totalPx}px`, width: `${columns * columnPx}px` }}>
        {nodes.map((node) => (isInSight(node) ? <Edge key={`edge ${node.row.id}`} node={node} /> : null))}
        {nodes.map((node, index) =>
          node.line >= startIndex && node.line < endIndex ? (
            <Node key={node.row.id} id={`${id}-${index}`} node={node} isSelected={index === active} />
          ) : null,
        )}
      </div>
    </div>
  );
}
