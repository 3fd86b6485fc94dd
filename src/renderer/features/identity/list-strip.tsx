/** Above a list of the view: its filter, what that leaves, what else is to be said, and the buttons. */
import type { ReactNode, RefObject } from 'react';
import { FilterField } from '../../ui/filter-field.tsx';
import { formatCount } from '../../ui/format.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';

export interface ListStripProps {
  /** "Filter grants by peer, role or queue". */
  readonly label: string;
  readonly shownCount: number;
  readonly count: number;
  readonly note?: ReactNode;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  /** Goes back to the list. */
  readonly onLeave: () => void;
  /** Buttons. */
  readonly children: ReactNode;
}

export function ListStrip({ label, shownCount, count, note, inputRef, onLeave, children }: ListStripProps) {
  const work = useAccessWork();
  const filter = useAccessWorkState((state) => state.filter);
  const setFilter = (text: string): void => work.select({ filter: text });
  return (
    <div className="identity-strip">
      <FilterField
        {...{ label, inputRef, onLeave }}
        className="identity-filter"
        placeholder="Filter"
        value={filter}
        onChange={setFilter}
        data-testid="identity-filter"
      />
      <span className="dim identity-shown" role="status">
        {filter.trim() === '' ? '' : `${formatCount(shownCount)} of ${formatCount(count)}`}
      </span>
      <span className="identity-strip-note dim">{note}</span>
      <span className="identity-strip-end">{children}</span>
    </div>
  );
}
