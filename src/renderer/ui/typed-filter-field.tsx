/** The filter as it is typed: it completes names and values, and shows what is wrong in its place. */
import { X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import type { FilterCompletion, FilterFault } from '../../shared/filter/typed-filter.ts';
import { complete, type FilterWords, filterCompletions } from './filter-completions.ts';
import { IconButton } from './icon-button.tsx';
import { type SavedFilterKind, SavedFilters } from './saved-filters.tsx';
import './typed-filter-field.css';

export interface TypedFilterFieldProps {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly faults: readonly FilterFault[];
  readonly words: FilterWords;
  /** Goes back to what is filtered. */
  readonly onLeave: () => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  /** For who does not see it. */
  readonly label: string;
  readonly placeholder: string;
  /** Which list of filters with names it has; undefined: none. */
  readonly saved?: SavedFilterKind | undefined;
  /** Of the field; its fault has this name with `-fault`. */
  readonly testId: string;
}

type FaultsProps = { readonly id: string } & Pick<TypedFilterFieldProps, 'filter' | 'faults' | 'testId'>;

/** The text once more, under the field, with what is wrong in it marked. */
function Faults({ id, filter, faults, testId }: FaultsProps) {
  const [first] = faults;
  if (first === undefined) return null;
  const to = Math.max(first.to, first.from + 1);
  return (
    <p className="typed-filter-fault" id={id} role="status" data-testid={`${testId}-fault`}>
      <span className="data typed-filter-fault-text" aria-hidden="true">
        {filter.slice(Math.max(0, first.from - 12), first.from)}
        <mark>{filter.slice(first.from, to) || '…'}</mark>
        {filter.slice(to, to + 12)}
      </span>
      <span>{first.message}</span>
    </p>
  );
}

interface ListProps {
  readonly id: string;
  readonly offers: readonly FilterCompletion[];
  readonly active: number;
  readonly onTake: (offer: FilterCompletion) => void;
}

function Offers({ id, offers, active, onTake }: ListProps) {
  return (
    <div className="typed-filter-offers" role="listbox" id={id} aria-label="What may follow">
      {offers.map((offer, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the input has the focus and the keys (WAI-ARIA combobox).
        <div
          key={offer.text}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(offer)}
        >
          <span className="data">{offer.text}</span>
          <span className="dim">{offer.help}</span>
        </div>
      ))}
    </div>
  );
}

/** What is offered at the caret, and which of it the keys are on. */
function useOffers({ filter, onFilter, words, inputRef }: TypedFilterFieldProps) {
  const [caret, setCaret] = useState<number | undefined>();
  const [active, setActive] = useState(-1);
  const offers = caret === undefined ? [] : filterCompletions(filter, Math.min(caret, filter.length), words);
  const take = (offer: FilterCompletion): void => {
    const taken = complete(filter, offer);
    // At once: what is typed next stands behind it, and a caret that is placed later would go before that.
    flushSync(() => {
      onFilter(taken.text);
      setActive(-1);
      setCaret(taken.caret);
    });
    inputRef.current?.setSelectionRange(taken.caret, taken.caret);
  };
  const place = (at: number | undefined): void => {
    setCaret(at);
    setActive(-1);
  };
  return { offers, active, setActive, take, place };
}

export function TypedFilterField(props: TypedFilterFieldProps) {
  const { filter, onFilter, faults, onLeave, inputRef, label, placeholder, saved, testId } = props;
  const id = useId();
  const { offers, active, setActive, take, place } = useOffers(props);
  const leave = (): void => {
    place(undefined);
    onLeave();
  };
  const takeIf = (offer: FilterCompletion | undefined): boolean => {
    if (offer !== undefined) take(offer);
    return offer !== undefined;
  };
  const step = (by: number): boolean => {
    setActive((active + by + (active < 0 && by < 0 ? 1 : 0) + offers.length) % offers.length);
    return true;
  };
  const closeOffers = (): boolean => {
    place(undefined);
    return true;
  };
  /** What keys mean while something is offered; whether they mean something then. */
  const offerKeys = new Map<string, (event: KeyboardEvent) => boolean>([
    ['ArrowDown', () => step(1)],
    ['ArrowUp', () => step(-1)],
    ['Tab', ({ shiftKey }) => !shiftKey && takeIf(offers[active] ?? offers[0])],
    ['Enter', () => takeIf(offers[active])],
    ['Escape', closeOffers],
  ]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (offers.length > 0 && offerKeys.get(event.key)?.(event) === true) event.preventDefault();
    else if (['Enter', 'ArrowDown', 'Escape'].includes(event.key)) {
      event.preventDefault();
      if (event.key === 'Escape' && filter !== '') onFilter('');
      else leave();
    }
  };
  return (
    <span className="typed-filter">
      <input
        ref={inputRef}
        className="field-input data"
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
        placeholder={placeholder}
        aria-label={label}
        aria-keyshortcuts="/"
        aria-expanded={offers.length > 0}
        aria-controls={offers.length > 0 ? `${id}-offers` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={active < 0 ? undefined : `${id}-offers-${active}`}
        aria-invalid={faults.length > 0 || undefined}
        aria-describedby={faults.length > 0 ? `${id}-fault` : undefined}
        data-testid={testId}
        value={filter}
        onChange={(event) => {
          onFilter(event.target.value);
          place(event.target.selectionStart ?? event.target.value.length);
        }}
        onBlur={() => place(undefined)}
        onKeyDown={onKeyDown}
      />
      {filter !== '' && <IconButton icon={X} label="Clear the filter" onClick={() => onFilter('')} />}
      {saved !== undefined && <SavedFilters {...{ kind: saved, filter, faults, onFilter }} />}
      {offers.length > 0 && <Offers id={`${id}-offers`} offers={offers} active={active} onTake={take} />}
      {offers.length === 0 && <Faults id={`${id}-fault`} filter={filter} faults={faults} testId={testId} />}
    </span>
  );
}
