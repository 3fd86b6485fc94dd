/**
 * Which request is selected, which one is being answered, and how that ended.
 * Law: a request is known by its id from the press of the key to the answer, whatever moves in the list meanwhile.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ApprovalReport } from '../../../shared/contract/approvals-contract.ts';
import { describeError, type ErrorReport } from '../../ui/describe-error.ts';
import { neighbourOf } from '../../ui/list-moves.ts';
import type { Workbench } from '../../workbench.tsx';

export type ApprovalTab = 'pending' | 'past' | 'refused';
export type Decision = 'approve' | 'deny';

export interface Answering {
  /** As it stood when the question was opened: what is answered is what was read. */
  readonly approval: ApprovalReport;
  readonly decision: Decision;
}

export interface ApprovalWorkState {
  readonly tab: ApprovalTab;
  /** Of the list of each tab; undefined: nothing. */
  readonly selected: Readonly<Record<ApprovalTab, string | undefined>>;
  readonly answering: Answering | undefined;
  readonly isBusy: boolean;
  /** Why the last answer did not count. */
  readonly failure: ErrorReport | undefined;
}

export interface ApprovalWork {
  readonly store: StoreApi<ApprovalWorkState>;
  showTab(tab: ApprovalTab): void;
  /** `key` of a row of that list. */
  select(tab: ApprovalTab, key: string): void;
  /** Asks for the confirmation. */
  ask(approval: ApprovalReport, decision: Decision): void;
  /** Answers what was asked; tells whether that counted. */
  answer(reason: string): Promise<boolean>;
  cancel(): void;
}

export interface ApprovalWorkDeps extends Pick<Workbench, 'notify'> {
  readonly answer: Workbench['client']['approvals']['answer'];
  /** Ids of what waits, in the order of the list. */
  readonly pendingIds: () => readonly string[];
}

const said: Readonly<Record<Decision, string>> = { approve: 'Approved', deny: 'Denied' };
const doing: Readonly<Record<Decision, string>> = { approve: 'Approve', deny: 'Deny' };

/** Creates it with nothing selected. */
export function createApprovalWork({ answer, notify, pendingIds }: ApprovalWorkDeps): ApprovalWork {
  const store = createStore<ApprovalWorkState>(() => ({
    tab: 'pending',
    selected: { pending: undefined, past: undefined, refused: undefined },
    answering: undefined,
    isBusy: false,
    failure: undefined,
  }));
  const select = (tab: ApprovalTab, key: string | undefined): void =>
    store.setState({ selected: { ...store.getState().selected, [tab]: key } });

  /** Goes to the request that follows the answered one, unless another was chosen meanwhile. */
  function goOn(former: readonly string[], answered: string): void {
    if (store.getState().selected.pending !== answered) return;
    select(
      'pending',
      neighbourOf(
        former,
        pendingIds().filter((id) => id !== answered),
        answered,
      ),
    );
  }

  return {
    store,
    showTab: (tab) => store.setState({ tab }),
    select,
    ask(approval, decision) {
      store.setState({ answering: { approval, decision }, failure: undefined });
    },
    async answer(reason) {
      const { answering, isBusy } = store.getState();
      if (answering === undefined || isBusy) return false;
      const { approval, decision } = answering;
      const { requestId, title } = approval;
      const former = pendingIds();
      store.setState({ isBusy: true, failure: undefined });
      try {
        await answer({ requestId, decision, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) });
        store.setState({ answering: undefined });
        goOn(former, requestId);
        notify(`${said[decision]}: ${visibleText(title)}. It is signed and cannot be taken back.`);
        return true;
      } catch (error) {
        if (!isVakError(error, 'aborted')) store.setState({ failure: describeError(doing[decision], error) });
        return false;
      } finally {
        store.setState({ isBusy: false });
      }
    },
    cancel: () => store.setState({ answering: undefined, failure: undefined }),
  };
}
