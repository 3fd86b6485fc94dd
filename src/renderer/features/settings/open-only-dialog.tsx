/** "Open only…": until when a secret still opens what it has sealed. */
import { type FormEvent, useState } from 'react';
import type { WorkspaceSecretStatus } from '../../../shared/contract/settings-contract.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useNow } from '../../ui/use-now.ts';
import { endText, openOnlyConsequence, readEnd } from './workspace-secret-words.ts';

const dayMs = 86_400_000;
const spans = [
  { id: '1', title: '1 day' },
  { id: '7', title: '7 days' },
  { id: '30', title: '30 days' },
  { id: '90', title: '90 days' },
  { id: 'good', title: 'for good' },
] as const;
type Span = (typeof spans)[number]['id'] | 'typed';

interface FormProps {
  readonly onClose: () => void;
  /** `untilMs` null: for good. */
  readonly onConfirm: (untilMs: number | null) => void;
}

function OpenOnlyForm({ onClose, onConfirm }: FormProps) {
  const nowMs = useNow();
  const [span, setSpan] = useState<Span>('30');
  const [text, setText] = useState(() => endText(nowMs + 30 * dayMs));
  const end = span === 'good' ? null : readEnd(text, nowMs);
  const choose = (next: Span): void => {
    setSpan(next);
    if (next !== 'good' && next !== 'typed') setText(endText(nowMs + Number(next) * dayMs));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typeof end !== 'string') onConfirm(end);
  };
  return (
    <form className="dialog-body" noValidate onSubmit={submit}>
      <ChoiceSwitch
        label="How long it opens"
        choices={spans}
        chosen={span}
        onChoose={(id) => choose(id)}
        testId="open-only-span"
      />
      <Field
        isData
        label="Opens until (UTC)"
        hint="From then on it opens nothing any more."
        error={typeof end === 'string' ? end : undefined}
        readOnly={span === 'good'}
        value={span === 'good' ? 'no end' : text}
        data-testid="open-only-until"
        onChange={(event) => {
          setSpan('typed');
          setText(event.target.value);
        }}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          data-testid="open-only-submit"
          disabledReason={typeof end === 'string' ? 'the time is not fit' : undefined}
        >
          Let it only open
        </Button>
      </DialogActions>
    </form>
  );
}

export interface OpenOnlyDialogProps {
  readonly secrets: readonly WorkspaceSecretStatus[];
  /** Undefined: closed. */
  readonly secret: WorkspaceSecretStatus | undefined;
  readonly onClose: () => void;
  readonly onConfirm: (id: string, untilMs: number | null) => void;
}

export function OpenOnlyDialog({ secrets, secret, onClose, onConfirm }: OpenOnlyDialogProps) {
  if (secret === undefined) return null;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Let ${secret.id} only open`}
      description={openOnlyConsequence(secrets, secret)}
    >
      <OpenOnlyForm onClose={onClose} onConfirm={(untilMs) => onConfirm(secret.id, untilMs)} />
    </Dialog>
  );
}
