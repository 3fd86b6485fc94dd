/** A labelled field of several lines with what it expects below it and, when it is wrong, what is wrong. */
import { type ComponentPropsWithRef, useId } from 'react';
import './field.css';

export interface AreaFieldProps
  extends Omit<ComponentPropsWithRef<'textarea'>, 'id' | 'className' | 'aria-describedby' | 'aria-invalid'> {
  readonly label: string;
  /** What it expects, in one line. */
  readonly hint?: string | undefined;
  /** What is wrong with the value; undefined: nothing. */
  readonly error?: string | undefined;
}

export function AreaField({ label, hint, error, ...area }: AreaFieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea
        autoComplete="off"
        spellCheck={false}
        {...area}
        id={id}
        className="field-input field-area data"
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
