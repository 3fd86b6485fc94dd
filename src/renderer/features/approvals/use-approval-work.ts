/** The work on approvals of this opening of the window. */
import { useStore } from 'zustand';
import { keepPlace, keptText } from '../../state/kept-place.ts';
import { oneOf } from '../../state/view-store.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { type ApprovalTab, type ApprovalWork, type ApprovalWorkState, createApprovalWork } from './approval-work.ts';

const works = new WeakMap<Workbench, ApprovalWork>();

export function useApprovalWork(): ApprovalWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, mirror, view, notify, whileOpen } = workbench;
  const created = createApprovalWork({
    answer: client.approvals.answer,
    notify,
    pendingIds: () => mirror.getState()['approvals.state']?.pending.map(({ requestId }) => requestId) ?? [],
  });
  works.set(workbench, created);
  whileOpen.add(
    keepPlace(view, {
      name: 'approvals',
      store: created.store,
      read: ({ tab, selected }) => ({ tab, ...selected }),
      restore: ({ tab, pending, past, refused }) => ({
        tab: oneOf<ApprovalTab>(tab, ['past', 'refused'], 'pending'),
        selected: { pending: keptText(pending), past: keptText(past), refused: keptText(refused) },
      }),
    }),
  );
  return created;
}

/** Part of its state. */
export function useApprovalWorkState<T>(select: (state: ApprovalWorkState) => T): T {
  return useStore(useApprovalWork().store, select);
}
