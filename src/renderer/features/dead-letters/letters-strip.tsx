/** Above the lists: the filter, what letters are put together by, how many there are, and whether that is of now. */
import { History } from 'lucide-react';
import type { RefObject } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { FilterFault, LettersState } from '../../../shared/contract/dlq-contract.ts';
import { type Grouping, groupings } from '../../../shared/filter/letter-filter.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import type { KnownNames } from '../../ui/filter-completions.ts';
import { formatCount, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { useViewState } from '../../workbench.tsx';
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

/** Whether what is shown is that of now. */
function Currency({ state: { problem, readAtMs } }: { readonly state: LettersState }) {
  const zone = useViewState((state) => state.timeZone);
  if (problem === null || readAtMs === null) return null;
  return (
    <span className="letters-note tone-wait" data-testid="letters-stale" title={visibleText(problem.message)}>
      <History size={13} aria-hidden="true" />
      stale since {formatTimeOfDay(readAtMs, zone)} {formatZone(zone, readAtMs)}
    </span>
  );
}

export function LettersStrip(props: LettersStripProps) {
  const { state, filter, onFilter, faults, known, by, onBy, leftOutCount, onLeave, inputRef } = props;
  const reading = state && readingWords(state);
  return (
    <div className="letters-strip">
      <LetterFilterField {...{ filter, onFilter, faults, known, onLeave, inputRef }} />
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
        {state && <Currency state={state} />}
      </span>
    </div>
  );
}
