/** The left panel: all subjects, the workspace, its sessions; type to filter, arrows to move, Enter to open. */
import { type KeyboardEvent, type RefObject, useId, useMemo, useRef, useState } from 'react';
import { useFixedWindow } from '../../ui/fixed-list.ts';
import { formatCount } from '../../ui/format.ts';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { createSessionOrder } from './session-order.ts';
import { sessionTree, type TreeNode } from './session-tree.ts';
import { TreeRow } from './tree-row.tsx';
import './session-list.css';

const rowPx = 28;

export interface SessionListProps {
  readonly filterRef: RefObject<HTMLInputElement | null>;
  /** Shows messages of one session, or of all subjects. */
  readonly onSelect: (session: string | null) => void;
  /** Opens the session view of a session. */
  readonly onOpen: (session: string) => void;
}

interface TreeState {
  readonly rows: readonly TreeNode[];
  readonly toggle: (id: string, isExpanded: boolean) => void;
}

function useTree(filter: string): TreeState {
  const sessions = useSnapshot('sessions.list')?.sessions;
  const workspace = useSnapshot('app.status')?.workspace;
  const allPerSecond = useSnapshot('streams.status')?.inPerSecond ?? 0;
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(() => new Set());
  const [order] = useState(createSessionOrder);
  const ordered = useMemo(() => order(sessions ?? []), [order, sessions]);
  const rows = useMemo(
    () => sessionTree({ sessions: ordered, workspace: workspace ?? 'workspace', filter, collapsed, allPerSecond }),
    [ordered, workspace, filter, collapsed, allPerSecond],
  );
  const toggle = (id: string, isExpanded: boolean): void => {
    const next = new Set(collapsed);
    if (isExpanded) next.delete(id);
    else next.add(id);
    setCollapsed(next);
  };
  return { rows, toggle };
}

/** Where → leads from a row, and ←: into or out of a branch. */
function sidewaysRow({ rows, toggle }: TreeState, index: number, isInward: boolean): number {
  const node = rows[index];
  if (node?.kind === 'branch' && node.isExpanded !== isInward) {
    toggle(node.id, isInward);
    return index;
  }
  if (isInward) return node?.kind === 'branch' ? index + 1 : index;
  const level = node?.level ?? 1;
  for (let at = index; at >= 0; at--) if ((rows[at]?.level ?? 1) < level) return at;
  return index;
}

function ListHead({ sessionCount }: { readonly sessionCount: number }) {
  return (
    <header className="streams-panel-head">
      <h1 className="streams-title">Streams</h1>
      <span className="dim">
        {formatCount(sessionCount)} {sessionCount === 1 ? 'session' : 'sessions'}
      </span>
    </header>
  );
}

interface SessionFilterProps extends Pick<SessionListProps, 'filterRef'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function SessionFilter({ filterRef, value, onChange, onKeyDown }: SessionFilterProps) {
  return (
    <div className="session-filter">
      <input
        ref={filterRef}
        className="field-input"
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder="Filter sessions"
        aria-label="Filter sessions"
        aria-keyshortcuts="f"
        data-testid="session-filter"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

export function SessionList({ filterRef, onSelect, onOpen }: SessionListProps) {
  const [filter, setFilter] = useState('');
  const [activeId, setActiveId] = useState('all');
  const tree = useTree(filter);
  const { rows, toggle } = tree;
  const selected = useViewState((state) => (state.selectedStream === null ? state.selectedSession : undefined));
  const list = useRef<HTMLDivElement>(null);
  const idBase = useId();
  const range = useFixedWindow(list, { count: rows.length, rowPx });
  const activeIndex = Math.max(
    0,
    rows.findIndex((node) => node.id === activeId),
  );
  const sessionCount = rows.find((node) => node.kind === 'branch')?.sessionCount ?? 0;

  const choose = (node: TreeNode): void => {
    setActiveId(node.id);
    if (node.kind === 'all') onSelect(null);
    else if (node.kind === 'session') onSelect(node.session.session);
    else toggle(node.id, !node.isExpanded);
  };
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setActiveId(rows[next]?.id ?? 'all');
    range.reveal(next);
  };
  const onTreeKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = rows[activeIndex];
    const moves = new Map([
      ['ArrowDown', () => moveTo(activeIndex + 1)],
      ['j', () => moveTo(activeIndex + 1)],
      ['ArrowUp', () => moveTo(activeIndex - 1)],
      ['k', () => moveTo(activeIndex - 1)],
      ['Home', () => moveTo(0)],
      ['End', () => moveTo(rows.length - 1)],
      ['ArrowRight', () => moveTo(sidewaysRow(tree, activeIndex, true))],
      ['ArrowLeft', () => moveTo(sidewaysRow(tree, activeIndex, false))],
      [' ', () => node && choose(node)],
      ['Enter', () => (node?.kind === 'session' ? onOpen(node.session.session) : node && choose(node))],
    ]);
    const move = moves.get(event.key);
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
  const onFilterKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && filter !== '') setFilter('');
    else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      moveTo(rows.findIndex((node) => node.kind === 'session'));
      list.current?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <ListHead sessionCount={sessionCount} />
      <SessionFilter filterRef={filterRef} value={filter} onChange={setFilter} onKeyDown={onFilterKey} />
      <div
        ref={list}
        className="session-tree"
        role="tree"
        aria-label="Sessions"
        tabIndex={0}
        aria-activedescendant={`${idBase}-${activeIndex}`}
        data-testid="session-tree"
        onKeyDown={onTreeKey}
      >
        <div role="presentation" className="session-tree-space" style={{ height: `${range.totalPx}px` }}>
          {rows.slice(range.startIndex, range.endIndex).map((node, at) => {
            const index = range.startIndex + at;
            return (
              <TreeRow
                key={node.id}
                id={`${idBase}-${index}`}
                node={node}
                topPx={index * rowPx}
                isActive={index === activeIndex}
                isSelected={
                  node.kind === 'all' ? selected === null : node.kind === 'session' && node.session.session === selected
                }
                onChoose={choose}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      </div>
      {filter !== '' && sessionCount === 0 && <p className="session-none dim">No session matches “{filter}”.</p>}
    </>
  );
}
