/** Operations Center: what is wrong now, then where the bus stands and what the local swarm does. True numbers only. */
import { BellOff, CircleStop, LayoutDashboard, Play, Plug, SquareTerminal, Waves } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { currentContext, readOnlyReason } from '../../ui/connection-words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { meanings } from '../../ui/flow-words.ts';
import { formatBytes, formatCount, formatRate, formatTimeOfDay } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { isLiveWorker } from '../../ui/live-worker.ts';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { liveWorkers, publishesWords, swarmTrouble } from '../../ui/swarm-words.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { ConnectionPanel } from './connection-panel.tsx';
import { problemSources } from './operations-sources.ts';
import type { ProblemEntry } from './problem-groups.ts';
import { ProblemList } from './problem-list.tsx';
import { findProblems, type Problem, type ProblemSources } from './problems.ts';
import { QuarantinePanel } from './quarantine-panel.tsx';
import { type Acknowledging, useAcknowledging } from './use-acknowledging.ts';
import { useMute } from './use-mute.ts';
import { WorkPanel } from './work-panel.tsx';
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
      what="The Operations Center shows what is wrong now: tasks that failed or were lost, queues that nobody works on, dead workers, and how much there is to do."
      next={
        readOnly === undefined
          ? `${start}${isEmbedded ? ' Or connect to a NATS server.' : ''}`
          : `Nothing is sent from here: ${readOnly}. What others send is counted as it passes. To send, use another connection or change this one.`
      }
    >
      {readOnly === undefined ? (
        <>
          <ActionButton action="swarm.start" variant="primary" icon={Play} />
          <ActionButton action="swarm.run" icon={SquareTerminal} />
        </>
      ) : (
        <ActionButton action="connections.show" variant="primary" icon={Plug} />
      )}
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

/** The incident that was asked for, once its line is drawn: in sight, with the focus on it. */
function useWantedIncident({ open, acknowledged }: Acknowledging): void {
  const { view } = useWorkbench();
  const wanted = useViewState((state) => (state.wanted?.kind === 'incident' ? state.wanted.id : undefined));
  useEffect(() => {
    if (wanted === undefined) return;
    view.setState({ wanted: null });
    // One of many is reached through the line of its group.
    const entry = [...open, ...acknowledged].find(({ members }) =>
      members.some(({ incident }) => incident?.id === wanted),
    );
    const line = entry && document.querySelector(`[data-problem="${CSS.escape(entry.problem.id)}"]`);
    line?.scrollIntoView({ block: 'center' });
    line?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
  }, [view, wanted, open, acknowledged]);
}

const problemsOf = (entries: readonly ProblemEntry[]): readonly Problem[] => entries.flatMap(({ members }) => members);

function problemSummary({ open, acknowledged }: Acknowledging): string {
  const problems = problemsOf(open);
  const mutedCount = problems.filter(({ incident }) => incident?.isMuted === true).length;
  const muted = mutedCount === 0 ? '' : ` · ${formatCount(mutedCount)} muted`;
  if (problems.length > 0) return `${formatCount(problems.length)} to look at${muted}`;
  return acknowledged.length === 0 ? 'nothing is wrong' : 'nothing new is wrong';
}

/** Ends the time for which everything is muted. */
function MutedUntil() {
  const untilMs = useSnapshot('operations.state')?.muted.untilMs ?? null;
  const zone = useViewState((state) => state.timeZone);
  const mute = useMute();
  if (untilMs === null) return null;
  return (
    <Button icon={BellOff} onClick={() => mute((calls) => calls.muteAll({ forMinutes: 0 }))} data-testid="unmute-all">
      {`Muted until ${formatTimeOfDay(untilMs, zone).slice(0, 5)} · unmute`}
    </Button>
  );
}

function ProblemPanel({ acknowledging }: { readonly acknowledging: Acknowledging }) {
  const [showsAcknowledged, setShowsAcknowledged] = useState(false);
  const count = problemsOf(acknowledging.acknowledged).length;
  const leftOut = useSnapshot('operations.state')?.leftOutCount ?? 0;
  const summary = [
    ...(count > 0 ? [`${formatCount(count)} acknowledged`] : []),
    ...(leftOut > 0 ? [`${formatCount(leftOut)} more are not listed`] : []),
  ].join(' · ');
  return (
    <Panel
      title="What is wrong now"
      data-testid="problems"
      summary={summary === '' ? undefined : summary}
      actions={
        <>
          <MutedUntil />
          {count > 0 && (
            <Button
              aria-pressed={showsAcknowledged}
              onClick={() => setShowsAcknowledged(!showsAcknowledged)}
              data-testid="problems-show-acknowledged"
            >
              {showsAcknowledged ? 'Hide acknowledged' : 'Show acknowledged'}
            </Button>
          )}
        </>
      }
    >
      <ProblemList acknowledging={acknowledging} showsAcknowledged={showsAcknowledged} />
    </Panel>
  );
}

/** Whether anything was ever heard of: else the next steps are all that there is to say. */
function isUntouched({ flow, swarm, queues }: ProblemSources): boolean {
  return flow?.receivedCount === 0 && swarm?.state === 'stopped' && (queues?.queues.length ?? 0) === 0;
}

export function OperationsView() {
  const { mirror } = useWorkbench();
  const sources = problemSources(useStore(mirror));
  const { flow, swarm, quarantine, connection, work, queues } = sources;
  const problems = findProblems(sources);
  const acknowledging = useAcknowledging(problems);
  useWantedIncident(acknowledging);
  const isQuarantineAsked = useIsQuarantineAsked();
  return (
    <ViewFrame
      title="Operations Center"
      summary={problemSummary(acknowledging)}
      actions={<ActionButton action="view.streams" icon={Waves} />}
    >
      {isUntouched(sources) && problems.length === 0 && !isQuarantineAsked ? (
        <FirstSteps connection={connection} />
      ) : (
        <div className="operations">
          <div className="operations-main">
            <ProblemPanel acknowledging={acknowledging} />
            {work && queues && <WorkPanel work={work} queues={queues} />}
            {swarm && <SwarmPanel swarm={swarm} />}
            {quarantine && <QuarantinePanel quarantine={quarantine} />}
          </div>
          <div className="operations-side">
            <Panel title="Throughput">{flow && <FlowFacts status={flow} />}</Panel>
            <ConnectionPanel />
          </div>
        </div>
      )}
    </ViewFrame>
  );
}
