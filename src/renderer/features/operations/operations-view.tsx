/** Operations Center: what is wrong now, then where the bus stands and what the local swarm does. True numbers only. */
import { CircleStop, LayoutDashboard, Play, Plug, SquareTerminal, Waves } from 'lucide-react';
import { useState } from 'react';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { currentContext, readOnlyReason } from '../../ui/connection-words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { meanings } from '../../ui/flow-words.ts';
import { formatBytes, formatCount, formatRate } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { isLiveWorker } from '../../ui/live-worker.ts';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { liveWorkers, publishesWords, swarmTrouble } from '../../ui/swarm-words.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { ConnectionPanel } from './connection-panel.tsx';
import { ProblemList } from './problem-list.tsx';
import { findProblems } from './problems.ts';
import { QuarantinePanel } from './quarantine-panel.tsx';
import { useAcknowledging } from './use-acknowledging.ts';
import { WorkerTable } from './worker-table.tsx';
import './operations-view.css';

function FlowFacts({ status }: { readonly status: StreamsStatus }) {
  const held = formatBytes(status.bufferedBytes);
  const capacity = formatBytes(status.capacityBytes);
  return (
    <Facts>
      <Fact label="In, from the bus" meaning={meanings.in}>
        {formatRate(status.inPerSecond)}
      </Fact>
      <Fact label="Out, to this window" meaning={meanings.out}>
        {formatRate(status.outPerSecond)}
      </Fact>
      <Fact label="Received" meaning={meanings.received}>
        {formatCount(status.receivedCount)}
      </Fact>
      <Fact label="Received size" meaning={meanings.receivedBytes}>
        {formatBytes(status.receivedBytes)}
      </Fact>
      <Fact label="Dropped" meaning={meanings.dropped}>
        {formatCount(status.droppedCount)}
      </Fact>
      <Fact label="Buffer" meaning={meanings.buffer}>
        {held} of {capacity}
        <Gauge
          label="Message buffer"
          value={status.bufferedBytes}
          max={status.capacityBytes}
          valueText={`${held} of ${capacity}`}
        />
      </Fact>
      <Fact label="Held messages">
        {formatCount(status.bufferedCount)} of {formatCount(status.capacityCount)}
      </Fact>
    </Facts>
  );
}

function swarmSummary({ state, workers }: SwarmState, connection: ConnectionsState | undefined): string {
  const live = liveWorkers({ workers });
  if (live === 0) return state;
  const where = connection === undefined ? '' : `${publishesWords(connection)} · `;
  const busy = workers.filter((worker) => worker.state === 'busy').length;
  const count = `${formatCount(live)} ${live === 1 ? 'worker' : 'workers'} · ${formatCount(busy)} busy`;
  return `${state === 'stopped' ? 'for your commands only' : state} · ${where}${count}`;
}

function SwarmPanel({ swarm }: { readonly swarm: SwarmState }) {
  const connection = useSnapshot('connections.state');
  const { workers, state } = swarm;
  const trouble = swarmTrouble(swarm);
  const canStop = state !== 'stopped' || workers.some(isLiveWorker);
  const actions = (
    <>
      <ActionButton action="swarm.run" icon={SquareTerminal} />
      {state === 'stopped' && <ActionButton action="swarm.start" icon={Play} />}
      {canStop && <ActionButton action="swarm.stop" icon={CircleStop} />}
    </>
  );
  return (
    <Panel title="Local swarm" summary={swarmSummary(swarm, connection)} actions={actions}>
      {trouble !== undefined && <p className="panel-note">{trouble}</p>}
      {workers.length === 0 ? (
        <p className="panel-note">
          Worker peers in processes of their own, which run real commands from queue {swarm.queue}. None runs now.
        </p>
      ) : (
        <WorkerTable workers={workers} />
      )}
    </Panel>
  );
}

/** Before anything has happened: the one next step. */
function FirstSteps({ connection }: { readonly connection: ConnectionsState | undefined }) {
  const readOnly = readOnlyReason(connection);
  const isEmbedded = currentContext(connection)?.kind === 'embedded';
  const start =
    'Start the local swarm: four workers run real commands from queue local on this machine, and everything they say goes over the bus.';
  return (
    <EmptyState
      icon={LayoutDashboard}
      title="Nothing has happened on this bus yet"
      what="The Operations Center shows what is wrong now: dead workers, lost messages, and how much passes on the bus."
      next={
        readOnly === undefined
          ? `${start}${isEmbedded ? ' Or connect to a NATS server.' : ''}`
          : `Nothing is sent from here: ${readOnly}. What others send is counted as it passes.`
      }
    >
      <ActionButton action="swarm.start" variant="primary" icon={Play} />
      <ActionButton action="swarm.run" icon={SquareTerminal} />
      {isEmbedded && <ActionButton action="connections.add" icon={Plug} label="Connect to NATS…" />}
    </EmptyState>
  );
}

/** Whether this page was asked for what was refused: then it shows that, even if nothing has happened yet. */
function useIsQuarantineAsked(): boolean {
  const isWanted = useViewState((state) => state.wanted?.kind === 'quarantine');
  const [isAsked, setIsAsked] = useState(false);
  if (isWanted && !isAsked) setIsAsked(true);
  return isAsked;
}

function problemSummary(openCount: number, acknowledgedCount: number): string {
  if (openCount > 0) return `${formatCount(openCount)} to look at`;
  return acknowledgedCount === 0 ? 'nothing is wrong' : 'nothing new is wrong';
}

export function OperationsView() {
  const flow = useSnapshot('streams.status');
  const swarm = useSnapshot('swarm.state');
  const quarantine = useSnapshot('streams.quarantine');
  const connection = useSnapshot('connections.state');
  const problems = findProblems({ flow, swarm, quarantine, connection });
  const { open, acknowledgedCount, acknowledge, takeBack } = useAcknowledging(problems);
  const isQuarantineAsked = useIsQuarantineAsked();
  const isUntouched =
    flow?.receivedCount === 0 && swarm?.state === 'stopped' && problems.length === 0 && !isQuarantineAsked;
  return (
    <ViewFrame
      title="Operations Center"
      summary={problemSummary(open.length, acknowledgedCount)}
      actions={<ActionButton action="view.streams" icon={Waves} />}
    >
      {isUntouched ? (
        <FirstSteps connection={connection} />
      ) : (
        <div className="operations">
          <Panel
            title="What is wrong now"
            summary={acknowledgedCount > 0 && `${formatCount(acknowledgedCount)} acknowledged`}
            actions={
              acknowledgedCount > 0 && (
                <Button onClick={takeBack} data-testid="problems-take-back">
                  Show acknowledged
                </Button>
              )
            }
          >
            <ProblemList problems={open} onAcknowledge={acknowledge} acknowledgedCount={acknowledgedCount} />
          </Panel>
          {swarm && <SwarmPanel swarm={swarm} />}
          {quarantine && <QuarantinePanel quarantine={quarantine} />}
          <div className="operations-pair">
            <Panel title="Throughput">{flow && <FlowFacts status={flow} />}</Panel>
            <ConnectionPanel />
          </div>
          <p className="panel-note">
            Incidents, queue lag, waiting approvals and alert thresholds join this page with the work plane, which is
            not built yet.
          </p>
        </div>
      )}
    </ViewFrame>
  );
}
