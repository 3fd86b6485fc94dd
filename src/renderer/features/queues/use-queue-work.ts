/** The work on queues of this opening of the window: view, dialogs and palette share it. */
import { useStore } from 'zustand';
import { publishFault } from '../../ui/connection-words.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { createQueueWork, type QueueWork, type QueueWorkState } from './queue-work.ts';

const works = new WeakMap<Workbench, QueueWork>();

export function useQueueWork(): QueueWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, notify, refuse, reportError } = workbench;
  const whyNot = () => publishFault(mirror.getState()['connections.state']);
  const created = createQueueWork({ client: client.queues, whyNot, notify, refuse, reportError });
  works.set(workbench, created);
  return created;
}

/** Part of its state. */
export function useQueueWorkState<T>(select: (state: QueueWorkState) => T): T {
  return useStore(useQueueWork().store, select);
}
