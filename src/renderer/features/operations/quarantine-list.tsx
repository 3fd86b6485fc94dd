/** The newest refused messages, newest first: what is read does not move. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import type { RefObject } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QuarantinedMessage } from '../../../shared/contract/streams-contract.ts';
import { formatBytes, formatTime, formatZone } from '../../ui/format.ts';
import { refusalWords } from '../../ui/refusal-words.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useViewState } from '../../workbench.tsx';
import './quarantine-list.css';

const rowPx = 28;
/** Rows that are in sight at once, at most. */
const maxShownRows = 10;

const keyOf = ({ seq }: QuarantinedMessage): string => String(seq);

export interface QuarantineListProps {
  readonly rows: readonly QuarantinedMessage[];
  readonly selectedSeq: number | undefined;
  readonly onSelect: (seq: number) => void;
  /** Shows the message itself. */
  readonly onOpen: (seq: number) => void;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

function Cells({ row }: { readonly row: QuarantinedMessage }) {
  const zone = useViewState((state) => state.timeZone);
  const subject = visibleText(row.subject);
  const why = visibleText(row.why);
  return (
    <div role="presentation" className="quarantine-columns">
      <span role="gridcell" className="row-cell data dim">
        {formatTime(row.atMs, zone)}
      </span>
      <span role="gridcell" className="row-cell data" title={subject}>
        {subject}
      </span>
      <span role="gridcell" className="row-cell quarantine-reason">
        {refusalWords[row.reason]}
      </span>
      <span role="gridcell" className="row-cell" title={why}>
        {why}
      </span>
      <span role="gridcell" className="row-cell row-cell-number data dim">
        {formatBytes(row.sizeBytes)}
      </span>
    </div>
  );
}

function Header() {
  const zone = useViewState((state) => state.timeZone);
  return (
    <div role="row" className="quarantine-columns row-list-heads" aria-rowindex={1}>
      <span role="columnheader">Time ({formatZone(zone, Date.now())})</span>
      <span role="columnheader">Subject</span>
      <span role="columnheader">Reason</span>
      <span role="columnheader">Why</span>
      <span role="columnheader" className="row-cell-number">
        Size
      </span>
    </div>
  );
}

export function QuarantineList({ rows, selectedSeq, onSelect, onOpen, listRef }: QuarantineListProps) {
  return (
    <div className="row-list-frame" style={{ height: `${(Math.min(rows.length, maxShownRows) + 1) * rowPx}px` }}>
      <RowList
        label="Refused messages, newest first"
        className="quarantine-list"
        rows={rows}
        keyOf={keyOf}
        nameOf={({ subject }) => subject}
        rowPx={rowPx}
        selectedKey={selectedSeq === undefined ? undefined : String(selectedSeq)}
        onSelect={(key) => onSelect(Number(key))}
        onOpen={(key) => onOpen(Number(key))}
        listRef={listRef}
        isNewestFirst
        rowData={({ seq, reason }) => ({ 'data-testid': 'quarantine-row', 'data-seq': seq, 'data-reason': reason })}
        data-testid="quarantine-list"
        header={<Header />}
      >
        {(row) => <Cells row={row} />}
      </RowList>
    </div>
  );
}
