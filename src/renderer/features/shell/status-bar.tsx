/** The status bar: the honest numbers, each in a cell of its own width so that nothing moves when they change. */
import { OctagonX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../state/use-environment.ts';
import { showQuarantine } from '../../state/view-store.ts';
import { meanings } from '../../ui/flow-words.ts';
import { formatBytes, formatCount, formatMebibytes, formatPercent, formatRate, unitSpace } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import './status-bar.css';

interface CellProps {
  readonly label: string;
  /** Width that the value keeps, in digits. */
  readonly digits: number;
  /** What it counts, with unit and source. */
  readonly meaning: string;
  readonly children: ReactNode;
}

function Cell({ label, digits, meaning, children }: CellProps) {
  return (
    <div className="status-bar-cell" title={meaning}>
      <dt className="dim">{label}</dt>
      <dd style={{ minWidth: `${digits}ch` }}>{children}</dd>
    </div>
  );
}

function DroppedCount({ count }: { readonly count: number }) {
  if (count === 0) return '0';
  return (
    <span className="status-bar-bad">
      <TriangleAlert size={12} aria-hidden="true" />
      {formatCount(count)}
    </span>
  );
}

/** Leads to what was refused and why. */
function RefusedCell() {
  const { view } = useWorkbench();
  const count = useSnapshot('streams.quarantine')?.refusedCount;
  const text = count === undefined ? '–' : formatCount(count);
  return (
    <Cell label="refused" digits={6} meaning={meanings.refused}>
      <button
        type="button"
        className={`status-bar-button${count ? ' status-bar-bad' : ''}`}
        aria-label={`${text} messages refused: show them`}
        title={`${meanings.refused}: show them`}
        data-testid="status-refused"
        data-count={count ?? 0}
        onClick={() => showQuarantine(view)}
      >
        {count ? <OctagonX size={12} aria-hidden="true" /> : null}
        {text}
      </button>
    </Cell>
  );
}

/** Leads to what there is to do. */
function LagCell() {
  const { view } = useWorkbench();
  const lag = useSnapshot('operations.state')?.totals.lag;
  const text = lag === undefined ? '–' : formatCount(lag);
  return (
    <Cell label="lag" digits={7} meaning={meanings.lag}>
      <button
        type="button"
        className="status-bar-button"
        aria-label={`Lag ${text}: show the queues`}
        title={`${meanings.lag}: show the queues`}
        data-testid="status-lag"
        data-count={lag ?? 0}
        onClick={() => view.setState({ view: 'queues' })}
      >
        {text}
      </button>
    </Cell>
  );
}

function FlowCells() {
  const status = useSnapshot('streams.status');
  const unknown = '–';
  const held = status && `${formatMebibytes(status.bufferedBytes)}/${formatMebibytes(status.capacityBytes, 0)}`;
  return (
    <>
      <Cell label="in" digits={10} meaning={meanings.in}>
        {status ? formatRate(status.inPerSecond) : unknown}
      </Cell>
      <Cell label="out" digits={10} meaning={meanings.out}>
        {status ? formatRate(status.outPerSecond) : unknown}
      </Cell>
      <LagCell />
      <Cell label="dropped" digits={11} meaning={meanings.dropped}>
        {status ? <DroppedCount count={status.droppedCount} /> : unknown}
      </Cell>
      <RefusedCell />
      <Cell label="buffer" digits={0} meaning={meanings.buffer}>
        {status === undefined ? (
          unknown
        ) : (
          <>
            <span className="status-bar-held">
              {held}
              {unitSpace}MiB
            </span>
            <Gauge
              label="Message buffer"
              value={status.bufferedBytes}
              max={status.capacityBytes}
              valueText={`${held} MiB held`}
            />
          </>
        )}
      </Cell>
    </>
  );
}

function ProcessCell() {
  const status = useSnapshot('app.status');
  return (
    <Cell label="main" digits={15} meaning={meanings.main}>
      {status === undefined ? (
        '–'
      ) : (
        <>
          <span className="status-bar-cpu">{formatPercent(status.mainCpuPercent)}</span>
          {formatBytes(status.mainRssBytes)}
        </>
      )}
    </Cell>
  );
}

function Runtime() {
  const status = useSnapshot('app.status');
  const environment = useEnvironment();
  if (status === undefined) return null;
  return (
    <p className="status-bar-runtime dim">
      {environment === undefined ? '' : `${environment.kind} · `}Electron {status.electron}
    </p>
  );
}

export function StatusBar() {
  return (
    <footer className="status-bar">
      <dl className="status-bar-cells" aria-label="Throughput and cost">
        <FlowCells />
        <ProcessCell />
      </dl>
      <Runtime />
    </footer>
  );
}
