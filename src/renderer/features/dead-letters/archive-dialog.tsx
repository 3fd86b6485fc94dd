/** Before letters are archived, or brought back. */
import type { FormEvent } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { lettersWords } from './letter-words.ts';
import type { Asking } from './letter-work.ts';
import { PlanFacts, ReasonField, TypedName } from './plan-facts.tsx';
import { useLetterWork } from './use-letter-work.ts';
import { usePlanForm } from './use-plan-form.ts';

const words = {
  archive: {
    verb: 'Archive',
    what: 'They leave the list and the counts, and stay in their stream; state:archived finds them, and they can be restored.',
  },
  restore: { verb: 'Restore', what: 'They stand in the list again as they were before they were archived.' },
} as const;

export interface ArchiveDialogProps {
  readonly asking: Asking & { readonly kind: 'archive' | 'restore' };
}

export function ArchiveDialog({ asking: { kind, plan } }: ArchiveDialogProps) {
  const work = useLetterWork();
  const form = usePlanForm(plan.count, plan.environment);
  const { environment, isGuarded, typed, setTyped, reason, setReason, attempt, disabledReason } = form;
  const { verb, what } = words[kind];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (disabledReason === undefined) void attempt.run(verb, () => work.setArchived(reason));
  };
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`${verb} ${lettersWords(plan.count)} in ${visibleText(plan.environment)}`}
      description={what}
      tint={environment?.colour}
      onClose={work.close}
    >
      <form className="dialog-body" noValidate onSubmit={submit}>
        <PlanFacts plan={plan} />
        <ReasonField isFirst={!isGuarded} value={reason} onChange={setReason} />
        {isGuarded && <TypedName name={plan.environment} value={typed} onChange={setTyped} />}
        <div className="dialog-outcome">{attempt.report !== undefined && <ErrorNotice report={attempt.report} />}</div>
        <DialogActions>
          <Button autoFocus={isGuarded} onClick={work.close}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" disabledReason={disabledReason} data-testid="archive-submit">
            {`${verb} ${lettersWords(plan.count)}`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
