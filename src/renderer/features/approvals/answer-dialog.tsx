/** Before an answer is signed: once more what is answered, and why. It is bound to the request that was read. */
import { TriangleAlert } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ApprovalReport } from '../../../shared/contract/approvals-contract.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useReveal } from '../../ui/use-reveal.ts';
import { useSnapshot } from '../../workbench.tsx';
import { AskedFor, Verdict } from './approval-detail.tsx';
import { Countdown } from './approval-row.tsx';
import { findApproval, standingOf, whyNotAnswer } from './approval-words.ts';
import type { Answering, Decision } from './approval-work.ts';
import { useApprovalWork, useApprovalWorkState } from './use-approval-work.ts';

const verbs: Readonly<Record<Decision, string>> = { approve: 'Approve', deny: 'Deny' };
const hints: Readonly<Record<Decision, string>> = {
  approve: 'It stands in the signed answer.',
  deny: 'The peer that asked reads it.',
};

/** Once more what is answered: its words, who asks, how long that waits. */
function Asked({ approval, nowMs }: { readonly approval: ApprovalReport; readonly nowMs: number | undefined }) {
  return (
    <div className="approval-asked">
      <p className="approval-asked-title">{visibleText(approval.title)}</p>
      <p className="approval-asked-who">
        <span>
          asked by <span className="data">{visibleText(approval.peer)}</span>
          {approval.queue !== null && (
            <>
              {' '}
              for a task of <span className="data">{visibleText(approval.queue)}</span>
            </>
          )}
        </span>
        {nowMs !== undefined && <Countdown expiresMs={approval.expiresMs} nowMs={nowMs} />}
      </p>
      <AskedFor approval={approval} />
    </div>
  );
}

/** Somebody was first, or its time is over: what counted. */
function Over({ approval }: { readonly approval: ApprovalReport }) {
  return (
    <div className="approval-over" role="status" data-testid="answer-over">
      <TriangleAlert size={14} className="tone-wait" aria-hidden="true" />
      <div>
        <p>It cannot be answered any more.</p>
        <Verdict approval={approval} />
      </div>
    </div>
  );
}

/** The reason as it is typed, and whether a denial lacks it. */
function useReason(decision: Decision) {
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  return {
    reason,
    isMissing,
    set(text: string): void {
      setReason(text);
      setIsMissing(false);
    },
    /** Says so if it has to be given and is not. */
    check(): boolean {
      const lacks = decision === 'deny' && reason.trim() === '';
      setIsMissing(lacks);
      return !lacks;
    },
  };
}

function AnswerForm({ answering, onDone }: { readonly answering: Answering; readonly onDone: () => void }) {
  const work = useApprovalWork();
  const { isBusy, failure } = useApprovalWorkState((state) => state);
  const state = useSnapshot('approvals.state');
  const connection = useSnapshot('connections.state');
  const nowMs = useNow();
  const { approval, decision } = answering;
  const { reason, isMissing, set, check } = useReason(decision);
  const outcome = useReveal<HTMLDivElement>(failure);
  const now = findApproval(state, approval.requestId) ?? approval;
  const isOver = standingOf(now, nowMs) !== 'pending';
  const why = whyNotAnswer({ connection, approval: now, nowMs }) ?? (isBusy ? 'it is being signed' : undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (why === undefined && check()) void work.answer(reason).then((isDone) => isDone && onDone());
  };
  return (
    <form className="dialog-body" noValidate onSubmit={submit}>
      <Asked approval={approval} nowMs={isOver ? undefined : nowMs} />
      {!isOver && (
        <Field
          autoFocus
          label={decision === 'deny' ? 'Reason' : 'Reason (optional)'}
          hint={hints[decision]}
          error={isMissing ? 'Say why it is denied.' : undefined}
          maxLength={1024}
          value={reason}
          data-testid="answer-reason"
          onChange={(event) => set(event.target.value)}
        />
      )}
      <div ref={outcome} className="dialog-outcome">
        {failure !== undefined && <ErrorNotice report={failure} />}
        {isOver && !isBusy && <Over approval={now} />}
      </div>
      <DialogActions>
        <Button onClick={work.cancel}>{isOver ? 'Close' : 'Cancel'}</Button>
        <Button
          type="submit"
          variant={decision === 'approve' ? 'primary' : 'danger'}
          disabledReason={why}
          data-testid="answer-submit"
        >
          {isBusy ? 'Signing…' : verbs[decision]}
        </Button>
      </DialogActions>
    </form>
  );
}

export function AnswerDialog({ onDone }: { readonly onDone: () => void }) {
  const work = useApprovalWork();
  const answering = useApprovalWorkState((state) => state.answering);
  const environment = useEnvironment();
  if (answering === undefined) return null;
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`${verbs[answering.decision]} this request in ${environment?.name ?? '…'}`}
      description="Your answer is signed, counts once, and cannot be taken back."
      tint={environment?.colour}
      onClose={work.cancel}
    >
      <AnswerForm answering={answering} onDone={onDone} />
    </Dialog>
  );
}
