/** Who claims from a queue, and the workers whose receipts count. */
import type { ReactNode } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueueState, QueueWorker } from '../../../shared/contract/queues-contract.ts';
import { CopyIcon } from '../../ui/copy-icon.tsx';
import { DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { formatCount, formatDateTime, formatRelative } from '../../ui/format.ts';
import { healthWords } from '../../ui/queue-health-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { HealthBadge } from './queue-row.tsx';
import '../../ui/data-table.css';
import './workers-tab.css';

const byPeer = (a: QueueWorker, b: QueueWorker): number => (a.peer < b.peer ? -1 : a.peer > b.peer ? 1 : 0);

function Consumer({ queue, nowMs }: { readonly queue: QueueState; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { health, waitingCount, lastClaimMs } = queue;
  const moment = (ms: number): ReactNode => (
    <>
      {formatDateTime(ms, zone)} <span className="dim">· {formatRelative(Math.min(ms, nowMs), nowMs)}</span>
    </>
  );
  return (
    <DetailFacts>
      <DetailFact name="state">
        <span className="task-state">
          <HealthBadge health={health} />
          <span className="dim">{healthWords[health].meaning}</span>
        </span>
      </DetailFact>
      <DetailFact name="claims">
        {formatCount(waitingCount)} {waitingCount === 1 ? 'waits' : 'wait'} for a task now
      </DetailFact>
      <DetailFact name="last claim">
        {lastClaimMs === null ? <span className="dim">none was seen</span> : moment(lastClaimMs)}
      </DetailFact>
    </DetailFacts>
  );
}

function NoWorkers({ queue }: { readonly queue: string }) {
  const command = `vak worker --queue ${queue}`;
  return (
    <div className="workers-none" data-testid="workers-none">
      <p>No worker has said anything about a task of this queue.</p>
      <p className="dim">Start one on any machine that has joined the workspace:</p>
      <p className="workers-command">
        <code>{command}</code>
        <CopyIcon name="command" value={command} />
      </p>
    </div>
  );
}

export function WorkersTab({ queue }: { readonly queue: QueueState }) {
  const nowMs = useNow();
  const zone = useViewState((state) => state.timeZone);
  const workers = [...queue.workers].sort(byPeer);
  return (
    <div className="task-tab workers-tab">
      <Consumer queue={queue} nowMs={nowMs} />
      {workers.length === 0 ? (
        <NoWorkers queue={visibleText(queue.queue)} />
      ) : (
        <table className="data-table workers-table" aria-label="Workers whose receipts count">
          <thead>
            <tr>
              <th scope="col">Worker</th>
              <th scope="col" className="data-number">
                Done
              </th>
              <th scope="col" className="data-number" title="Attempts that failed">
                Failed
              </th>
              <th scope="col" className="data-number">
                Last heard
              </th>
            </tr>
          </thead>
          <tbody>
            {workers.map(({ peer, doneCount, failedCount, lastMs }) => (
              <tr key={peer}>
                <th scope="row" className="data" title={visibleText(peer)}>
                  {visibleText(peer)}
                </th>
                <td className="data-number data">{formatCount(doneCount)}</td>
                <td className={`data-number data${failedCount > 0 ? ' tone-bad' : ' dim'}`}>
                  {formatCount(failedCount)}
                </td>
                <td className="data-number data dim" title={formatDateTime(lastMs, zone)}>
                  {formatRelative(Math.min(lastMs, nowMs), nowMs)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
