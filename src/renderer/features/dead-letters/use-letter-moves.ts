/** How the lists are gone through by keys: the one with the cursor moves, Enter goes deeper, Esc comes back. */
import { type RefObject, useMemo } from 'react';
import { moveInList } from '../../ui/list-moves.ts';
import { useWorkbench } from '../../workbench.tsx';
import type { LetterMoves } from './letter-actions.ts';
import { slotKey } from './letter-list.tsx';
import type { LetterPages, LetterSlot } from './letter-pages.ts';
import type { LetterWork } from './letter-work.ts';
import { useLetterWork } from './use-letter-work.ts';

export interface LetterPlaces {
  readonly groups: RefObject<HTMLDivElement | null>;
  readonly letters: RefObject<HTMLDivElement | null>;
  readonly filter: RefObject<HTMLInputElement | null>;
  readonly root: RefObject<HTMLDivElement | null>;
}

export interface LetterMovesDeps extends LetterPlaces {
  readonly groupKeys: RefObject<readonly string[]>;
  readonly slots: RefObject<readonly LetterSlot[]>;
  readonly pages: LetterPages;
  /** Selects a row of the letters by its key, known or not. */
  readonly selectKey: (key: string) => void;
}

export type ShownMoves = LetterMoves & { readonly extend: (key: 'ArrowDown' | 'ArrowUp') => void };

const focus = (place: RefObject<HTMLElement | null>): void => place.current?.focus({ preventScroll: true });

/** The place that a key leads to among the letters. */
function letterAt({ slots }: LetterMovesDeps, work: LetterWork, key: string): LetterSlot | undefined {
  const { letter } = work.store.getState();
  const keys = slots.current.map(slotKey);
  const next = moveInList({ keys, selectedKey: letter === null ? undefined : String(letter), pageRows: 10 }, key);
  return next === undefined ? undefined : slots.current[next];
}

function moveGroups({ groupKeys }: LetterMovesDeps, work: LetterWork, key: string): void {
  const selectedKey = work.store.getState().group ?? undefined;
  const next = moveInList({ keys: groupKeys.current, selectedKey, pageRows: 10 }, key);
  const group = next === undefined ? undefined : groupKeys.current[next];
  if (group !== undefined) work.selectGroup(group);
}

function enterLetters(deps: LetterMovesDeps, work: LetterWork): void {
  const { letter } = work.store.getState();
  const shown = deps.slots.current.find(({ row }) => row?.seq === letter) ?? deps.slots.current[0];
  if (shown === undefined) return;
  deps.selectKey(slotKey(shown));
  focus(deps.letters);
}

function goBack(deps: LetterMovesDeps, work: LetterWork): void {
  const { isAll, picked, isOpen, pane } = work.store.getState();
  if (isAll || picked.size > 0) work.clearPicks();
  else if (isOpen) {
    work.closeLetter();
    focus(deps.letters);
  } else if (pane === 'letters') {
    work.store.setState({ pane: 'groups' });
    focus(deps.groups);
  }
}

/** Goes on by one row and takes both into the selection. */
function extend(deps: LetterMovesDeps, work: LetterWork, key: string): void {
  const from = work.store.getState().letter;
  const next = letterAt(deps, work, key)?.row;
  if (next === undefined) return;
  work.pick(from === null ? [next.seq] : [from, next.seq]);
  work.selectLetter(next.seq);
}

export function useLetterMoves(deps: LetterMovesDeps): ShownMoves {
  const work = useLetterWork();
  const { refuse } = useWorkbench();
  // biome-ignore lint/correctness/useExhaustiveDependencies: refs and setters stay the same.
  return useMemo(
    () => ({
      move(key) {
        if (work.store.getState().pane === 'groups') {
          moveGroups(deps, work, key);
          focus(deps.groups);
          return;
        }
        const next = letterAt(deps, work, key);
        if (next !== undefined) deps.selectKey(slotKey(next));
        focus(deps.letters);
      },
      open() {
        const { pane, letter, isOpen } = work.store.getState();
        if (pane === 'groups') enterLetters(deps, work);
        else if (letter !== null && isOpen)
          deps.root.current?.querySelector<HTMLElement>('[role=tab][data-state=active]')?.focus();
        else if (letter !== null) work.openLetter(letter);
      },
      pick() {
        const { letter, pane } = work.store.getState();
        if (pane === 'groups' || letter === null) refuse('Select the letter: go to a letter first (Enter)');
        else work.togglePick(letter);
      },
      pickAll() {
        if (deps.pages.store.getState().matchingCount === 0) refuse('Select all that match: no letter matches');
        else work.pickAll();
      },
      back: () => goBack(deps, work),
      focusFilter: () => deps.filter.current?.focus(),
      showNew() {
        deps.pages.showNew();
        if (deps.letters.current !== null) deps.letters.current.scrollTop = 0;
      },
      extend: (key) => extend(deps, work, key),
    }),
    [work, refuse, deps.pages],
  );
}
