/** A bundle of another workbench: what it says and whether that was signed, its letters, the open one. Nothing in it acts on the bus. */
import { FileSearch, X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { BundleReport } from '../../../shared/contract/bundles-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { Action } from '../../actions/action-registry.ts';
import { formatCount, formatDateTime } from '../../ui/format.ts';
import { moveInList } from '../../ui/list-moves.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Splitter } from '../../ui/splitter.tsx';
import { useSize } from '../../ui/use-size.ts';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { BundleFacts } from './bundle-facts.tsx';
import { BundleLetter } from './bundle-letter.tsx';
import { verdictWord } from './bundle-words.ts';
import type { BundleWork } from './bundle-work.ts';
import { NoLetterFound } from './dead-letters-empty.tsx';
import { knownNames } from './known-names.ts';
import { LetterFilterField, type LetterFilterFieldProps } from './letter-filter-field.tsx';
import { LetterList, type LetterListProps, slotKey } from './letter-list.tsx';
import { StateMark } from './letter-marks.tsx';
import { createLetterPages, type LetterPages, type LetterPagesState, type LetterSlot } from './letter-pages.ts';
import { lettersWords } from './letter-words.ts';
import { useBundleWork, useBundleWorkState } from './use-bundle-work.ts';
import { type LetterCursor, useLetterCursor } from './use-letter-cursor.ts';
import './bundle-view.css';

const factBounds = { initialPx: 380, minPx: 280, maxPx: 640 };
const detailBounds = { initialPx: 520, minPx: 400, maxPx: 960 };

/** Those letters of a bundle that a filter means, read as they come into sight. */
function useBundlePages({ bundleId }: BundleReport, filter: string): LetterPages {
  const { client } = useWorkbench();
  const pages = useMemo(
    () =>
      createLetterPages({
        page: async (asked, options) => ({
          version: 0,
          ...(await client.bundles.page({ bundleId, ...asked }, options)),
        }),
      }),
    [client, bundleId],
  );
  useEffect(() => pages.show(filter), [pages, filter]);
  useEffect(() => () => pages.close(), [pages]);
  return pages;
}

interface Cursor {
  readonly slots: readonly LetterSlot[];
  readonly work: BundleWork;
  readonly focus: () => void;
  readonly focusFilter: () => void;
}

function createBundleActions({ slots, work, focus, focusFilter }: Cursor): readonly Action[] {
  const own = { group: 'Bundle' };
  const move = (key: string) => () => {
    const { letter } = work.store.getState();
    const next = moveInList(
      { keys: slots.map(slotKey), selectedKey: letter === null ? undefined : String(letter), pageRows: 10 },
      key,
    );
    const row = next === undefined ? undefined : slots[next]?.row;
    if (row !== undefined) work.select(row.seq);
    focus();
  };
  return [
    { ...own, id: 'bundle.next', title: 'Go to the next letter', keys: ['j', 'ArrowDown'], run: move('j') },
    { ...own, id: 'bundle.previous', title: 'Go to the previous letter', keys: ['k', 'ArrowUp'], run: move('k') },
    {
      ...{ ...own, id: 'bundle.show', title: 'Open the letter', keys: ['Enter'] },
      run() {
        const { letter } = work.store.getState();
        if (letter !== null) work.show(letter);
      },
    },
    {
      ...{ ...own, id: 'bundle.back', title: 'Close the letter, then the bundle', keys: ['Escape'] },
      run() {
        work.back();
        focus();
      },
    },
    { ...own, id: 'bundle.filter', title: 'Filter the letters of the bundle', keys: ['/'], run: focusFilter },
    { ...own, id: 'bundle.close', title: 'Close the bundle', run: work.close },
  ];
}

interface StripProps extends Pick<LetterFilterFieldProps, 'onLeave' | 'inputRef'> {
  readonly bundle: BundleReport;
  readonly state: LetterPagesState;
}

function countWords({ filter, isKnown, matchingCount }: LetterPagesState, letterCount: number): string {
  if (filter.trim() === '' || !isKnown) return lettersWords(letterCount);
  return `${formatCount(matchingCount)} of ${lettersWords(letterCount)}`;
}

function Strip({ bundle, state, onLeave, inputRef }: StripProps) {
  const work = useBundleWork();
  const filter = useBundleWorkState((one) => one.filter);
  const { name, made, letterCount } = bundle;
  const zone = useViewState((state) => state.timeZone);
  const at = made === null || made.atMs === null ? '' : `, ${formatDateTime(made.atMs, zone)}`;
  return (
    <div className="letters-strip" data-testid="bundle-strip">
      <span className="bundle-tag">from a bundle</span>
      <strong className="bundle-name" title={name}>
        {name}
      </strong>
      <span className="dim bundle-origin">
        workspace {made?.workspace ?? 'unknown'}, by {made?.by ?? 'nobody that it names'}
        {at}
      </span>
      <StateMark word={verdictWord(bundle)} />
      <LetterFilterField
        {...{ filter, onLeave, inputRef, faults: state.faults, known: knownNames([], state.slots) }}
        label="Filter the letters of the bundle"
        onFilter={work.setFilter}
      />
      <span className="letters-strip-end">
        <span className="dim">{countWords(state, letterCount)}, to be read only</span>
      </span>
      <ActionButton action="letters.openBundle" icon={FileSearch} label="Open another…" />
      <ActionButton action="bundle.close" icon={X} label="Close" />
    </div>
  );
}

interface LettersProps extends Pick<LetterListProps, 'want' | 'onOpen' | 'listRef'> {
  readonly bundle: BundleReport;
  readonly state: LetterPagesState;
  readonly cursor: LetterCursor;
}

function Letters({ bundle, state, cursor, ...listed }: LettersProps) {
  const work = useBundleWork();
  const list = { ...listed, slots: state.slots };
  if (bundle.letterCount === 0) return <p className="view-note dim">No letter in it can be read.</p>;
  if (state.isKnown && state.slots.length === 0)
    return <NoLetterFound hint="" hasFault={state.faults.length > 0} onClear={() => work.setFilter('')} />;
  return (
    <div className="letters-place">
      <LetterList {...list} selectedKey={cursor.selectedKey} onSelect={cursor.selectKey} />
    </div>
  );
}

export function BundleView({ bundle }: { readonly bundle: BundleReport }) {
  const work = useBundleWork();
  const { letter, isOpen, filter } = useBundleWorkState((one) => one);
  const pages = useBundlePages(bundle, filter);
  const state = useStore(pages.store);
  const { slots } = state;
  const [awaitedRow, awaitRow] = useState<number | null>(null);
  const select = useCallback(
    (seq: number) => {
      awaitRow(null);
      work.select(seq);
    },
    [work],
  );
  const cursor = useLetterCursor({ state, letter, awaitedRow, select, awaitRow });
  const size = useSize('letters.bundle', factBounds);
  const list = useRef<HTMLDivElement>(null);
  const focus = useMemo(() => () => list.current?.focus({ preventScroll: true }), []);
  const filterInput = useRef<HTMLInputElement>(null);
  const focusFilter = useMemo(() => () => filterInput.current?.focus(), []);
  useActions(
    useMemo(() => createBundleActions({ slots, work, focus, focusFilter }), [slots, work, focus, focusFilter]),
  );
  const first = slots[0]?.row?.seq;
  useEffect(() => {
    if (letter !== null || first === undefined) return;
    work.select(first);
    // While a filter is typed the keys stay there.
    if (document.activeElement !== filterInput.current) focus();
  }, [work, letter, first, focus]);
  const close = (): void => {
    work.back();
    focus();
  };
  return (
    <div className="letters" data-testid="bundle">
      <Strip {...{ bundle, state, inputRef: filterInput, onLeave: focus }} />
      <div className="letters-lists">
        <section className="bundle-side" aria-label="What is in the bundle" style={{ width: `${size.px}px` }}>
          <BundleFacts bundle={bundle} />
        </section>
        <Splitter label="Width of what is in the bundle" size={size} sizes="before" />
        <section className="letters-main" aria-label="Letters of the bundle">
          <Letters {...{ bundle, state, cursor, listRef: list }} want={pages.want} onOpen={work.show} />
        </section>
        {isOpen && letter !== null && (
          <SidePanel
            label="Letter"
            sizeName="letters.detail"
            bounds={detailBounds}
            onClose={close}
            data-testid="letter-detail"
          >
            <BundleLetter bundle={bundle} seq={letter} onClose={close} />
          </SidePanel>
        )}
      </div>
    </div>
  );
}
