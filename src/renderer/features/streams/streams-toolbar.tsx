/** Above the table: what is shown, how it stands, what it cost; the pause with its gauge. */
import { Pause, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { publishFault } from '../../ui/connection-words.ts';
import { meanings } from '../../ui/flow-words.ts';
import { formatBytes, formatCount, formatDuration, formatMebibytes } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { StaleMark } from '../../ui/view-states.tsx';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { pauseGauge } from './pause-gauge.ts';
import type { RowsModel } from './rows-model.ts';
import type { StoredModel } from './stored-model.ts';
import { StoredCounters, StoredPlace } from './stored-state.tsx';
import { useRowsVersion } from './use-rows-model.ts';

export type AnyTable = RowsModel | StoredModel;

export interface StreamsToolbarProps {
  readonly model: AnyTable;
  readonly title: string;
  readonly onTogglePause: () => void;
  /** The switch between messages and session. */
  readonly children: ReactNode;
}

/** From here on the gauge warns. */
const nearlyFull = 0.75;

function PauseState({ model }: { readonly model: RowsModel }) {
  const status = useSnapshot('streams.status');
  if (model.pausedAt === undefined || status === undefined) return <span>paused</span>;
  const gauge = pauseGauge(status, model.pausedAt);
  const bytes = `${formatBytes(gauge.waitingBytes)} of ${formatBytes(status.capacityBytes)}`;
  const held = `${formatCount(gauge.waitingCount)} waiting`;
  const tone = gauge.lostCount > 0 ? 'bad' : gauge.fill >= nearlyFull ? 'wait' : 'plain';
  return (
    <span
      className="streams-pause"
      data-testid="pause-gauge"
      data-waiting={gauge.waitingCount}
      data-lost={gauge.lostCount}
      title={`${held} · ${bytes}`}
    >
      <span>paused</span>
      <Gauge label="Messages that wait" value={gauge.fill} max={1} valueText={`${held}, ${bytes}`} tone={tone} />
      <span>{held}</span>
      {gauge.lostCount > 0 && <span className="streams-bad">· oldest {formatCount(gauge.lostCount)} lost</span>}
      {gauge.lossInMs !== null && <span>· oldest lost in about {formatDuration(gauge.lossInMs)}</span>}
      <span>· {bytes}</span>
    </span>
  );
}

/** Says that what is shown may be old. */
function StaleState() {
  const connections = useSnapshot('connections.state');
  return (
    <StaleMark
      readAtMs={connections?.staleSinceMs ?? null}
      problem={{ message: publishFault(connections) ?? 'nothing comes over the connection' }}
      data-testid="streams-stale"
    />
  );
}

function PlaceState({ model }: { readonly model: RowsModel }) {
  const { scroll, buffer, selectedSeq, replay } = model;
  if (model.pausedAt !== undefined) return <PauseState model={model} />;
  if (scroll.hasLostPlace)
    return <span className="streams-wait">your rows have left the table · the oldest are shown</span>;
  if (!scroll.isFollowing) {
    const at = selectedSeq === undefined || buffer.findSeq(selectedSeq) < 0 ? '' : ` at #${formatCount(selectedSeq)}`;
    return <span>{`detached${at} · following is ${formatCount(scroll.newCount)} behind`}</span>;
  }
  if (replay !== undefined) {
    const { doneCount, totalCount } = replay;
    return (
      <span data-testid="replaying" title="Messages that the engine held before this table was filled, of all subjects">
        replaying {formatCount(doneCount)} of {formatCount(totalCount)}
      </span>
    );
  }
  return <span>following</span>;
}

function Counters({ model }: { readonly model: RowsModel }) {
  const status = useSnapshot('streams.status');
  const { messageCount, droppedCount } = model.buffer;
  return (
    <dl className="streams-counters">
      <div>
        <dt title={meanings.rowsReceived}>received</dt>
        <dd className="data" data-testid="received-count" data-count={messageCount}>
          {formatCount(messageCount)}
        </dd>
      </div>
      <div className={droppedCount > 0 ? 'streams-wait' : undefined}>
        <dt title={meanings.rowsMissed}>missed</dt>
        <dd className="data" data-testid="dropped-count" data-count={droppedCount}>
          {formatCount(droppedCount)}
        </dd>
      </div>
      {status && model.pausedAt === undefined && (
        <div>
          <dt title={meanings.buffer}>buffer</dt>
          <dd className="streams-buffer" data-testid="buffer-bytes" data-count={status.bufferedBytes}>
            <span className="data">
              {`${formatMebibytes(status.bufferedBytes)}/${formatBytes(status.capacityBytes).replace('.0', '')}`}
            </span>
            <Gauge
              label="Message buffer"
              value={status.bufferedBytes}
              max={status.capacityBytes}
              valueText={`${formatBytes(status.bufferedBytes)} of ${formatBytes(status.capacityBytes)}`}
            />
          </dd>
        </div>
      )}
    </dl>
  );
}

export function StreamsToolbar({ model, title, onTogglePause, children }: StreamsToolbarProps) {
  useRowsVersion(model);
  const isPaused = model.pausedAt !== undefined;
  const isMessages = useViewState((state) => state.streamsMode === 'messages' || state.selectedSession === null);
  return (
    <>
      <header className="streams-panel-head">
        <h2 className="streams-title streams-subject">{title}</h2>
        <div className="streams-head-actions">
          {children}
          {isMessages && (
            <Button
              icon={isPaused ? Play : Pause}
              keys="Space"
              aria-pressed={isPaused}
              data-testid="pause-button"
              onClick={onTogglePause}
            >
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          )}
        </div>
      </header>
      {isMessages && (
        <div className="streams-strip">
          <div className="streams-place" data-testid="table-place">
            {model.kind === 'live' ? <PlaceState model={model} /> : <StoredPlace model={model} />}
            <StaleState />
          </div>
          {model.kind === 'live' ? <Counters model={model} /> : <StoredCounters model={model} />}
        </div>
      )}
    </>
  );
}
