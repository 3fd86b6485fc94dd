/** One choice out of a few, as radio buttons with their meaning beside them. */
import { useId } from 'react';

export interface Choice<Id extends string> {
  readonly id: Id;
  readonly title: string;
  readonly note?: string;
  /** The note is a value, not words. */
  readonly isData?: boolean;
}

export interface ChoiceGroupProps<Id extends string> {
  readonly legend: string;
  readonly choices: readonly Choice<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
}

export function ChoiceGroup<Id extends string>({ legend, choices, selected, onSelect }: ChoiceGroupProps<Id>) {
  const name = useId();
  return (
    <fieldset className="settings-section settings-choices">
      <legend>{legend}</legend>
      {choices.map(({ id, title, note, isData = false }) => (
        <div key={id} className="settings-choice">
          <label className="settings-choice-label">
            <input
              type="radio"
              name={name}
              value={id}
              checked={id === selected}
              aria-describedby={note === undefined ? undefined : `${name}-${id}`}
              onChange={() => onSelect(id)}
            />
            {title}
          </label>
          {note !== undefined && (
            <p id={`${name}-${id}`} className={isData ? 'dim data' : 'dim'}>
              {note}
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}
