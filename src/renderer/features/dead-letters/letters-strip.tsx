/** Above the lists: the filter, what letters are put together by, how many there are, and whether that is of now. */
import type { RefObject } from 'react';
import type { FilterFault, LettersState } from '../../../shared/contract/dlq-contract.ts';
import { type Grouping, groupings } from '../../../shared/filter/letter-filter.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import type { KnownNames } from '../../ui/filter-completions.ts';
import { formatCount } from '../../ui/format.ts';
import { LetterFilterField } from './letter-filter-field.tsx';
import { groupingTitles, readingWords } from './letter-words.ts';

export interface LettersStripProps {
  /** Undefined: they are read for the first time. */
  readonly state: LettersState | undefined;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly faults: readonly FilterFault[];
  readonly known: KnownNames;
  readonly by: Grouping;
  readonly onBy: (by: Grouping) => void;
  /** Groups beyond those that are listed. */
  readonly leftOutCount: number;
  readonly onLeave: () => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

export function LettersStrip(props: LettersStripProps) {
  const { state, filter, onFilter, faults, known, by, onBy, leftOutCount, onLeave, inputRef } = props;
  const reading = state && readingWords(state);
  return (
    <div className="letters-strip">
      <LetterFilterField {...{ filter, onFilter, faults, known, onLeave, inputRef }} saved="letters" />
      <ChoiceSwitch<Grouping>
        label="Put together by"
        testId="letters-by"
        chosen={by}
        onChoose={onBy}
        choices={groupings.map((id) => ({ id, title: groupingTitles[id] }))}
      />
      <span className="letters-strip-end">
        {leftOutCount > 0 && <span className="tone-wait">{formatCount(leftOutCount)} more groups</span>}
        {state !== undefined && state.forgottenCount > 0 && (
          <span className="tone-wait" title="The newest 100 000 are held; older ones are in their stream">
            {formatCount(state.forgottenCount)} older ones are not here
          </span>
        )}
        {reading !== undefined && <span className="dim">{reading}</span>}
      </span>
    </div>
  );
}
