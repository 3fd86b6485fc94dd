/** Before letters are exported as an incident bundle: what is in it, and whether what looks like a secret is taken out. */
import { type FormEvent, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { lettersWords } from './letter-words.ts';
import type { Asking } from './letter-work.ts';
import { PlanFacts, ReasonField, TypedName } from './plan-facts.tsx';
import { useLetterWork } from './use-letter-work.ts';
import { usePlanForm } from './use-plan-form.ts';

export interface BundleDialogProps {
  readonly asking: Asking & { readonly kind: 'export' };
}

export function BundleDialog({ asking: { plan } }: BundleDialogProps) {
  const work = useLetterWork();
  const form = usePlanForm(plan.count, plan.environment);
  const { environment, isGuarded, typed, setTyped, reason, setReason, attempt, disabledReason } = form;
  const [isRedacted, setIsRedacted] = useState(true);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (disabledReason === undefined)
      void attempt.run('Export the bundle', () => work.exportBundle(isRedacted, reason));
  };
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`Export ${lettersWords(plan.count)} of ${visibleText(plan.environment)} as a bundle`}
      description="One signed file: letters and their envelopes as they were stored, opened tasks, receipts, causes, output and figures around the failure, what is on record. Another workbench and vak bundle verify say whether a byte was changed."
      tint={environment?.colour}
      onClose={work.close}
    >
      <form className="dialog-body" noValidate onSubmit={submit}>
        <PlanFacts plan={plan} />
        <div className="plan-canary">
          <ChoiceSwitch
            label="What was opened"
            testId="bundle-redact"
            chosen={isRedacted ? 'redacted' : 'whole'}
            onChoose={(one) => setIsRedacted(one === 'redacted')}
            choices={[
              { id: 'redacted', title: 'Redacted' },
              { id: 'whole', title: 'As it is' },
            ]}
          />
          <span className={isRedacted ? 'dim' : 'tone-wait'}>
            {isRedacted
              ? 'What looks like a key, token, password or card number is taken out and counted. Sealed bytes stay sealed.'
              : 'Whoever gets the file reads everything that was opened.'}
          </span>
        </div>
        <ReasonField isFirst={!isGuarded} value={reason} onChange={setReason} />
        {isGuarded && <TypedName name={plan.environment} value={typed} onChange={setTyped} />}
        <div className="dialog-outcome">{attempt.report !== undefined && <ErrorNotice report={attempt.report} />}</div>
        <DialogActions>
          <Button autoFocus={isGuarded} onClick={work.close}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" disabledReason={disabledReason} data-testid="bundle-submit">
            {attempt.isBusy ? 'Writing…' : 'Export…'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
