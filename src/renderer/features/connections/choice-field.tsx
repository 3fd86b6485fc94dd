/** One of a few, as radio buttons with a name over them, and what is wrong below. */
import { useId } from 'react';
import '../../ui/field.css';

export interface ChoiceOption<T extends string> {
  readonly value: T;
  readonly label: string;
  /** A colour to show beside the word. */
  readonly swatch?: string;
}

export interface ChoiceFieldProps<T extends string> {
  readonly label: string;
  readonly options: readonly ChoiceOption<T>[];
  readonly value: string;
  readonly error: string | undefined;
  /** Side by side. */
  readonly isInline?: boolean;
  readonly onChoose: (value: T) => void;
}

export function ChoiceField<T extends string>(props: ChoiceFieldProps<T>) {
  const { label, options, value, error, isInline = false, onChoose } = props;
  const id = useId();
  return (
    <div
      role="radiogroup"
      className="field"
      aria-labelledby={`${id}-label`}
      aria-describedby={error === undefined ? undefined : `${id}-note`}
      aria-invalid={error !== undefined || undefined}
    >
      <span id={`${id}-label`} className="field-label">
        {label}
      </span>
      <div className={isInline ? 'choice-options choice-options-inline' : 'choice-options'}>
        {options.map((option) => (
          <label key={option.value} className="connection-check">
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            {option.swatch !== undefined && (
              <span className="connection-dot" aria-hidden="true" style={{ background: option.swatch }} />
            )}
            {option.label}
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p id={`${id}-note`} className="field-note field-note-bad">
          {error}
        </p>
      )}
    </div>
  );
}
