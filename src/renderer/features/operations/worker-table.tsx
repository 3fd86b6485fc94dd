/** The workers of the local swarm: what each does now, what it has done, and the ways to end that. */
import {
  Circle,
  CircleDashed,
  CircleDot,
  CircleSlash,
  CircleStop,
  CircleX,
  Eye,
  type LucideIcon,
  Skull,
  TriangleAlert,
} from 'lucide-react';
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { publishFault, readOnlyReason } from '../../ui/connection-words.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { GuardDialog } from '../../ui/guard-dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { isLiveWorker } from '../../ui/live-worker.ts';
import { taskWords, workerWord } from '../../ui/swarm-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import '../../ui/data-table.css';
import './worker-table.css';

const stateIcons: Readonly<Record<WorkerSummary['state'], LucideIcon>> = {
  starting: CircleDashed,
  idle: Circle,
  busy: CircleDot,
  stopping: CircleDashed,
  ended: CircleSlash,
  dead: CircleX,
};

interface WorkerRowProps {
  readonly worker: WorkerSummary;
  readonly nowMs: number;
  readonly onKill: (worker: WorkerSummary) => void;
}

function WorkerButtons({ worker, onKill }: Pick<WorkerRowProps, 'worker' | 'onKill'>) {
  const { client, view, reportError } = useWorkbench();
  const { peer, session, task } = worker;
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  const cancel = (taskId: string): void => {
    client.swarm.cancel({ taskId }).catch((error: unknown) => reportError(`Cancel the command of ${peer}`, error));
  };
  return (
    <div className="worker-buttons">
      <IconButton
        icon={Eye}
        label={`Watch ${peer} in Streams`}
        onClick={() => view.setState({ view: 'streams', selectedSession: session })}
      />
      <IconButton
        icon={CircleStop}
        label={`Cancel the command of ${peer}`}
        disabledReason={task === null ? 'it runs none' : readOnly}
        onClick={() => task !== null && cancel(task.taskId)}
      />
      <IconButton
        icon={Skull}
        label={`Kill ${peer}…`}
        disabledReason={isLiveWorker(worker) ? undefined : 'it has no process'}
        onClick={() => onKill(worker)}
      />
    </div>
  );
}

/** What it waits for while it is at nothing. */
const restWords: Readonly<Record<WorkerSummary['kind'], string>> = {
  queue: 'takes tasks of its queue',
  command: 'takes commands given by hand',
};

function WorkerRow({ worker, nowMs, onKill }: WorkerRowProps) {
  const { peer, kind, state, task, death, problem, pid, doneCount, failedCount, cancelledCount } = worker;
  const fault = publishFault(useSnapshot('connections.state'));
  const isMute = fault !== undefined && (state === 'idle' || state === 'busy');
  const Icon = isMute ? TriangleAlert : stateIcons[state];
  const why = death?.reason ?? (isMute ? fault : (problem ?? (isLiveWorker(worker) ? restWords[kind] : '')));
  const text = task === null ? why : taskWords(task);
  return (
    <tr className={`worker worker-${state}`} data-mute={isMute}>
      <th scope="row" className="data">
        {peer}
      </th>
      <td>
        <span className="worker-state" title={isMute ? `What it says reaches nobody: ${fault}` : undefined}>
          <Icon size={14} aria-hidden="true" />
          {workerWord(worker, fault)}
        </span>
      </td>
      <td
        className={task === null ? 'worker-text dim' : 'worker-text data'}
        title={task === null ? text : visibleText(task.command.join(' '))}
      >
        {text}
      </td>
      <td className="data-number data">{task === null ? '' : formatDuration(Math.max(0, nowMs - task.startedMs))}</td>
      <td className="data-number data">{formatCount(doneCount)}</td>
      <td className={`data-number data${failedCount > 0 ? ' worker-failed' : ''}`}>{formatCount(failedCount)}</td>
      <td className="data-number data">{formatCount(cancelledCount)}</td>
      <td className="data-number data dim">{pid ?? ''}</td>
      <td>
        <WorkerButtons worker={worker} onKill={onKill} />
      </td>
    </tr>
  );
}

function KillGuard({ worker, onClose }: { readonly worker: WorkerSummary | undefined; readonly onClose: () => void }) {
  const { client, reportError } = useWorkbench();
  const environment = useEnvironment();
  if (worker === undefined || environment === undefined) return null;
  const { peer, kind } = worker;
  return (
    <GuardDialog
      guarded={{
        verb: 'Kill',
        count: 1,
        noun: 'worker',
        object: peer,
        environment: environment.name,
        environmentColour: environment.colour,
        consequence:
          kind === 'queue'
            ? 'Its process ends at once, as in a crash. The task that it has claimed comes again, and another worker takes its place.'
            : 'Its process ends at once, as in a crash; the command that it runs is lost with it.',
      }}
      onCancel={onClose}
      onConfirm={() => {
        onClose();
        client.swarm.kill({ peer }).catch((error: unknown) => reportError(`Kill ${peer}`, error));
      }}
    />
  );
}

export function WorkerTable({ workers }: { readonly workers: readonly WorkerSummary[] }) {
  const nowMs = useNow();
  const [killed, setKilled] = useState<WorkerSummary | undefined>();
  return (
    <>
      <table className="data-table worker-table">
        <thead>
          <tr>
            <th scope="col">Peer</th>
            <th scope="col">State</th>
            <th scope="col" className="worker-text">
              Command
            </th>
            <th scope="col" className="data-number">
              Running
            </th>
            <th scope="col" className="data-number">
              Done
            </th>
            <th scope="col" className="data-number">
              Failed
            </th>
            <th scope="col" className="data-number">
              Cancelled
            </th>
            <th scope="col" className="data-number">
              PID
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <WorkerRow key={worker.peer} worker={worker} nowMs={nowMs} onKill={setKilled} />
          ))}
        </tbody>
      </table>
      <KillGuard worker={killed} onClose={() => setKilled(undefined)} />
    </>
  );
}
