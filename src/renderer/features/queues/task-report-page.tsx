/** One task: what became of it, every attempt that counts, and its dead letter. It changes as more is heard. */
import { CircleCheck, CircleX } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueueState, TaskAttempt, TaskReport } from '../../../shared/contract/queues-contract.ts';
import { showTraceOf } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts, DetailNotice } from '../../ui/detail-facts.tsx';
import {
  formatCount,
  formatDateTime,
  formatDuration,
  formatRelative,
  formatTime,
  formatZone,
  shortenId,
} from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { outcomeWords } from './queue-words.ts';
import { attemptReason } from './report-words.ts';
import { TaskPage } from './task-page.tsx';

function Attempt({ attempt }: { readonly attempt: TaskAttempt }) {
  const zone = useViewState((state) => state.timeZone);
  const isDone = attempt.outcome === 'done';
  const Icon = isDone ? CircleCheck : CircleX;
  const worker = visibleText(attempt.workerId);
  const reason = attemptReason(attempt);
  return (
    <li className="task-attempt" data-testid="task-attempt">
      <div className="task-attempt-line">
        <span className="data dim">{formatCount(attempt.attempt)}</span>
        <span className={`outcome-badge ${isDone ? 'tone-ok' : 'tone-bad'}`}>
          <Icon size={13} aria-hidden="true" />
          {isDone ? 'done' : 'failed'}
        </span>
        <span className="data" title={worker}>
          {worker}
        </span>
        <span className="data dim">{attempt.exitCode === null ? 'no exit' : `exit ${attempt.exitCode}`}</span>
        <span className="data dim row-cell-number">
          {formatDuration(Math.max(0, attempt.endedMs - attempt.startedMs))}
        </span>
        <span className="data dim" title={`Ended at ${formatDateTime(attempt.endedMs, zone)}`}>
          {formatTime(attempt.endedMs, zone)}
        </span>
      </div>
      {reason !== '' && <p className="task-attempt-reason">{reason}</p>}
    </li>
  );
}

function Attempts({ report, maxDeliver }: { readonly report: TaskReport; readonly maxDeliver: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { attempts } = report;
  return (
    <>
      <h3 className="detail-heading">
        {attempts.length === 0
          ? `No attempt is told by a receipt that counts yet; ${formatCount(maxDeliver)} at most are made`
          : `Attempts: ${formatCount(attempts.length)} told by receipts that count, of ${formatCount(maxDeliver)} at most · when each ended, ${formatZone(zone, report.changedMs)}`}
      </h3>
      <ol className="task-attempts">
        {[...attempts]
          .sort((a, b) => a.attempt - b.attempt)
          .map((attempt) => (
            <Attempt key={`${attempt.attempt} ${attempt.workerId}`} attempt={attempt} />
          ))}
      </ol>
    </>
  );
}

function Report({ report, maxDeliver }: { readonly report: TaskReport; readonly maxDeliver: number }) {
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  const { outcome, storedMs, changedMs, deadLetter, refusal } = report;
  return (
    <>
      {refusal !== null && (
        <DetailNotice title="No worker will run it" data-testid="task-refusal">
          <p>{visibleText(refusal)}</p>
        </DetailNotice>
      )}
      {deadLetter !== null && (
        <DetailNotice
          title={outcome === 'finished-late' ? 'It had a dead letter before it was done' : 'It is a dead letter'}
          data-testid="task-dead-letter"
        >
          <p>{visibleText(deadLetter.reason)}</p>
          <p className="dim">
            #{formatCount(deadLetter.seq)}, written by {visibleText(deadLetter.by)} at{' '}
            {formatDateTime(deadLetter.atMs, zone)}
          </p>
        </DetailNotice>
      )}
      <DetailFacts>
        <DetailFact name="outcome">
          <span className="task-state" data-testid="task-outcome" data-outcome={outcome}>
            <OutcomeBadge outcome={outcome} />
            <span className="dim">{outcomeWords[outcome].meaning}</span>
          </span>
        </DetailFact>
        <CopyFact name="task" value={report.taskId} />
        <CopyFact name="leaf" value={report.leaf} />
        <DetailFact name="stored">
          {storedMs === null ? <span className="dim">before it was looked at</span> : formatDateTime(storedMs, zone)}
        </DetailFact>
        <DetailFact name="changed">
          {formatDateTime(changedMs, zone)} <span className="dim">· {formatRelative(changedMs, nowMs)}</span>
        </DetailFact>
      </DetailFacts>
      <Attempts report={report} maxDeliver={maxDeliver} />
    </>
  );
}

export interface TaskReportPageProps {
  /** Leaf or id that was asked for. */
  readonly task: string;
  /** Undefined: nothing is heard of it yet. */
  readonly report: TaskReport | undefined;
  readonly queue: QueueState;
  readonly onBack: () => void;
}

export function TaskReportPage({ task, report, queue, onBack }: TaskReportPageProps) {
  const { view } = useWorkbench();
  const taskId = report?.taskId ?? undefined;
  return (
    <TaskPage
      title={`Task ${visibleText(shortenId(report?.taskId ?? task, 20))}`}
      onBack={onBack}
      actions={
        taskId !== undefined && (
          <Button onClick={() => showTraceOf(view, taskId)} data-testid="task-show-trace">
            Show trace
          </Button>
        )
      }
      data-testid="task-report"
    >
      {report === undefined ? (
        <p className="task-list-none dim">Nothing is heard of this task yet; what is heard appears here by itself.</p>
      ) : (
        <Report report={report} maxDeliver={queue.maxDeliver} />
      )}
    </TaskPage>
  );
}
