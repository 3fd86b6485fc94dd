/** Before letters are exported as an incident bundle: what is in it, and whether what looks like a secret is taken out. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { lettersWords } from './letter-words.ts';
import type { Asking } from './letter-work.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { useLetterWork } from './use-letter-work.ts';

export interface BundleDialogProps {
  readonly asking: Asking & { readonly kind: 'export' };
}

export function BundleDialog({ asking: { plan } }: BundleDialogProps) {
  const work = useLetterWork();
  const [isRedacted, setIsRedacted] = useState(true);
  return (
    <PlanDialog
      plan={plan}
      action="export"
      title={`Export ${lettersWords(plan.count)} of ${visibleText(plan.environment)} as a bundle`}
      description="One signed file: letters and their envelopes as they were stored, opened tasks, receipts, causes, output and figures around the failure, what is on record. Another workbench and vak bundle verify say whether a byte was changed."
      doing="Export the bundle"
      submit="Export…"
      busy="Writing…"
      submitTestId="bundle-submit"
      onSubmit={(reason) => work.exportBundle(isRedacted, reason)}
    >
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
    </PlanDialog>
  );
}
