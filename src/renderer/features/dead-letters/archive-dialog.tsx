/** Before letters are archived, or brought back. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import { lettersWords } from './letter-words.ts';
import type { Asking } from './letter-work.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { useLetterWork } from './use-letter-work.ts';

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
  const { verb, what } = words[kind];
  const submit = `${verb} ${lettersWords(plan.count)}`;
  return (
    <PlanDialog
      plan={plan}
      action={kind}
      title={`${submit} in ${visibleText(plan.environment)}`}
      description={what}
      doing={verb}
      submit={submit}
      submitTestId="archive-submit"
      onSubmit={work.setArchived}
    />
  );
}
