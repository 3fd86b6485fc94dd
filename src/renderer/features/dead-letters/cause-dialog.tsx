/** What people say of a cause: its state, whose it is, a note. Signed, and seen by every operator. */
import { type FormEvent, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { GroupState } from '../../../shared/contract/dlq-contract.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { AreaField } from '../../ui/area-field.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot } from '../../workbench.tsx';
import { whyNotChange } from './letter-reasons.ts';
import type { SaidCause } from './letter-work.ts';
import { useLetterWork } from './use-letter-work.ts';

const states: readonly { readonly id: GroupState; readonly title: string }[] = [
  { id: 'open', title: 'Open' },
  { id: 'acknowledged', title: 'Acknowledged' },
  { id: 'resolved', title: 'Resolved' },
  { id: 'archived', title: 'Archived' },
];

export function CauseDialog({ cause }: { readonly cause: SaidCause }) {
  const work = useLetterWork();
  const environment = useEnvironment();
  const connection = useSnapshot('connections.state');
  const attempt = useAttempt();
  const [state, setState] = useState(cause.state);
  const [assignee, setAssignee] = useState(cause.assignee ?? '');
  const [note, setNote] = useState(cause.note ?? '');
  const disabledReason = whyNotChange({ connection }) ?? (attempt.isBusy ? 'it is being signed' : undefined);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (disabledReason !== undefined) return;
    // What was not touched here stays as others have it.
    const change = {
      ...(state === cause.state ? {} : { state }),
      ...(assignee.trim() === (cause.assignee ?? '') ? {} : { assignee: assignee.trim() || null }),
      ...(note.trim() === (cause.note ?? '') ? {} : { note: note.trim() || null }),
    };
    if (await attempt.run('Say it', () => work.setGroup(cause, change))) work.close();
  };
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`Say something of this cause in ${environment?.name ?? '…'}`}
      description={visibleText(cause.title)}
      tint={environment?.colour}
      onClose={work.close}
    >
      <form className="dialog-body" noValidate onSubmit={(event) => void submit(event)}>
        <ChoiceSwitch label="State" testId="cause-state" chosen={state} onChoose={setState} choices={states} />
        <Field
          autoFocus
          label="Assignee (optional)"
          hint="A name, as others know it; empty: nobody."
          maxLength={64}
          value={assignee}
          data-testid="cause-assignee"
          onChange={(event) => setAssignee(event.target.value)}
        />
        <AreaField
          label="Note (optional)"
          hint="Every operator of the workspace reads it."
          rows={3}
          maxLength={2048}
          value={note}
          data-testid="cause-note"
          onChange={(event) => setNote(event.target.value)}
        />
        <div className="dialog-outcome">{attempt.report !== undefined && <ErrorNotice report={attempt.report} />}</div>
        <DialogActions>
          <Button onClick={work.close}>Cancel</Button>
          <Button type="submit" variant="primary" disabledReason={disabledReason} data-testid="cause-submit">
            Say it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
