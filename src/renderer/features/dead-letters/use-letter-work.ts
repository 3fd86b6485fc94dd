/** The work on dead letters of this opening of the window: view, dialogs and palette share it. */
import { useStore } from 'zustand';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { whyNotChange } from './letter-reasons.ts';
import { createLetterWork, type LetterWork, type LetterWorkState } from './letter-work.ts';

const works = new WeakMap<Workbench, LetterWork>();

export function useLetterWork(): LetterWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, view, notify, refuse, reportError } = workbench;
  const created = createLetterWork({
    ...{ client: client.dlq, notify, refuse, reportError },
    whyNot: () => whyNotChange({ connection: mirror.getState()['connections.state'] }),
    showArchived: () => view.setState({ letterFilter: 'state:archived' }),
  });
  works.set(workbench, created);
  return created;
}

/** Part of its state. */
export function useLetterWorkState<T>(select: (state: LetterWorkState) => T): T {
  return useStore(useLetterWork().store, select);
}
