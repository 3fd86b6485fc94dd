/** Keys of a list of the view, wherever the focus is: they move its selection, and lead to it. */
import { type RefObject, useMemo, useRef } from 'react';
import { moveInList } from '../../ui/list-moves.ts';
import { useActions } from '../../workbench.tsx';
import { createListActions } from './access-actions.ts';

export interface ListMoves {
  readonly list: RefObject<HTMLDivElement | null>;
  readonly filter: RefObject<HTMLInputElement | null>;
  readonly focusList: () => void;
}

export interface MovedList {
  readonly keys: readonly string[];
  readonly selectedKey: string | undefined;
  readonly onSelect: (key: string) => void;
}

export function useListMoves(moved: MovedList): ListMoves {
  const list = useRef<HTMLDivElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const now = useRef(moved);
  now.current = moved;
  const focusList = useMemo(() => {
    const focus = (): void => list.current?.focus({ preventScroll: true });
    return () => {
      focus();
      // Where no row matched there was no list: it comes back with the cleared filter.
      if (list.current === null) {
        filter.current?.blur();
        requestAnimationFrame(focus);
      }
    };
  }, []);
  useActions(
    useMemo(
      () =>
        createListActions({
          move(key) {
            const { keys, selectedKey, onSelect } = now.current;
            const next = moveInList({ keys, selectedKey, pageRows: 1 }, key);
            const chosen = next === undefined ? undefined : keys[next];
            if (chosen !== undefined) onSelect(chosen);
            focusList();
          },
          filter: () => filter.current?.focus(),
        }),
      [focusList],
    ),
  );
  return { list, filter, focusList };
}
