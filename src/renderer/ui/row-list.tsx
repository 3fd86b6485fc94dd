/**
 * A list of rows of one height: only those in sight exist, keys move the selection, and nothing moves under whoever reads.
 * It is a grid whose rows are active descendants (WAI-ARIA): the focus is on the list.
 */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { useFixedWindow } from './fixed-list.ts';
import { keepPlace, moveInList } from './list-moves.ts';
import { useHover } from './use-hover.ts';
import { useKeptScroll } from './use-kept-scroll.ts';
import { type MainList, useMainListFocus, useMainListKeys, useTypeAhead } from './use-list-keys.ts';
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
  /** What a row is found by as its beginning is typed; undefined: by nothing. */
  readonly nameOf?: (row: T) => string;
  /** It is what the view is about: its keys act anywhere in the view, and it has the focus when the view opens. */
  readonly main?: MainList;
  /** New rows come above: a selected one stays where it is, too. */
  readonly isNewestFirst?: boolean;
  readonly 'data-testid': string;
}

/** Whoever has scrolled or selected keeps what he looks at where it is. */
function useAnchor(
  list: RefObject<HTMLDivElement | null>,
  {
    keys,
    rowPx,
    isAnchored,
  }: { readonly keys: readonly string[]; readonly rowPx: number; readonly isAnchored: boolean },
): void {
  const former = useRef<readonly string[]>(keys);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && (element.scrollTop > 0 || isAnchored) && former.current !== keys)
      element.scrollTop = keepPlace({ former: former.current, next: keys, scrollTop: element.scrollTop, rowPx });
    former.current = keys;
  }, [list, keys, rowPx, isAnchored]);
}

function keyUnder(target: EventTarget): string | undefined {
  const key = target instanceof Element ? target.closest('[data-key]')?.getAttribute('data-key') : undefined;
  return key ?? undefined;
}

interface KeyPlace {
  readonly keys: readonly string[];
  /** Place of the selected row; −1: none is. */
  readonly active: number;
  readonly headPx: number;
  readonly rowPx: number;
}

/** Where the list was left; and what keys do: they move the selection, find a row by its name, open it; those of a main list anywhere in the view. */
function useRowKeys<T>(
  props: RowListProps<T>,
  { keys, active, headPx, rowPx }: KeyPlace,
): (event: KeyboardEvent) => void {
  const { rows, selectedKey, onSelect, onOpen, listRef, main, nameOf } = props;
  useKeptScroll(listRef, props['data-testid']);
  const keyAfter = (pressedKey: string): string | undefined => {
    const pageRows = Math.max(1, Math.floor(((listRef.current?.clientHeight ?? 0) - headPx) / rowPx) - 1);
    const next = moveInList({ keys, selectedKey, pageRows }, pressedKey);
    return next === undefined ? undefined : keys[next];
  };
  const typeAhead = useTypeAhead();
  useMainListFocus(listRef, main !== undefined);
  useMainListKeys(main, (pressedKey) => {
    const key = keyAfter(pressedKey);
    if (key !== undefined) onSelect(key);
    listRef.current?.focus({ preventScroll: true });
  });
  return (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const found = typeAhead(event, nameOf && { names: rows.map(nameOf), selected: active });
    const key = found === undefined ? keyAfter(event.key) : keys[found];
    if (key !== undefined) onSelect(key);
    else if (event.key === 'Enter' && active >= 0 && selectedKey !== undefined && event.target === event.currentTarget)
      onOpen?.(selectedKey);
    else if (found === undefined) return;
    event.preventDefault();
  };
}

export function RowList<T>(props: RowListProps<T>) {
  const { label, rows, keyOf, rowPx = 28, selectedKey, onSelect, onOpen, header, className, listRef } = props;
  const id = useId();
  const keys = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const headPx = header === undefined ? 0 : 28;
  const range = useFixedWindow(listRef, { count: rows.length, rowPx, coveredPx: headPx });
  useAnchor(listRef, { keys, rowPx, isAnchored: props.isNewestFirst === true && selectedKey !== undefined });
  const active = selectedKey === undefined ? -1 : keys.indexOf(selectedKey);
  const isDrawn = active >= range.startIndex && active < range.endIndex;
  const pressed = useRef<string | undefined>(undefined);
  const hover = useHover(props.onHover);
  // Whoever moves through the list sees where it is; a list that nobody moves through is not scrolled.
  const revealActive = (): void => {
    if (active >= 0 && document.activeElement === listRef.current) range.reveal(active);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that moves is not followed, one that is chosen is.
  useLayoutEffect(revealActive, [selectedKey]);
  const firstRow = header === undefined ? 1 : 2;
  const onKeyDown = useRowKeys(props, { keys, active, headPx, rowPx });
  return (
    <div
      ref={listRef}
      className={`row-list ${className}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + firstRow - 1}
      aria-activedescendant={isDrawn ? `${id}-${active}` : undefined}
      data-list-home={props.main === undefined ? undefined : true}
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
        {...hover}
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
