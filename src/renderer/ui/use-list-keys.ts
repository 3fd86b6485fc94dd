/** Keys of the list that a view is about: they act wherever the focus is in the view, and it has the focus when the view opens. */
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Action } from '../actions/action-registry.ts';
import { isApplePlatform, matchesBinding } from '../actions/key-bindings.ts';
import { useActions, useWorkbench } from '../workbench.tsx';
import { findByName, type Search, searchOn } from './type-ahead.ts';

/** What the list is about, for the palette and the sheet of keys. */
export interface MainList {
  readonly group: string;
  /** "queue", as in "Select the next queue". */
  readonly noun: string;
  /** Arrows, Home and End stay those of the page, which has more than the list. */
  readonly isPartOfPage?: boolean;
}

const moves = [
  ['next', ['j', 'ArrowDown']],
  ['previous', ['k', 'ArrowUp']],
  ['first', ['Home']],
  ['last', ['End']],
] as const;

/** Moves by `press`, which is given the key as if it were pressed in the list. Hook: `main` undefined registers nothing. */
export function useMainListKeys(main: MainList | undefined, press: (key: string) => void): void {
  const latest = useRef(press);
  latest.current = press;
  const [group, noun, isPartOfPage] = [main?.group, main?.noun, main?.isPartOfPage === true];
  const actions = useMemo(
    (): readonly Action[] =>
      group === undefined
        ? []
        : moves.slice(0, isPartOfPage ? 2 : undefined).map(([id, keys]) => ({
            ...{ id: `${group.toLowerCase()}.${id}`, title: `Select the ${id} ${noun}`, group },
            keys: isPartOfPage ? keys.slice(0, 1) : keys,
            run: () => latest.current(keys[0]),
          })),
    [group, noun, isPartOfPage],
  );
  useActions(actions);
}

/** Takes the focus when the list appears, if nobody has it: the view has, or who had it is gone. */
export function useMainListFocus(list: RefObject<HTMLElement | null>, isMain: boolean): void {
  useEffect(() => {
    const active = document.activeElement;
    const isFree = active === null || active === document.body || active.matches('[data-focus-home]');
    if (isMain && isFree) list.current?.focus({ preventScroll: true });
  }, [list, isMain]);
}

export interface NamedRows {
  readonly names: readonly string[];
  /** −1: none. */
  readonly selected: number;
}

/** Goes on with a search by typing; gives the place that it leads to, −1 for a key that is of a search and leads nowhere, else undefined. */
export function useTypeAhead(): (event: KeyboardEvent, rows: NamedRows | undefined) => number | undefined {
  const { actions } = useWorkbench();
  const search = useRef<Search | undefined>(undefined);
  return (event, rows) => {
    if (rows === undefined) return undefined;
    const isApple = isApplePlatform(navigator.userAgent);
    const isBound =
      event.key === 'j' ||
      event.key === 'k' ||
      actions.all().some(({ keys }) => keys?.some((one) => matchesBinding(one, event.nativeEvent, isApple)));
    search.current = searchOn({ search: search.current, key: event.key, nowMs: event.timeStamp, isBound });
    return search.current === undefined ? undefined : (findByName(rows.names, rows.selected, search.current) ?? -1);
  };
}
