/** The filter of dead letters. */
import { letterFields } from '../../../shared/filter/letter-filter.ts';
import type { KnownNames } from '../../ui/filter-completions.ts';
import { TypedFilterField, type TypedFilterFieldProps } from '../../ui/typed-filter-field.tsx';

export interface LetterFilterFieldProps
  extends Pick<TypedFilterFieldProps, 'filter' | 'onFilter' | 'faults' | 'onLeave' | 'inputRef' | 'saved'> {
  readonly known: KnownNames;
  /** For who does not see it. */
  readonly label?: string;
}

export function LetterFilterField({ known, label = 'Filter dead letters', ...field }: LetterFilterFieldProps) {
  return (
    <TypedFilterField
      {...field}
      words={{ fields: letterFields, known }}
      label={label}
      placeholder="error: queue: worker: state: after:2h, words"
      testId="letter-filter"
    />
  );
}
