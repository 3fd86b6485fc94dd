/** JSON as a tree (WAI-ARIA): only the rows in sight exist; what would not be seen is shown as a sign. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus; its items are active descendants (WAI-ARIA tree).
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { useFixedWindow } from '../fixed-list.ts';
import { formatCount } from '../format.ts';
import { inlineLength, type JsonRow, type ShownValue } from './json-rows.ts';
import { treeKeys } from './json-tree-keys.ts';
import type { TreeState } from './payload-desk.ts';
import type { TreePort } from './payload-port.ts';
import './json-tree.css';

const rowPx = 18;
const indentPx = 12;
/** Deeper levels stand below each other. */
const maxIndent = 32;

function counted(count: number, one: string): string {
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
}

function StringValue({ value, isOpen }: { readonly value: ShownValue; readonly isOpen: boolean | undefined }) {
  const length = counted(value.count, 'character');
  if (isOpen) return <span className="dim">{length}</span>;
  if (!value.isCut) return <span className="json-string">"{visibleText(value.text)}"</span>;
  return (
    <>
      <span className="json-string">"{visibleText(value.text)}</span>
      {isOpen === undefined ? (
        <span className="json-more">{length}: whole as text, or saved</span>
      ) : (
        <span className="json-more">show all {length}</span>
      )}
    </>
  );
}

function Value({ value, isOpen }: { readonly value: ShownValue; readonly isOpen: boolean | undefined }) {
  switch (value.kind) {
    case 'object':
      return <span className="dim">{`{${counted(value.count, 'member')}}`}</span>;
    case 'array':
      return <span className="dim">{`[${counted(value.count, 'item')}]`}</span>;
    case 'string':
      return <StringValue value={value} isOpen={isOpen} />;
    case 'number':
    case 'word':
      return <span>{value.text}</span>;
  }
}

function Arrow({ isOpen }: { readonly isOpen: boolean | undefined }) {
  if (isOpen === undefined) return <span className="json-leaf" />;
  return isOpen ? <ChevronDown size={12} aria-hidden="true" /> : <ChevronRight size={12} aria-hidden="true" />;
}

/** A name of a length that leaves room for its value. */
function shortName(name: string): string {
  return visibleText(name.length <= inlineLength ? name : `${name.slice(0, inlineLength)}…`);
}

function RowContent({ row }: { readonly row: JsonRow }) {
  switch (row.kind) {
    case 'part':
      return (
        <>
          <span className="json-leaf" />
          <span className="json-string">{visibleText(row.text)}</span>
        </>
      );
    case 'group': {
      const { first, count } = row.span;
      return (
        <>
          <Arrow isOpen={row.isOpen} />
          <span className="dim">
            {formatCount(first)} … {formatCount(first + count - 1)}
          </span>
        </>
      );
    }
    case 'value':
      return (
        <>
          <Arrow isOpen={row.isOpen} />
          {row.name !== undefined && <span className="json-name">{shortName(row.name)}: </span>}
          <Value value={row.value} isOpen={row.isOpen} />
          {row.isRepeated && <span className="json-again tone-wait">same name again</span>}
        </>
      );
  }
}

/** A string of which only the beginning is shown: as much of it as there is room for beside the way to the rest. */
function isCutString(row: JsonRow): boolean {
  return row.kind === 'value' && row.value.kind === 'string' && row.value.isCut && row.isOpen !== true;
}

interface TreeItemProps {
  readonly id: string;
  readonly row: JsonRow;
  readonly topPx: number;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function TreeItem({ id, row, topPx, isActive, onChoose }: TreeItemProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys of its items.
    <div
      id={id}
      className={isCutString(row) ? 'json-row json-row-cut' : 'json-row'}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isActive}
      aria-expanded={row.kind === 'part' ? undefined : row.isOpen}
      style={{
        transform: `translateY(${topPx}px)`,
        paddingLeft: `${Math.min(row.level - 1, maxIndent) * indentPx + 8}px`,
      }}
      onClick={onChoose}
    >
      <RowContent row={row} />
    </div>
  );
}

/** A selection that the reader has just made is no click on the row. */
function isSelecting(): boolean {
  return window.getSelection()?.isCollapsed === false;
}

const noRows: readonly JsonRow[] = [];

interface Window {
  readonly start: number;
  readonly rows: readonly JsonRow[];
}

/** The rows in sight, as soon as they have been asked for; until then those that were. */
function useRows(tree: TreePort, range: { readonly start: number; readonly end: number }, count: number): Window {
  const [shown, setShown] = useState<Window>({ start: 0, rows: noRows });
  const { start, end } = range;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the count of rows those at the same places are others.
  useEffect(() => {
    let isCurrent = true;
    tree.rows(start, end).then(
      (rows) => isCurrent && setShown({ start, rows }),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [tree, start, end, count]);
  return shown;
}

/** Moves one after the other, each from where the last one ended: keys come faster than another thread answers. */
function useMoves(tree: TreePort, state: TreeState, onState: (state: TreeState) => void) {
  const active = useRef(0);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  active.current = state.active;
  const then = (key: string, pageRows: number, from: () => number): void => {
    last.current = last.current.then(async () => {
      const next = await tree.move({ key, active: from(), pageRows });
      if (next === undefined) return;
      active.current = next.active;
      onState(next);
    });
  };
  return {
    move: (key: string, pageRows: number): void => then(key, pageRows, () => active.current),
    choose: (index: number): void => then('toggle', 1, () => index),
  };
}

export interface JsonTreeProps {
  readonly tree: TreePort;
  /** Rows at the start. */
  readonly firstCount: number;
}

export function JsonTree({ tree, firstCount }: JsonTreeProps) {
  const list = useRef<HTMLDivElement>(null);
  const idBase = useId();
  const [state, setState] = useState<TreeState>({ count: firstCount, active: 0 });
  const range = useFixedWindow(list, { count: state.count, rowPx });
  const shown = useRows(tree, { start: range.startIndex, end: range.endIndex }, state.count);
  const { move, choose } = useMoves(tree, state, (next) => {
    setState(next);
    range.reveal(next.active);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !treeKeys.has(event.key)) return;
    event.preventDefault();
    move(event.key, Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / rowPx) - 1));
  };
  const onChoose = (index: number): void => {
    if (isSelecting()) setState({ ...state, active: index });
    else choose(index);
  };
  const isActiveDrawn = state.active >= shown.start && state.active < shown.start + shown.rows.length;
  return (
    <div
      ref={list}
      className="json-tree"
      role="tree"
      aria-label="Payload as JSON"
      tabIndex={0}
      aria-activedescendant={isActiveDrawn ? `${idBase}-${state.active}` : undefined}
      data-testid="payload-json"
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className="json-space" style={{ height: `${range.totalPx}px` }}>
        {shown.rows.map((row, at) => {
          const index = shown.start + at;
          return (
            <TreeItem
              key={row.id}
              id={`${idBase}-${index}`}
              row={row}
              topPx={range.topOf(index)}
              isActive={index === state.active}
              onChoose={() => onChoose(index)}
            />
          );
        })}
      </div>
    </div>
  );
}
