/** The frame of every question about a plan: what it holds, what is chosen besides, why, the typed name, and how the last try ended. */
import type { FormEvent, ReactNode } from 'react';
import type { LetterPlan } from '../../../shared/contract/dlq-contract.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { PlannedAction } from './letter-work.ts';
import { PlanFacts, ReasonField, TypedName } from './plan-facts.tsx';
import { useLetterWork } from './use-letter-work.ts';
import { usePlanForm } from './use-plan-form.ts';

export interface PlanDialogProps {
  readonly plan: LetterPlan;
  readonly action: PlannedAction;
  readonly title: string;
  readonly description: string;
  /** "Retry": what is said to be done if it fails. */
  readonly doing: string;
  /** Words of the button, and while it is under way. */
  readonly submit: string;
  readonly busy?: string;
  readonly submitTestId: string;
  /** What is wrong with what is chosen besides; undefined: nothing. */
  readonly fault?: string | undefined;
  /** Rejects with why it was not done. */
  readonly onSubmit: (reason: string) => Promise<void>;
  /** What is chosen besides. */
  readonly children?: ReactNode;
}

export function PlanDialog(props: PlanDialogProps) {
  const { plan, action, title, description, doing, submit, busy = submit, submitTestId } = props;
  const { fault, onSubmit, children } = props;
  const work = useLetterWork();
  const form = usePlanForm({ action, count: plan.count }, plan.environment);
  const { environment, isGuarded, typed, setTyped, reason, setReason, attempt } = form;
  const disabledReason = form.disabledReason ?? fault;
  const onFormSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (disabledReason === undefined) void attempt.run(doing, () => onSubmit(reason));
  };
  return (
    <Dialog isOpen kind="wide" title={title} description={description} tint={environment?.colour} onClose={work.close}>
      <form className="dialog-body" noValidate onSubmit={onFormSubmit}>
        <PlanFacts plan={plan} />
        {children}
        <ReasonField isFirst={!isGuarded} value={reason} onChange={setReason} />
        {isGuarded && <TypedName name={plan.environment} value={typed} onChange={setTyped} />}
        <div className="dialog-outcome">{attempt.report !== undefined && <ErrorNotice report={attempt.report} />}</div>
        <DialogActions>
          <Button onClick={work.close}>Cancel</Button>
          <Button type="submit" variant="primary" disabledReason={disabledReason} data-testid={submitTestId}>
            {attempt.isBusy ? busy : submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
