/** What can be done with the selected request; palette, keys and buttons share it. */
import type { Action } from '../../actions/action-registry.ts';
import { showQueue, showSession } from '../../state/view-store.ts';
import { copyText } from '../../ui/copy-text.ts';
import { shellLine } from '../../ui/shell-line.ts';
import type { Workbench } from '../../workbench.tsx';
import { findApproval, whyNotAnswer } from './approval-words.ts';
import type { ApprovalWork, Decision } from './approval-work.ts';

const group = 'Approvals';

export interface ApprovalActionsDeps extends Pick<Workbench, 'mirror' | 'view' | 'notify' | 'refuse'> {
  readonly work: ApprovalWork;
  readonly now: () => number;
}

export function createApprovalActions(deps: ApprovalActionsDeps): readonly Action[] {
  const { mirror, view, notify, refuse, work, now } = deps;
  const selected = () => {
    const { tab, selected: ids } = work.store.getState();
    return tab === 'refused' ? undefined : findApproval(mirror.getState()['approvals.state'], ids[tab]);
  };
  const whyNot = (): string | undefined =>
    whyNotAnswer({ connection: mirror.getState()['connections.state'], approval: selected(), nowMs: now() });
  const ask = (decision: Decision) => (): void => {
    const approval = selected();
    if (approval !== undefined) work.ask(approval, decision);
  };
  const needsRequest = (): string | undefined => (selected() === undefined ? 'select a request first' : undefined);
  return [
    {
      id: 'approvals.approve',
      title: 'Approve the selected request…',
      group,
      keys: ['a'],
      disabledReason: whyNot,
      run: ask('approve'),
    },
    {
      id: 'approvals.deny',
      title: 'Deny the selected request…',
      group,
      keys: ['d'],
      disabledReason: whyNot,
      run: ask('deny'),
    },
    {
      id: 'approvals.session',
      title: 'Open the session that asks',
      group,
      keys: ['s'],
      disabledReason: needsRequest,
      run: () => {
        const session = selected()?.session;
        if (session !== undefined) showSession(view, session);
      },
    },
    {
      id: 'approvals.copy',
      title: 'Copy the command that is asked for',
      group,
      keys: ['y'],
      disabledReason: () => needsRequest() ?? (selected()?.command === null ? 'it names no command' : undefined),
      run: () => {
        const command = selected()?.command;
        if (command == null) return;
        if (copyText(shellLine(command))) notify('Copied the command.');
        else refuse('The clipboard refused the command.');
      },
    },
    {
      id: 'approvals.queue',
      title: 'Open the queue of the task that asks',
      group,
      disabledReason: () => needsRequest() ?? (selected()?.queue == null ? 'its queue is not known' : undefined),
      run: () => {
        const approval = selected();
        if (approval?.queue != null) showQueue(view, approval.queue, approval.taskId);
      },
    },
  ];
}
