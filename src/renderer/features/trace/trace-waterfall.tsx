/** The waterfall of a trace: what came of what, and when it waited and was worked on. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { CircleCheck, CircleSlash, CircleX, Clock, type LucideIcon, Skull } from 'lucide-react';
import { type RefObject, useMemo } from 'react';
import type { TraceReport, TraceRow, TraceRowState } from '../../../shared/contract/trace-contract.ts';
import { formatDuration } from '../../ui/format.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useWorkbench } from '../../workbench.tsx';
import { stateWords, tookWords } from './trace-words.ts';
import { barIn, type TraceSpan, ticksIn, timesIn } from './trace-zoom.ts';
import { openRow, useTraceWork, useTraceWorkState } from './use-trace.ts';

const icons: Readonly<Partial<Record<TraceRowState, LucideIcon>>> = {
  ...{ done: CircleCheck, late: CircleCheck, failed: CircleX, dead: Skull, refused: CircleSlash },
  ...{ waiting: Clock, working: Clock },
};

export function StateIcon({ state }: { readonly state: TraceRowState }) {
  const Icon = icons[state];
  if (Icon === undefined) return <span className="trace-icon" />;
  return <Icon className={`trace-icon trace-${state}`} size={13} role="img" aria-label={stateWords(state)} />;
}

function Bars({ row, span, nowMs }: { readonly row: TraceRow; readonly span: TraceSpan; readonly nowMs: number }) {
  const { segments, fromMs, toMs, kind } = row;
  const parts = segments.map((one) => ({ ...one, toMs: one.toMs ?? nowMs }));
  const shown = parts.length > 0 ? parts : [{ kind, fromMs, toMs: toMs ?? nowMs }];
  return shown.map((part) => {
    const bar = barIn(part, span);
    if (bar === undefined) return null;
    const title = part.toMs === part.fromMs ? undefined : `${part.kind} ${formatDuration(part.toMs - part.fromMs)}`;
    return (
      <span
        key={`${part.kind} ${part.fromMs}`}
        className={`trace-bar trace-bar-${part.kind}`}
        data-state={row.state}
        title={title}
        style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
      />
    );
  });
}

/** When it was stored, where that is another moment than its publish. */
function StoredMark({ row, span }: { readonly row: TraceRow; readonly span: TraceSpan }) {
  const { storedMs } = row;
  const at = storedMs === null ? undefined : barIn({ fromMs: storedMs, toMs: storedMs }, span);
  return at === undefined ? null : <span className="trace-stored" title="stored" style={{ left: `${at.left}%` }} />;
}

function Scale({ report, span }: { readonly report: TraceReport; readonly span: TraceSpan }) {
  return (
    <span className="trace-scale data">
      {ticksIn(span, report.fromMs).map((ms) => (
        <span
          key={ms}
          className="trace-tick"
          style={{ left: `${((ms + report.fromMs - span.fromMs) / (span.toMs - span.fromMs)) * 100}%` }}
        >
          {ms === 0 ? '0' : formatDuration(ms)}
        </span>
      ))}
    </span>
  );
}

function Header({ report, span }: { readonly report: TraceReport; readonly span: TraceSpan }) {
  return (
    <div role="row" className="trace-head">
      <span role="columnheader">What</span>
      <span role="columnheader">Peer</span>
      <span role="columnheader" className="trace-took">
        Took
      </span>
      <span role="columnheader" className="trace-time" aria-label="Time from the beginning of the trace">
        <Scale report={report} span={span} />
      </span>
    </div>
  );
}

export interface TraceRowsProps {
  readonly report: TraceReport;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

const keyOf = ({ id }: TraceRow): string => id;

export function TraceWaterfall({ report, listRef }: TraceRowsProps) {
  const { view } = useWorkbench();
  const work = useTraceWork();
  const selectedId = useTraceWorkState((state) => state.selectedId);
  const zoom = useTraceWorkState((state) => state.zoom);
  const span = useMemo(() => timesIn(report, zoom), [report, zoom]);
  const nowMs = report.readAtMs;
  return (
    <RowList
      label="Waterfall of the trace, by cause and time"
      rows={report.rows}
      keyOf={keyOf}
      selectedKey={selectedId ?? undefined}
      onSelect={work.select}
      onOpen={(id) => {
        const row = report.rows.find((one) => one.id === id);
        if (row !== undefined) openRow(view, row);
      }}
      header={<Header report={report} span={span} />}
      className="trace-rows"
      listRef={listRef}
      main={{ group: 'Trace', noun: 'row' }}
      rowData={({ kind, state }) => ({ 'data-kind': kind, 'data-state': state })}
      data-testid="trace-rows"
    >
      {(row) => (
        <>
          <span role="gridcell" className="trace-what" style={{ paddingLeft: `${row.depth * 12}px` }}>
            <StateIcon state={row.state} />
            <span className="trace-title" title={row.why ?? row.title}>
              {row.title}
              {row.kind === 'live' && <span className="dim"> {row.count} messages</span>}
              {row.isInferred && <span className="dim"> gone from its stream</span>}
            </span>
          </span>
          <span role="gridcell" className="trace-peer data">
            {row.peer ?? '–'}
          </span>
          <span role="gridcell" className="trace-took data">
            {tookWords(row, nowMs)}
          </span>
          <span role="gridcell" className="trace-time" aria-label={stateWords(row.state)}>
            <Bars row={row} span={span} nowMs={nowMs} />
            <StoredMark row={row} span={span} />
          </span>
        </>
      )}
    </RowList>
  );
}
