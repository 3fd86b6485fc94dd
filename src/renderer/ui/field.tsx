/** A labelled text field with what it expects below it and, when it is wrong, what is wrong. */
import { type ComponentPropsWithRef, useId } from 'react';
import './field.css';

export interface FieldProps extends Omit<ComponentPropsWithRef<'input'>, 'id' | 'aria-describedby' | 'aria-invalid'> {
  readonly label: string;
  /** What it expects, in one line. */
  readonly hint?: string | undefined;
  /** What is wrong with the value; undefined: nothing. */
  readonly error?: string | undefined;
  /** Command lines, ids and numbers are set in the data face. */
  readonly isData?: boolean;
}

export function Field({ label, hint, error, isData = false, className, ...input }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={`field${className === undefined ? '' : ` ${className}`}`}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <input
        autoComplete="off"
        spellCheck={false}
        {...input}
        id={id}
        className={isData ? 'field-input data' : 'field-input'}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? 'field-note' : 'field-note field-note-bad'}>
          {note}
        </p>
      )}
    </div>
  );
}
