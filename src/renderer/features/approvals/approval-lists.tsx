/** What waits, what was answered, what does not count: one list each, rows known by their ids. */
import type { ReactNode, RefObject } from 'react';
import type { ApprovalReport, ApprovalsState } from '../../../shared/contract/approvals-contract.ts';
import type { Choice } from '../../ui/choice.ts';
import { formatCount } from '../../ui/format.ts';
import { RowList } from '../../ui/row-list.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useHeldRows, useHold } from '../../ui/use-held-rows.ts';
import { useNow } from '../../ui/use-now.ts';
import { PastCells, PendingCells, RefusedCells } from './approval-row.tsx';
import type { ApprovalTab } from './approval-work.ts';
import { useApprovalWork, useApprovalWorkState } from './use-approval-work.ts';

const rowPx = 52;

const tabs: readonly Choice<ApprovalTab>[] = [
  { id: 'pending', title: 'Pending' },
  { id: 'past', title: 'Answered' },
  { id: 'refused', title: 'Not counted' },
];

const seqOf = ({ seq }: { readonly seq: number }): string => String(seq);
const titleOf = ({ title }: ApprovalReport): string => title;
const idOf = ({ requestId }: { readonly requestId: string }): string => requestId;

interface ListProps<T> {
  readonly tab: ApprovalTab;
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly nameOf?: (row: T) => string;
  readonly none: string;
  readonly listRef: RefObject<HTMLDivElement | null>;
  readonly children: (row: T) => ReactNode;
}

/** Nothing moves under the pointer: what comes stands at the end meanwhile, and what leaves the list stays in its place. */
function List<T>({ tab, label, rows, keyOf, nameOf, none, listRef, children }: ListProps<T>) {
  const work = useApprovalWork();
  const selected = useApprovalWorkState((state) => state.selected[tab]);
  const { isHeld, onHover } = useHold();
  const { kept, added } = useHeldRows(rows, { keyOf, isHeld, of: tab });
  const shown = isHeld ? [...kept, ...added] : rows;
  if (shown.length === 0) return <p className="view-note dim">{none}</p>;
  return (
    <div className="row-list-frame">
      <RowList
        label={label}
        className="approvals-list"
        rows={shown}
        keyOf={keyOf}
        {...(nameOf === undefined ? {} : { nameOf })}
        main={{ group: 'Approvals', noun: 'request' }}
        rowPx={rowPx}
        selectedKey={selected}
        onSelect={(key) => work.select(tab, key)}
        onHover={onHover}
        listRef={listRef}
        data-testid={`approvals-${tab}`}
      >
        {children}
      </RowList>
    </div>
  );
}

/** The request as it stands now: one that is held in the list may have been answered meanwhile. */
function answeredOf({ past }: ApprovalsState, approval: ApprovalReport): ApprovalReport {
  return past.find(({ requestId }) => requestId === approval.requestId) ?? approval;
}

/** What cannot be listed is said; it comes into the list as others leave it. */
function LeftOutNote({ state: { leftOutCount } }: { readonly state: ApprovalsState }) {
  if (leftOutCount === 0) return null;
  return (
    <p className="approvals-note tone-wait">
      {formatCount(leftOutCount)} more wait and are listed as these are answered.
    </p>
  );
}

function RefusedNote({ state: { refused, refusedCount } }: { readonly state: ApprovalsState }) {
  if (refusedCount <= refused.length) return null;
  return (
    <p className="approvals-note dim">
      The latest {formatCount(refused.length)} of {formatCount(refusedCount)} are listed.
    </p>
  );
}

export interface ApprovalListsProps {
  readonly state: ApprovalsState;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

/** The list of one tab, with what it has to say of those that it leaves out. */
function TabList({ tab, state, listRef }: ApprovalListsProps & { readonly tab: ApprovalTab }) {
  const nowMs = useNow();
  switch (tab) {
    case 'pending':
      return (
        <>
          <List
            {...{ tab, listRef, rows: state.pending, keyOf: idOf, nameOf: titleOf }}
            label="Requests that wait, oldest first"
            none="Nothing waits for an answer."
          >
            {(approval) => <PendingCells approval={answeredOf(state, approval)} nowMs={nowMs} />}
          </List>
          <LeftOutNote state={state} />
        </>
      );
    case 'past':
      return (
        <List
          {...{ tab, listRef, rows: state.past, keyOf: idOf, nameOf: titleOf }}
          label="Answered or expired requests, newest first"
          none="No request was answered or has expired."
        >
          {(approval) => <PastCells approval={approval} nowMs={nowMs} />}
        </List>
      );
    case 'refused':
      return (
        <>
          <List
            {...{ tab, listRef, rows: state.refused, keyOf: seqOf }}
            label="Requests and verdicts that do not count, newest first"
            none="Every request and verdict counts."
          >
            {(refused) => <RefusedCells refused={refused} />}
          </List>
          <RefusedNote state={state} />
        </>
      );
  }
}

export function ApprovalLists({ state, listRef }: ApprovalListsProps) {
  const work = useApprovalWork();
  const tab = useApprovalWorkState((one) => one.tab);
  return (
    <div className="approvals-tabs">
      <Tabs label="Requests" tabs={tabs} selected={tab} onSelect={work.showTab}>
        <TabList tab={tab} state={state} listRef={listRef} />
      </Tabs>
    </div>
  );
}
