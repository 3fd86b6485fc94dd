/** One element of the live table's fixed set: it shows whichever row lies at its index. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { Unplug } from 'lucide-react';
import { memo } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { Outage } from '../../../shared/contract/connections-contract.ts';
import type { LiveBuffer } from '../../state/live-buffer.ts';
import { outageWords } from '../../ui/connection-words.ts';
import { formatBytes, formatCount, formatTime, type Zone } from '../../ui/format.ts';
import { TrustBadges } from '../../ui/trust-badges.tsx';
import { isRefusedRow } from '../../ui/trust-words.ts';
import { shortSubject } from './short-subject.ts';

export const slotId = (table: string, slot: number): string => `${table}-row-${slot}`;

export interface LiveRowSlotProps {
  readonly id: string;
  readonly buffer: LiveBuffer;
  /** −1: no row here. */
  readonly index: number;
  /** Its place for screen readers, from 1 with the header. */
  readonly rowNumber: number;
  /** With `epoch`: tells rows apart that had the same index one after the other. */
  readonly seq: number | undefined;
  /** With `droppedCount` and `marks`: changes when the entry at the same index is another one. */
  readonly epoch: number;
  readonly droppedCount: number;
  /** Changes when it is known how long it took. */
  readonly outage: Outage | undefined;
  /** Trust that may be found out while the row stands. */
  readonly marks: number;
  readonly isSelected: boolean;
  readonly zone: Zone;
  readonly workspace: string | undefined;
}

function DroppedRow({ rowNumber, droppedCount }: Pick<LiveRowSlotProps, 'rowNumber' | 'droppedCount'>) {
  return (
    <div
      className="live-row live-row-dropped"
      role="row"
      aria-rowindex={rowNumber}
      data-testid="dropped-marker"
      data-count={droppedCount}
    >
      <span role="gridcell" className="live-dropped-text">
        {formatCount(droppedCount)} {droppedCount === 1 ? 'message' : 'messages'} missed here
      </span>
    </div>
  );
}

interface OutageRowProps extends Pick<LiveRowSlotProps, 'rowNumber' | 'zone'> {
  readonly outage: Outage;
}

function OutageRow({ rowNumber, outage, zone }: OutageRowProps) {
  return (
    <div
      className="live-row live-row-outage"
      role="row"
      aria-rowindex={rowNumber}
      data-testid="outage-marker"
      data-lasting={outage.toMs === null}
    >
      <span role="gridcell" className="live-outage-text">
        <Unplug size={12} aria-hidden="true" />
        {outageWords(outage, zone)}
      </span>
    </div>
  );
}

function Slot({ id, buffer, index, rowNumber, isSelected, zone, workspace }: LiveRowSlotProps) {
  const row = buffer.rowAt(index);
  if (row === undefined) return <div className="live-row live-row-empty" role="presentation" />;
  if (row.outage !== undefined) return <OutageRow rowNumber={rowNumber} outage={row.outage} zone={zone} />;
  if (row.kind === 'dropped') return <DroppedRow rowNumber={rowNumber} droppedCount={row.droppedCount} />;
  const subject = shortSubject(row.subject, workspace);
  // What is too long is shortened before its last token, which says most.
  const tailAt = Math.max(0, subject.lastIndexOf('.'));
  const isRefused = isRefusedRow(row.marks);
  return (
    <div
      className="live-row"
      id={id}
      role="row"
      aria-rowindex={rowNumber}
      aria-selected={isSelected}
      data-testid="live-row"
      data-seq={row.seq}
      data-refused={isRefused || undefined}
    >
      <span role="gridcell" className="live-cell live-time">
        {formatTime(row.atMs, zone)}
      </span>
      <span role="gridcell" className="live-cell live-subject" title={visibleText(row.subject)}>
        <span className="live-subject-head">{visibleText(subject.slice(0, tailAt))}</span>
        <span>{visibleText(subject.slice(tailAt))}</span>
      </span>
      <span role="gridcell" className="live-cell live-dim">
        {visibleText(row.peer)}
      </span>
      <span role="gridcell" className="live-cell live-number">
        {formatCount(row.seq)}
      </span>
      <span role="gridcell" className="live-cell live-number">
        {formatBytes(row.sizeBytes)}
      </span>
      <span role="gridcell" className="live-cell live-trust">
        <TrustBadges marks={row.marks} />
      </span>
      <span role="gridcell" className="live-cell live-preview">
        {isRefused && <span className="live-refused">refused</span>}
        {visibleText(row.preview)}
      </span>
    </div>
  );
}

export const LiveRowSlot = memo(Slot);
