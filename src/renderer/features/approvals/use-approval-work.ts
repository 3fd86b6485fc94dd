/** The work on approvals of this opening of the window. */
import { useStore } from 'zustand';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { type ApprovalWork, type ApprovalWorkState, createApprovalWork } from './approval-work.ts';

const works = new WeakMap<Workbench, ApprovalWork>();

export function useApprovalWork(): ApprovalWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, notify } = workbench;
  const created = createApprovalWork({
    answer: client.approvals.answer,
    notify,
    pendingIds: () => mirror.getState()['approvals.state']?.pending.map(({ requestId }) => requestId) ?? [],
  });
  works.set(workbench, created);
  return created;
}

/** Part of its state. */
export function useApprovalWorkState<T>(select: (state: ApprovalWorkState) => T): T {
  return useStore(useApprovalWork().store, select);
}
