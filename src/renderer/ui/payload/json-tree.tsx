/** JSON as a tree (WAI-ARIA): only the rows in sight exist; what would not be seen is shown as a sign. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus; its items are active descendants (WAI-ARIA tree).
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { JsonNode } from '../../../shared/base/json-scan.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { useFixedWindow } from '../fixed-list.ts';
import { formatCount } from '../format.ts';
import { inlineLength, type JsonRow, openRows, toggleRow, type ValueRow } from './json-rows.ts';
import { stepInTree } from './json-tree-keys.ts';
import './json-tree.css';

const rowPx = 18;
const indentPx = 12;
/** Deeper levels stand below each other. */
const maxIndent = 32;

/** A text cut to `inlineLength`, without half a character at its end. */
function cut(text: string): string {
  const end = /[\ud800-\udbff]$/.test(text.slice(0, inlineLength)) ? inlineLength - 1 : inlineLength;
  return text.length <= inlineLength ? text : `${text.slice(0, end)}…`;
}

function counted(count: number, one: string): string {
  return `${formatCount(count)} ${count === 1 ? one : `${one}s`}`;
}

function StringValue({ value, isOpen }: { readonly value: string; readonly isOpen: boolean | undefined }) {
  const length = counted(value.length, 'character');
  if (isOpen === undefined) return <span className="json-string">"{visibleText(value)}"</span>;
  if (isOpen) return <span className="dim">{length}</span>;
  return (
    <>
      <span className="json-string">"{visibleText(cut(value))}</span>
      <span className="json-more">show all {length}</span>
    </>
  );
}

function Value({ node, isOpen }: { readonly node: JsonNode; readonly isOpen: boolean | undefined }) {
  switch (node.kind) {
    case 'object':
      return <span className="dim">{`{${counted(node.members.length, 'member')}}`}</span>;
    case 'array':
      return <span className="dim">{`[${counted(node.items.length, 'item')}]`}</span>;
    case 'string':
      return <StringValue value={node.value} isOpen={isOpen} />;
    case 'number':
      return <span>{node.text}</span>;
    case 'boolean':
      return <span>{String(node.value)}</span>;
    case 'null':
      return <span>null</span>;
  }
}

function RowContent({ row }: { readonly row: ValueRow }) {
  const { name, node, isOpen } = row;
  return (
    <>
      {isOpen === undefined ? (
        <span className="json-leaf" />
      ) : isOpen ? (
        <ChevronDown size={12} aria-hidden="true" />
      ) : (
        <ChevronRight size={12} aria-hidden="true" />
      )}
      {name !== undefined && <span className="json-name">{visibleText(cut(name))}: </span>}
      <Value node={node} isOpen={isOpen} />
    </>
  );
}

/** A string of which only the beginning is shown: as much of it as there is room for beside the way to the rest. */
function isCutString(row: JsonRow): boolean {
  return row.kind === 'value' && row.node.kind === 'string' && row.isOpen === false;
}

interface TreeItemProps {
  readonly id: string;
  readonly row: JsonRow;
  readonly index: number;
  readonly isActive: boolean;
  readonly onChoose: (index: number) => void;
}

function TreeItem({ id, row, index, isActive, onChoose }: TreeItemProps) {
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
      aria-expanded={row.kind === 'value' ? row.isOpen : undefined}
      style={{
        transform: `translateY(${index * rowPx}px)`,
        paddingLeft: `${Math.min(row.level - 1, maxIndent) * indentPx + 8}px`,
      }}
      onClick={() => onChoose(index)}
    >
      {row.kind === 'value' ? (
        <RowContent row={row} />
      ) : (
        <>
          <span className="json-leaf" />
          <span className="json-string">{visibleText(row.text)}</span>
        </>
      )}
    </div>
  );
}

/** A selection that the reader has just made is no click on the row. */
function isSelecting(): boolean {
  return window.getSelection()?.isCollapsed === false;
}

export function JsonTree({ root }: { readonly root: JsonNode }) {
  const list = useRef<HTMLDivElement>(null);
  const idBase = useId();
  const [rows, setRows] = useState(() => openRows(root));
  const [active, setActive] = useState(0);
  const range = useFixedWindow(list, { count: rows.length, rowPx });
  const toggle = (index: number): void => {
    setActive(index);
    if (!isSelecting()) setRows(toggleRow(rows, index));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pageRows = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / rowPx) - 1);
    const step = stepInTree({ rows, active, pageRows }, event.key);
    if (step === undefined) return;
    event.preventDefault();
    setActive(step.active);
    if (step.rows !== rows) setRows(step.rows);
    range.reveal(step.active);
  };
  const isActiveDrawn = active >= range.startIndex && active < range.endIndex;
  return (
    <div
      ref={list}
      className="json-tree"
      role="tree"
      aria-label="Payload as JSON"
      tabIndex={0}
      aria-activedescendant={isActiveDrawn ? `${idBase}-${active}` : undefined}
      data-testid="payload-json"
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className="json-space" style={{ height: `${range.totalPx}px` }}>
        {rows.slice(range.startIndex, range.endIndex).map((row, at) => {
          const index = range.startIndex + at;
          return (
            <TreeItem
              key={row.id}
              id={`${idBase}-${index}`}
              row={row}
              index={index}
              isActive={index === active}
              onChoose={toggle}
            />
          );
        })}
      </div>
    </div>
  );
}
