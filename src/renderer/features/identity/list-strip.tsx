/** Above a list of the view: its filter, what that leaves, what else is to be said, and the buttons. */
import { X } from 'lucide-react';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
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
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setFilter('');
    else if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onLeave();
  };
  return (
    <div className="identity-strip">
      <span className="identity-filter">
        <input
          ref={inputRef}
          className="field-input"
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder="Filter"
          aria-label={label}
          aria-keyshortcuts="/"
          data-testid="identity-filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {filter !== '' && <IconButton icon={X} label="Clear the filter" onClick={() => setFilter('')} />}
      </span>
      <span className="dim identity-shown" role="status">
        {filter.trim() === '' ? '' : `${formatCount(shownCount)} of ${formatCount(count)}`}
      </span>
      <span className="identity-strip-note dim">{note}</span>
      <span className="identity-strip-end">{children}</span>
    </div>
  );
}
