/** The work on connections of this opening of the window: the table, the dialogs and the palette share it. */
import { useStore } from 'zustand';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { type ConnectionWork, type ConnectionWorkState, createConnectionWork } from './connection-work.ts';

const works = new WeakMap<Workbench, ConnectionWork>();

export function useConnectionWork(): ConnectionWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const created = createConnectionWork({ client: workbench.client.connections, notify: workbench.notify });
  works.set(workbench, created);
  return created;
}

/** Part of its state. */
export function useWorkState<T>(select: (state: ConnectionWorkState) => T): T {
  return useStore(useConnectionWork().store, select);
}
