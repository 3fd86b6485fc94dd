/**
 * A list of rows of one height: only those in sight exist, keys move the selection, and nothing moves under whoever reads.
 * It is a grid whose rows are active descendants (WAI-ARIA): the focus is on the list.
 */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { useFixedWindow } from './fixed-list.ts';
import { keepPlace, moveInList } from './list-moves.ts';
import './row-list.css';

export interface RowListProps<T> {
  /** Accessible name; says the order. */
  readonly label: string;
  readonly rows: readonly T[];
  /** Of no other row, and its own while it is there. */
  readonly keyOf: (row: T) => string;
  readonly rowPx?: number;
  readonly selectedKey: string | undefined;
  readonly onSelect: (key: string) => void;
  /** A click on a row, after the press that selected it. */
  readonly onPick?: (key: string) => void;
  /** Enter, or a double click. */
  readonly onOpen?: ((key: string) => void) | undefined;
  /** Heads of the columns: one element with the role `row`; undefined: there is none. */
  readonly header?: ReactNode;
  /** Puts header and rows into the same columns. */
  readonly className: string;
  /** The cells of a row, each with the role `gridcell`. */
  readonly children: (row: T) => ReactNode;
  /** What tells rows apart for style sheets and tests. */
  readonly rowData?: (row: T) => Readonly<Record<`data-${string}`, string | number | boolean | undefined>>;
  readonly listRef: RefObject<HTMLDivElement | null>;
  /** Whether the pointer is over the rows, so that they had better stay where they are. */
  readonly onHover?: (isOver: boolean) => void;
  readonly 'data-testid': string;
}

/** Whoever has scrolled or selected keeps what he looks at where it is. */
function useAnchor(list: RefObject<HTMLDivElement | null>, keys: readonly string[], rowPx: number): void {
  const former = useRef<readonly string[]>(keys);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && element.scrollTop > 0 && former.current !== keys)
      element.scrollTop = keepPlace({ former: former.current, next: keys, scrollTop: element.scrollTop, rowPx });
    former.current = keys;
  }, [list, keys, rowPx]);
}

function keyUnder(target: EventTarget): string | undefined {
  const key = target instanceof Element ? target.closest('[data-key]')?.getAttribute('data-key') : undefined;
  return key ?? undefined;
}

export function RowList<T>(props: RowListProps<T>) {
  const { label, rows, keyOf, rowPx = 28, selectedKey, onSelect, onOpen, header, className, listRef } = props;
  const id = useId();
  const keys = rows.map(keyOf);
  const headPx = header === undefined ? 0 : 28;
  const range = useFixedWindow(listRef, { count: rows.length, rowPx, coveredPx: headPx });
  useAnchor(listRef, keys, rowPx);
  const active = selectedKey === undefined ? -1 : keys.indexOf(selectedKey);
  const isDrawn = active >= range.startIndex && active < range.endIndex;
  const pressed = useRef<string | undefined>(undefined);
  const { reveal } = range;
  // Whoever moves through the list sees where it is; a list that nobody moves through is not scrolled.
  const revealActive = (): void => {
    if (active >= 0 && document.activeElement === listRef.current) reveal(active);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that moves is not followed, one that is chosen is.
  useLayoutEffect(revealActive, [selectedKey]);
  const firstRow = header === undefined ? 1 : 2;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const pageRows = Math.max(1, Math.floor(((listRef.current?.clientHeight ?? 0) - headPx) / rowPx) - 1);
    const next = moveInList({ keys, selectedKey, pageRows }, event.key);
    const key = next === undefined ? undefined : keys[next];
    if (key !== undefined) onSelect(key);
    else if (event.key === 'Enter' && active >= 0 && selectedKey !== undefined && event.target === event.currentTarget)
      onOpen?.(selectedKey);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={listRef}
      className={`row-list ${className}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + firstRow - 1}
      aria-activedescendant={isDrawn ? `${id}-${active}` : undefined}
      data-testid={props['data-testid']}
      onKeyDown={onKeyDown}
      onFocus={revealActive}
    >
      {header !== undefined && (
        <div role="rowgroup" className="row-list-head">
          {header}
        </div>
      )}
      <div
        className="row-list-space"
        role="rowgroup"
        style={{ height: `${range.totalPx}px` }}
        onPointerEnter={() => props.onHover?.(true)}
        onPointerLeave={() => props.onHover?.(false)}
        onPointerDown={(event) => {
          const key = event.button === 0 ? keyUnder(event.target) : undefined;
          pressed.current = key;
          if (key !== undefined) onSelect(key);
        }}
        onPointerUp={(event) => {
          const key = event.button === 0 ? keyUnder(event.target) : undefined;
          // A row that came under the pointer meanwhile was not meant, and what was marked to be copied is no click.
          const isClick = key === pressed.current && window.getSelection()?.isCollapsed !== false;
          if (key !== undefined && isClick) props.onPick?.(key);
        }}
        onDoubleClick={(event) => {
          const key = keyUnder(event.target);
          if (key !== undefined) onOpen?.(key);
        }}
      >
        {rows.slice(range.startIndex, range.endIndex).map((row, at) => {
          const index = range.startIndex + at;
          const key = keys[index] as string;
          return (
            <div
              key={key}
              id={`${id}-${index}`}
              role="row"
              className="row-list-row"
              aria-rowindex={index + firstRow}
              aria-selected={index === active}
              style={{ height: `${rowPx}px`, transform: `translateY(${index * rowPx}px)` }}
              data-key={key}
              {...props.rowData?.(row)}
            >
              {props.children(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
