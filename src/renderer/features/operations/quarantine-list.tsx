/** The newest refused messages, newest first: only the rows in sight exist, and what is read does not move. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QuarantinedMessage } from '../../../shared/contract/streams-contract.ts';
import { useFixedWindow } from '../../ui/fixed-list.ts';
import { formatBytes, formatTime, formatZone, type Zone } from '../../ui/format.ts';
import { refusalWords } from '../../ui/refusal-words.ts';
import { useViewState } from '../../workbench.tsx';
import { arrivedBefore, moveInQuarantine, selectedIndex } from './quarantine-moves.ts';
import './quarantine-list.css';

const rowPx = 28;
/** Rows that are in sight at once, at most. */
const maxShownRows = 10;

export interface QuarantineListProps {
  readonly rows: readonly QuarantinedMessage[];
  readonly selectedSeq: number | undefined;
  readonly onSelect: (seq: number) => void;
  /** Shows the message itself. */
  readonly onOpen: (seq: number) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

interface RowProps {
  readonly id: string;
  readonly row: QuarantinedMessage;
  readonly index: number;
  readonly isSelected: boolean;
  readonly zone: Zone;
}

function Row({ id, row, index, isSelected, zone }: RowProps) {
  const subject = visibleText(row.subject);
  const why = visibleText(row.why);
  return (
    <div
      id={id}
      role="row"
      className="quarantine-row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ transform: `translateY(${index * rowPx}px)` }}
      data-testid="quarantine-row"
      data-seq={row.seq}
      data-reason={row.reason}
    >
      <span role="gridcell" className="quarantine-cell data dim">
        {formatTime(row.atMs, zone)}
      </span>
      <span role="gridcell" className="quarantine-cell data" title={subject}>
        {subject}
      </span>
      <span role="gridcell" className="quarantine-cell quarantine-reason">
        {refusalWords[row.reason]}
      </span>
      <span role="gridcell" className="quarantine-cell" title={why}>
        {why}
      </span>
      <span role="gridcell" className="quarantine-cell quarantine-size data dim">
        {formatBytes(row.sizeBytes)}
      </span>
    </div>
  );
}

/** New rows come above: whoever has scrolled or selected keeps what he looks at where it is. */
function useAnchor(list: RefObject<HTMLDivElement | null>, { rows, selectedSeq }: QuarantineListProps): void {
  const formerFirst = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const element = list.current;
    const arrived = arrivedBefore(rows, formerFirst.current);
    formerFirst.current = rows[0]?.seq;
    if (element !== null && arrived > 0 && (element.scrollTop > 0 || selectedSeq !== undefined))
      element.scrollTop += arrived * rowPx;
  }, [list, rows, selectedSeq]);
}

function Header({ zone }: { readonly zone: Zone }) {
  return (
    <div role="rowgroup" className="quarantine-head">
      <div role="row" className="quarantine-header" aria-rowindex={1}>
        <span role="columnheader">Time ({formatZone(zone, Date.now())})</span>
        <span role="columnheader">Subject</span>
        <span role="columnheader">Reason</span>
        <span role="columnheader">Why</span>
        <span role="columnheader" className="quarantine-size">
          Size
        </span>
      </div>
    </div>
  );
}

export function QuarantineList(props: QuarantineListProps) {
  const { rows, selectedSeq, onSelect, onOpen, listRef } = props;
  const id = useId();
  const zone = useViewState((state) => state.timeZone);
  const range = useFixedWindow(listRef, { count: rows.length, rowPx, coveredPx: rowPx });
  useAnchor(listRef, props);
  const active = selectedIndex({ rows, selectedSeq });
  const isDrawn = active >= range.startIndex && active < range.endIndex;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pageRows = Math.max(1, Math.floor((listRef.current?.clientHeight ?? 0) / rowPx) - 2);
    const next = moveInQuarantine({ rows, selectedSeq, pageRows }, event.key);
    const row = next === undefined ? undefined : rows[next];
    if (row !== undefined && next !== undefined) {
      onSelect(row.seq);
      range.reveal(next);
    } else if (event.key === 'Enter' && active >= 0 && selectedSeq !== undefined) onOpen(selectedSeq);
    else return;
    event.preventDefault();
  };
  const seqUnder = (target: EventTarget): number | undefined => {
    const seq = target instanceof Element ? target.closest('[data-seq]')?.getAttribute('data-seq') : undefined;
    return seq === null || seq === undefined ? undefined : Number(seq);
  };
  return (
    <div
      ref={listRef}
      className="quarantine-list"
      role="grid"
      style={{ height: `${(Math.min(rows.length, maxShownRows) + 1) * rowPx}px` }}
      tabIndex={0}
      aria-label="Refused messages, newest first"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={isDrawn ? `${id}-${active}` : undefined}
      data-testid="quarantine-list"
      onKeyDown={onKeyDown}
    >
      <Header zone={zone} />
      <div
        className="quarantine-space"
        role="rowgroup"
        style={{ height: `${range.totalPx}px` }}
        onPointerDown={(event) => {
          const seq = event.button === 0 ? seqUnder(event.target) : undefined;
          if (seq !== undefined) onSelect(seq);
        }}
        onDoubleClick={(event) => {
          const seq = seqUnder(event.target);
          if (seq !== undefined) onOpen(seq);
        }}
      >
        {rows.slice(range.startIndex, range.endIndex).map((row, at) => {
          const index = range.startIndex + at;
          return (
            <Row
              key={row.seq}
              id={`${id}-${index}`}
              row={row}
              index={index}
              isSelected={index === active}
              zone={zone}
            />
          );
        })}
      </div>
    </div>
  );
}
