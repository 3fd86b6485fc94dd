/** The work on dead letters of this opening of the window: view, dialogs and palette share it. */
import { useStore } from 'zustand';
import { keepPlace, keptText } from '../../state/kept-place.ts';
import { oneOf } from '../../state/view-store.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { whyNotChange } from './letter-reasons.ts';
import type { LetterPane } from './letter-scope.ts';
import { createLetterWork, type LetterWork, type LetterWorkState } from './letter-work.ts';

const works = new WeakMap<Workbench, LetterWork>();

export function useLetterWork(): LetterWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, view, notify, refuse, reportError, whileOpen } = workbench;
  const created = createLetterWork({
    ...{ client: client.dlq, notify, refuse, reportError },
    whyNot: () => whyNotChange({ connection: mirror.getState()['connections.state'] }),
  });
  works.set(workbench, created);
  whileOpen.add(
    keepPlace(view, {
      name: 'letters',
      store: created.store,
      read: ({ pane, group, letter, isOpen }) => ({ pane, group, letter, isOpen }),
      restore: ({ pane, group, letter, isOpen }) => ({
        pane: oneOf<LetterPane>(pane, ['letters'], 'groups'),
        group: keptText(group) ?? null,
        letter: Number.isSafeInteger(letter) ? (letter as number) : null,
        isOpen: isOpen === true,
      }),
    }),
  );
  return created;
}

/** Part of its state. */
export function useLetterWorkState<T>(select: (state: LetterWorkState) => T): T {
  return useStore(useLetterWork().store, select);
}
