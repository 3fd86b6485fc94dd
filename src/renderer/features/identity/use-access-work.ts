/** The work on grants and peers of this opening of the window: view, dialogs and palette share it. */
import { useStore } from 'zustand';
import { keepPlace, keptText } from '../../state/kept-place.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { type AccessWork, type AccessWorkState, createAccessWork } from './access-work.ts';

const works = new WeakMap<Workbench, AccessWork>();

export function useAccessWork(): AccessWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, view, notify, reportError, whileOpen } = workbench;
  const environment = (): string | undefined => mirror.getState()['connections.state']?.current;
  const created = createAccessWork({ client: client.access, environment, notify, reportError });
  works.set(workbench, created);
  whileOpen.add(
    keepPlace(view, {
      name: 'access',
      store: created.store,
      read: ({ selectedGrant, selectedPeer, isPeerOpen, filter }) => ({
        ...{ selectedGrant, selectedPeer, isPeerOpen, filter },
      }),
      restore: ({ selectedGrant, selectedPeer, isPeerOpen, filter }) => ({
        selectedGrant: keptText(selectedGrant),
        selectedPeer: keptText(selectedPeer),
        isPeerOpen: isPeerOpen === true,
        filter: keptText(filter) ?? '',
      }),
    }),
  );
  return created;
}

/** Part of its state. */
export function useAccessWorkState<T>(select: (state: AccessWorkState) => T): T {
  return useStore(useAccessWork().store, select);
}
