/** The letters of what is chosen, newest first: thousands of rows, of which those in sight are read. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { LockKeyhole } from 'lucide-react';
import { type KeyboardEvent, memo, type ReactNode, type RefObject, useEffect } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { LetterRow } from '../../../shared/contract/dlq-contract.ts';
import { formatCount, formatDateTime, formatTime, formatZone, type Zone } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { useViewState } from '../../workbench.tsx';
import { StateMark } from './letter-marks.tsx';
import type { LetterPages, LetterSlot } from './letter-pages.ts';
import { stateWords } from './letter-words.ts';

/** Where nothing is known yet a row is called by its place. */
export const slotKey = ({ row, index }: LetterSlot): string => (row === undefined ? `#${index}` : String(row.seq));

interface CellsProps {
  readonly row: LetterRow;
  readonly isPicked: boolean;
  readonly zone: Zone;
  /** Undefined: nothing can be picked. */
  readonly onToggle: Picking['onToggle'] | undefined;
}

const Cells = memo(function Cells({ row, isPicked, zone, onToggle }: CellsProps) {
  const { seq, failedMs, state, queue, errorClass, reason, attempts, closedWhy } = row;
  return (
    <>
      <span role="gridcell" className="row-cell letter-pick">
        {onToggle !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select letter ${formatCount(seq)}`}
            checked={isPicked}
            onPointerUp={(event) => event.stopPropagation()}
            onChange={() => onToggle(seq)}
          />
        )}
      </span>
      <span role="gridcell" className="row-cell data dim" title={formatDateTime(failedMs, zone)}>
        {formatTime(failedMs, zone)}
      </span>
      <span role="gridcell" className="row-cell">
        <StateMark word={stateWords[state]} />
      </span>
      <span role="gridcell" className="row-cell data letter-queue">
        <MiddleText text={queue} />
      </span>
      <span role="gridcell" className="row-cell data letter-class">
        <MiddleText text={errorClass} />
      </span>
      <span role="gridcell" className="row-cell" title={visibleText(reason)}>
        {visibleText(reason)}
      </span>
      <span role="gridcell" className="row-cell letter-closed">
        {closedWhy !== null && (
          <LockKeyhole
            size={13}
            className="tone-wait"
            role="img"
            aria-label={`cannot be opened: ${visibleText(closedWhy)}`}
          />
        )}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data dim">
        {attempts === 0 ? '–' : formatCount(attempts)}
      </span>
    </>
  );
});

/** Says which rows are in sight; drawn while a row is not known. */
function Sight({
  index,
  want,
  children,
}: {
  readonly index: number;
  readonly want: LetterPages['want'];
  readonly children: ReactNode;
}) {
  useEffect(() => want(index), [want, index]);
  return (
    <div role="presentation" className="letter-columns">
      {children}
    </div>
  );
}

function Header({ zone }: { readonly zone: Zone }) {
  return (
    <div role="row" className="letter-columns task-heads" aria-rowindex={1}>
      <span role="columnheader">
        <span className="visually-hidden">Selected</span>
      </span>
      <span role="columnheader">Failed ({formatZone(zone, Date.now())})</span>
      <span role="columnheader">State</span>
      <span role="columnheader" className="letter-queue">
        Queue
      </span>
      <span role="columnheader" className="letter-class">
        Error
      </span>
      <span role="columnheader">Reason</span>
      <span role="columnheader">
        <span className="visually-hidden">Cannot be opened</span>
      </span>
      <span role="columnheader" className="row-cell-number" title="Attempts that were made">
        Tries
      </span>
    </div>
  );
}

/** Letters that are picked for what is done with them. */
export interface Picking {
  readonly picked: ReadonlySet<number>;
  readonly isAll: boolean;
  readonly onToggle: (seq: number) => void;
  /** Shift and an arrow: the picks go on by one row. */
  readonly onExtend: (key: 'ArrowDown' | 'ArrowUp') => void;
}

export interface LetterListProps {
  readonly slots: readonly LetterSlot[];
  readonly want: LetterPages['want'];
  readonly selectedKey: string | undefined;
  /** Undefined: nothing is done with them. */
  readonly picking?: Picking;
  /** `key`: of the row; one that is not known yet is `#index`. */
  readonly onSelect: (key: string) => void;
  readonly onOpen: (seq: number) => void;
  readonly onHover?: (isOver: boolean) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

export function LetterList(props: LetterListProps) {
  const { slots, want, selectedKey, picking, onSelect, onOpen, onHover, listRef } = props;
  const isPicked = ({ seq }: LetterRow): boolean => picking?.isAll === true || picking?.picked.has(seq) === true;
  const zone = useViewState((state) => state.timeZone);
  const onKeyDownCapture = (event: KeyboardEvent): void => {
    if (picking === undefined || !event.shiftKey) return;
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    picking.onExtend(event.key);
  };
  const open = (key: string): void => {
    if (!key.startsWith('#')) onOpen(Number(key));
  };
  return (
    <div className="row-list-frame" onKeyDownCapture={onKeyDownCapture}>
      <RowList
        label="Dead letters, newest first"
        rows={slots}
        keyOf={slotKey}
        selectedKey={selectedKey}
        onSelect={onSelect}
        onPick={open}
        onOpen={open}
        {...(onHover === undefined ? {} : { onHover })}
        className="letter-list"
        header={<Header zone={zone} />}
        listRef={listRef}
        data-testid="letter-list"
        rowData={({ row }) => ({
          'data-state': row?.state,
          'data-picked': row !== undefined && isPicked(row),
        })}
      >
        {({ row, index }) => (
          <Sight index={index} want={want}>
            {row === undefined ? (
              <span role="gridcell" className="row-cell letter-waiting" aria-label="being read" />
            ) : (
              <Cells row={row} isPicked={isPicked(row)} zone={zone} onToggle={picking?.onToggle} />
            )}
          </Sight>
        )}
      </RowList>
    </div>
  );
}
