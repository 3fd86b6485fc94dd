/** Asks before something that cannot be undone: says what, how many and where; the safe button has the focus. */
import { type FormEvent, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Field } from './field.tsx';
import { formatCount } from './format.ts';

export interface Guarded {
  /** "Purge". */
  readonly verb: string;
  readonly count: number;
  /** What is counted, in the right number: "tasks". */
  readonly noun: string;
  /** What it is done to; the name to be typed. */
  readonly object: string;
  /** Words between the count and the object. */
  readonly preposition?: 'from' | 'of' | 'in';
  readonly environment: string;
  readonly environmentColour: string;
  /** What happens then, in one line. */
  readonly consequence: string;
  /** Asks for a reason too, which may be left out; what becomes of it. */
  readonly reasonHint?: string;
}

/** What was given with a confirmation. */
export interface Confirmation {
  readonly typed: string;
  /** Undefined: none was given. */
  readonly reason: string | undefined;
}

export interface GuardDialogProps {
  /** What is asked; undefined: the dialog is closed. */
  readonly guarded: Guarded | undefined;
  readonly onCancel: () => void;
  readonly onConfirm: (given: Confirmation) => void;
}

function guardTitle({ verb, count, noun, preposition, object, environment }: Guarded): string {
  const relation = preposition === undefined ? ' ' : ` ${preposition} `;
  return `${verb} ${formatCount(count)} ${noun}${relation}${object} in ${environment}`;
}

function GuardForm({ guarded, onCancel, onConfirm }: GuardDialogProps & { readonly guarded: Guarded }) {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const isTyped = typed === guarded.object;
  const isSpaced = !isTyped && typed.trim() === guarded.object;
  const lacks = isSpaced
    ? 'Take the space before or after it away'
    : isTyped
      ? undefined
      : `Type ${guarded.object} first`;
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTyped) onConfirm({ typed, reason: reason.trim() === '' ? undefined : reason.trim() });
  };
  return (
    <form className="dialog-body" onSubmit={onSubmit}>
      <Field
        isData
        label={`Type ${guarded.object} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {guarded.reasonHint !== undefined && (
        <Field
          label="Reason (optional)"
          hint={guarded.reasonHint}
          maxLength={1024}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      <DialogActions>
        <Button autoFocus onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="danger" disabledReason={lacks}>
          {guarded.verb}
        </Button>
      </DialogActions>
    </form>
  );
}

export function GuardDialog({ guarded, onCancel, onConfirm }: GuardDialogProps) {
  if (guarded === undefined) return null;
  return (
    <Dialog
      isOpen
      kind="alert"
      title={guardTitle(guarded)}
      description={guarded.consequence}
      tint={guarded.environmentColour}
      onClose={onCancel}
    >
      <GuardForm guarded={guarded} onCancel={onCancel} onConfirm={onConfirm} />
    </Dialog>
  );
}
