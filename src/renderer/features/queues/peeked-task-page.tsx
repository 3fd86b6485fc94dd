/** One task that stands in its queue: what is known of it, and its payload once it is asked for. */
import { LockOpen } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { PeekedTask } from '../../../shared/contract/queues-contract.ts';
import type { OpenedPayload } from '../../../shared/contract/trust-report.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { CopyFact, DetailFact, DetailFacts, DetailNotice, TrustLine } from '../../ui/detail-facts.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatBytes, formatCount, formatDateTime, formatRelative } from '../../ui/format.ts';
import { type PayloadMode, PayloadViews } from '../../ui/payload/payload-views.tsx';
import { SealFailure } from '../../ui/seal-failure.tsx';
import { SealBadge, SignatureBadge } from '../../ui/trust-badges.tsx';
import { signatureSentence } from '../../ui/trust-sentences.ts';
import { useNow } from '../../ui/use-now.ts';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { outcomeWords } from './queue-words.ts';
import { TaskPage } from './task-page.tsx';

type Opening =
  | { readonly kind: 'closed' | 'opening' }
  | { readonly kind: 'answered'; readonly payload: OpenedPayload }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Opens the payload when it is asked for; what came is gone with the page. */
function useOpening(queue: string, seq: number): { readonly opening: Opening; readonly open: () => Promise<void> } {
  const { client } = useWorkbench();
  const [opening, setOpening] = useState<Opening>({ kind: 'closed' });
  const calls = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => calls.current?.abort(), []);
  const open = async (): Promise<void> => {
    calls.current?.abort();
    const call = new AbortController();
    calls.current = call;
    setOpening({ kind: 'opening' });
    try {
      const payload = await client.queues.open({ queue, seq }, { signal: call.signal });
      if (!call.signal.aborted) setOpening({ kind: 'answered', payload });
    } catch (error) {
      if (!call.signal.aborted && !isVakError(error, 'aborted')) setOpening({ kind: 'failed', error });
    }
  };
  return { opening, open };
}

const left = {
  why: 'The task has left its queue since it was listed: a worker has finished it, it became a dead letter, or it was purged.',
  next: 'Go back and look again; what became of it stands under Outcomes.',
};

function Payload({ opening }: { readonly opening: Opening }) {
  const [mode, setMode] = useState<PayloadMode>('json');
  switch (opening.kind) {
    case 'closed':
      return null;
    case 'opening':
      return <p className="task-list-none dim late">Opening the payload…</p>;
    case 'failed': {
      const report = describeError('Open the payload', opening.error);
      return (
        <div className="task-list-failure">
          <ErrorNotice report={isVakError(opening.error, 'not-found') ? { ...report, ...left } : report} />
        </div>
      );
    }
    case 'answered':
      return opening.payload.kind === 'opened' ? (
        <div className="task-payload" data-testid="task-payload">
          <PayloadViews bytes={opening.payload.bytes} mode={mode} onMode={setMode} />
        </div>
      ) : (
        <SealFailure failure={opening.payload.failure} />
      );
  }
}

function TaskFacts({ task }: { readonly task: PeekedTask }) {
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  const { storedMs, sizeBytes, isSealed, signature, outcome } = task;
  return (
    <DetailFacts>
      <CopyFact name="task" value={task.taskId} />
      <CopyFact name="leaf" value={task.leaf} />
      <DetailFact name="stored">
        {formatDateTime(storedMs, zone)} <span className="dim">· {formatRelative(storedMs, nowMs)}</span>
      </DetailFact>
      <DetailFact name="size">{formatBytes(sizeBytes)}</DetailFact>
      <CopyFact name="peer" value={task.peer} />
      <DetailFact name="seal">
        <TrustLine badge={<SealBadge mark={task.taskId === null ? 'none' : isSealed ? 'sealed' : 'plain'} />}>
          {isSealed
            ? 'Sealed: only peers of the workspace can open it.'
            : 'Not sealed: whoever reads the stream reads it.'}
        </TrustLine>
      </DetailFact>
      <DetailFact name="signature">
        <TrustLine badge={<SignatureBadge mark={signature.kind} />}>
          {visibleText(signatureSentence(signature))}
        </TrustLine>
      </DetailFact>
      <DetailFact name="state">
        <span className="task-state">
          <OutcomeBadge outcome={outcome} />
          <span className="dim">{outcomeWords[outcome].meaning}</span>
        </span>
      </DetailFact>
      <DetailFact name="tries">
        {task.attemptCount === 0 ? 'none' : formatCount(task.attemptCount)}
        <span className="dim"> · told by receipts that count</span>
      </DetailFact>
    </DetailFacts>
  );
}

export interface PeekedTaskPageProps {
  readonly queue: string;
  readonly task: PeekedTask;
  readonly onBack: () => void;
}

export function PeekedTaskPage({ queue, task, onBack }: PeekedTaskPageProps) {
  const { opening, open } = useOpening(queue, task.seq);
  const run = useRef(open);
  run.current = open;
  useActions(
    useMemo(
      () => [
        {
          id: 'queues.openPayload',
          title: task.isSealed ? 'Open the sealed payload' : 'Show the payload',
          group: 'Queues',
          keys: ['o'],
          run: () => run.current(),
        },
      ],
      [task.isSealed],
    ),
  );
  return (
    <TaskPage
      title={`Task #${formatCount(task.seq)}`}
      onBack={onBack}
      actions={<ActionButton action="queues.openPayload" icon={LockOpen} />}
      isFilled={opening.kind === 'answered'}
      note="Looking claims nothing: the task still stands where it stood."
      data-testid="peeked-task"
    >
      {task.refusal !== null && (
        <DetailNotice title="No worker will run it" data-testid="task-refusal">
          <p>{visibleText(task.refusal)}</p>
        </DetailNotice>
      )}
      <TaskFacts task={task} />
      <Payload opening={opening} />
    </TaskPage>
  );
}
