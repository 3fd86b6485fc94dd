/** One queue in the table: each figure in its column, whatever it is. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import {
  ArrowDownRight,
  ArrowRight,
  ArrowUpRight,
  Circle,
  CirclePause,
  CirclePlay,
  CircleX,
  Hourglass,
  type LucideIcon,
  UserX,
} from 'lucide-react';
import { memo } from 'react';
import type { QueueHealth, QueueState } from '../../../shared/contract/queues-contract.ts';
import { formatAge, formatCount, formatRelative, formatShortCount } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { drainWords, healthWords } from '../../ui/queue-health-words.ts';
import { Sparkline } from '../../ui/sparkline.tsx';

const healthIcons: Readonly<Record<QueueHealth, LucideIcon>> = {
  ok: CirclePlay,
  idle: Circle,
  paused: CirclePause,
  stuck: CircleX,
  waiting: Hourglass,
  'no-consumer': UserX,
};

/** Icon and word of a queue's state. */
export function HealthBadge({ health }: { readonly health: QueueHealth }) {
  const { word, tone, meaning } = healthWords[health];
  const Icon = healthIcons[health];
  return (
    <span className={`queue-health tone-${tone}`} title={meaning} data-health={health}>
      <Icon size={13} aria-hidden="true" />
      {word}
    </span>
  );
}

const trendIcons: Readonly<Record<QueueState['trend'], LucideIcon>> = {
  rising: ArrowUpRight,
  falling: ArrowDownRight,
  steady: ArrowRight,
};

/** Where the lag goes; its name is for screen readers and the pointer. */
export function TrendMark({ trend }: Pick<QueueState, 'trend'>) {
  const Icon = trendIcons[trend];
  return (
    <span
      className={`queue-trend ${trend === 'rising' ? 'tone-wait' : 'dim'}`}
      role="img"
      aria-label={`lag is ${trend}`}
      title={`Lag is ${trend}`}
    >
      <Icon size={13} aria-hidden="true" />
    </span>
  );
}

function LagCell({ queue: { lag, lagHistory, trend } }: { readonly queue: QueueState }) {
  return (
    <span role="gridcell" className="row-cell queue-lag-cell">
      <span className="queue-line">
        <Sparkline values={lagHistory} label={`lag over the last minutes, ${trend}`} />
      </span>
      <TrendMark trend={trend} />
      <span className="data queue-lag-count" title={formatCount(lag)}>
        {formatShortCount(lag)}
      </span>
    </span>
  );
}

interface CellProps {
  readonly column: string;
  readonly isQuiet: boolean;
  /** Whole, where the column shows it short. */
  readonly title?: string;
  readonly children: string;
}

function NumberCell({ column, isQuiet, title, children }: CellProps) {
  const quiet = isQuiet ? ' dim' : '';
  return (
    <span role="gridcell" className={`row-cell row-cell-number data queue-${column}${quiet}`} title={title}>
      {children}
    </span>
  );
}

/** A count; what is nothing stands back. */
function CountCell({ column, count }: { readonly column: string; readonly count: number }) {
  return (
    <NumberCell column={column} isQuiet={count === 0} title={formatCount(count)}>
      {formatShortCount(count)}
    </NumberCell>
  );
}

export interface QueueCellsProps {
  readonly queue: QueueState;
  /** In whole seconds, so that a row is drawn anew only when it says something else. */
  readonly nowMs: number;
}

export const QueueCells = memo(function QueueCells({ queue, nowMs }: QueueCellsProps) {
  const { pendingCount, inFlightCount, redeliveredCount, oldestMs, waitingCount, lastClaimMs } = queue;
  return (
    <>
      <span role="gridcell" className="row-cell data">
        <MiddleText text={queue.queue} />
      </span>
      <span role="gridcell" className="row-cell">
        <HealthBadge health={queue.health} />
      </span>
      <LagCell queue={queue} />
      <CountCell column="pending" count={pendingCount} />
      <CountCell column="inFlight" count={inFlightCount} />
      <CountCell column="redelivered" count={redeliveredCount} />
      <NumberCell column="oldest" isQuiet={oldestMs === null}>
        {oldestMs === null ? '–' : formatAge(nowMs - oldestMs)}
      </NumberCell>
      <NumberCell column="in" isQuiet={queue.inPerSec === 0}>
        {formatCount(queue.inPerSec, 1)}
      </NumberCell>
      <NumberCell column="out" isQuiet={queue.outPerSec === 0}>
        {formatCount(queue.outPerSec, 1)}
      </NumberCell>
      <NumberCell column="drain" isQuiet={queue.lag === 0}>
        {drainWords(queue)}
      </NumberCell>
      <CountCell column="waiting" count={waitingCount} />
      <NumberCell column="claim" isQuiet={lastClaimMs === null}>
        {lastClaimMs === null ? '–' : formatRelative(Math.min(nowMs, lastClaimMs), nowMs)}
      </NumberCell>
    </>
  );
});
