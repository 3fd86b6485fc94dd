/** The work plane in figures: what is to do and how that goes, what came of it, which queues have the most. */
import { ClipboardCheck, History, Layers, TrendingDown, TrendingUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { OperationsState } from '../../../shared/contract/operations-contract.ts';
import type { QueueState, QueuesState } from '../../../shared/contract/queues-contract.ts';
import { showApprovals, showQueue } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { meanings } from '../../ui/flow-words.ts';
import { formatCount, formatRate } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { drainWords, healthWords } from '../../ui/queue-health-words.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { ageWords, chooseQueues, oldestWords, restWords, type Trend, trendWords } from './work-words.ts';
import '../../ui/data-table.css';
import './work-panel.css';

function TrendMark({ trend }: { readonly trend: Trend }) {
  if (trend === 'steady') return null;
  const Icon = trend === 'rising' ? TrendingUp : TrendingDown;
  return <Icon className={`work-trend work-trend-${trend}`} size={14} role="img" aria-label={trendWords[trend]} />;
}

interface FigureProps {
  readonly label: string;
  readonly meaning: string;
  /** It is not as it should be. */
  readonly isBad?: boolean;
  readonly testId: string;
  readonly children: ReactNode;
}

function Figure({ label, meaning, isBad = false, testId, children }: FigureProps) {
  return (
    <div className="work-figure" title={meaning}>
      <dt>{label}</dt>
      <dd className={isBad ? 'work-bad' : undefined} data-testid={testId}>
        {children}
      </dd>
    </div>
  );
}

function Figures({ work }: { readonly work: OperationsState }) {
  const { view } = useWorkbench();
  const { totals, lagHistory, lagTrend: trend, sampleMs } = work;
  const minutes = Math.round((lagHistory.length * sampleMs) / 60_000);
  const waiting = totals.pendingApprovalCount;
  return (
    <dl className="work-figures">
      <Figure label="Lag" meaning={meanings.lag} testId="work-lag">
        <span className="work-lag">{formatCount(totals.lag)}</span>
        <span className="work-lag-line">
          <Sparkline values={lagHistory} label={`Lag over ${formatCount(minutes)} min, ${trendWords[trend]}`} />
        </span>
        <TrendMark trend={trend} />
      </Figure>
      <Figure label="In" meaning={meanings.workIn} testId="work-in">
        {formatRate(totals.inPerSec)}
      </Figure>
      <Figure label="Out" meaning={meanings.workOut} testId="work-out">
        {formatRate(totals.outPerSec)}
      </Figure>
      <Figure label="Done" meaning={meanings.workDone} testId="work-done">
        {formatCount(totals.doneCount)}
      </Figure>
      <Figure label="Dead letters" meaning={meanings.workDead} isBad={totals.deadCount > 0} testId="work-dead">
        {formatCount(totals.deadCount)}
      </Figure>
      <Figure label="Lost" meaning={meanings.workLost} isBad={totals.lostCount > 0} testId="work-lost">
        {formatCount(totals.lostCount)}
      </Figure>
      <Figure label="Approvals that wait" meaning={meanings.approvals} testId="work-approvals">
        <span className={waiting > 0 ? 'work-wait' : undefined}>{formatCount(waiting)}</span>
        {waiting > 0 && (
          <Button icon={ClipboardCheck} onClick={() => showApprovals(view)} data-testid="work-open-approvals">
            Answer
          </Button>
        )}
      </Figure>
    </dl>
  );
}

function QueueRow({ queue, nowMs }: { readonly queue: QueueState; readonly nowMs: number }) {
  const { view } = useWorkbench();
  const { word, tone } = healthWords[queue.health];
  const { queue: name, lag, lagHistory, trend, inPerSec, outPerSec } = queue;
  return (
    <tr data-testid="work-queue" data-queue={name}>
      <th scope="row">
        <button type="button" className="work-link data" onClick={() => showQueue(view, name)}>
          {name}
        </button>
      </th>
      <td className={`work-state-${tone}`}>{word}</td>
      <td className="data-number data">{formatCount(lag)}</td>
      <td className="work-line">
        <Sparkline values={lagHistory} label={`Lag of ${name}, ${trendWords[trend]}`} />
      </td>
      <td className="data-number data">{oldestWords(queue, nowMs)}</td>
      <td className="data-number data">{formatRate(inPerSec)}</td>
      <td className="data-number data">{formatRate(outPerSec)}</td>
      <td className="data-number data">{drainWords(queue)}</td>
    </tr>
  );
}

function QueueTable({ queues }: { readonly queues: QueuesState }) {
  const nowMs = useNow();
  const choice = chooseQueues(queues);
  const rest = restWords(choice);
  return (
    <>
      <table className="data-table work-table">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">State</th>
            <th scope="col" className="data-number">
              Lag
            </th>
            <th scope="col">Lag over time</th>
            <th scope="col" className="data-number">
              Oldest
            </th>
            <th scope="col" className="data-number">
              In
            </th>
            <th scope="col" className="data-number">
              Out
            </th>
            <th scope="col" className="data-number">
              To empty
            </th>
          </tr>
        </thead>
        <tbody>
          {choice.shown.map((queue) => (
            <QueueRow key={queue.queue} queue={queue} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
      {rest !== undefined && <p className="work-rest dim">{rest}</p>}
    </>
  );
}

/** Says that the figures may be old. */
function Age({ queues }: { readonly queues: QueuesState }) {
  const connection = useSnapshot('connections.state');
  const zone = useViewState((state) => state.timeZone);
  const words = ageWords(queues, connection, zone);
  if (words === undefined) return null;
  return (
    <span className="work-age">
      <History size={12} aria-hidden="true" />
      {words}
    </span>
  );
}

export interface WorkPanelProps {
  readonly work: OperationsState;
  readonly queues: QueuesState;
}

export function WorkPanel({ work, queues }: WorkPanelProps) {
  const { view } = useWorkbench();
  const isStale = useSnapshot('connections.state')?.staleSinceMs != null || queues.problem !== null;
  const isLacking = (useSnapshot('provisioning.state')?.lacking.length ?? 0) > 0;
  const count = queues.queues.length + queues.leftOutCount;
  return (
    <Panel
      title="Work"
      data-testid="work-panel"
      summary={
        <span className="work-summary">
          {`${formatCount(count)} ${count === 1 ? 'queue' : 'queues'}`}
          <Age queues={queues} />
        </span>
      }
      actions={
        <Button icon={Layers} onClick={() => view.setState({ view: 'queues' })} data-testid="work-open-queues">
          Open the queues
        </Button>
      }
    >
      <div className="work stale-edge" data-stale={isStale}>
        <Figures work={work} />
        {queues.queues.length === 0 ? (
          <p className="panel-note">
            {isLacking
              ? 'There can be no queue before the streams of this workspace are made here.'
              : 'No queue has been made yet. The first task that is enqueued makes its queue; the local swarm enqueues some.'}
          </p>
        ) : (
          <QueueTable queues={queues} />
        )}
      </div>
    </Panel>
  );
}
