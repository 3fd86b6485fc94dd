/** Approvals: the questions at which a worker stops until a person answers (product.md "Approvals"). */
import { CircleSlash, ClipboardCheck, ListPlus, Plug } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ApprovalsState, RefusedApproval } from '../../../shared/contract/approvals-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount, formatDateTime } from '../../ui/format.ts';
import { Splitter } from '../../ui/splitter.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useSize } from '../../ui/use-size.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { Reading, StaleMark, Unread } from '../../ui/view-states.tsx';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { AnswerDialog } from './answer-dialog.tsx';
import { createApprovalActions } from './approval-actions.ts';
import { ApprovalDetail } from './approval-detail.tsx';
import { ApprovalLists } from './approval-lists.tsx';
import { findApproval, summaryWords } from './approval-words.ts';
import { useApprovalWork, useApprovalWorkState } from './use-approval-work.ts';
import './approvals-view.css';

function NoApprovals() {
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  return (
    <EmptyState
      icon={ClipboardCheck}
      title="Nothing waits for an answer"
      what="An approval is a question at which a worker stops until a person answers: before a command that its task or its own policy names."
      next={
        readOnly === undefined
          ? 'To see one, enqueue a task that asks before it runs, for a queue that a worker claims from.'
          : `What others ask is shown here, and cannot be answered: ${readOnly}. To answer, use another connection or change this one.`
      }
    >
      {readOnly === undefined ? (
        <ActionButton action="queues.enqueue" icon={ListPlus} />
      ) : (
        <ActionButton action="connections.show" icon={Plug} />
      )}
    </EmptyState>
  );
}

/** Who wrote it, and by which key; of what was not proven it is only a claim. */
function RefusedAuthor({ author }: Pick<RefusedApproval, 'author'>) {
  if (author === null) return <DetailFact name="author">nobody is named: it is no envelope</DetailFact>;
  const { peer, session, signer, isProven } = author;
  return (
    <>
      <CopyFact name={isProven ? 'by' : 'says it is of'} value={peer} />
      <CopyFact name="session" value={session} />
      {signer === null ? (
        <DetailFact name="signed">by nobody</DetailFact>
      ) : (
        <CopyFact name={isProven ? 'signed by key' : 'names as signer'} value={signer} />
      )}
    </>
  );
}

function RefusedDetail({ refused }: { readonly refused: RefusedApproval }) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <article className="approval-detail" aria-label="What does not count">
      <header className="approval-detail-head">
        <h2 className="approval-detail-title">A {refused.kind} that does not count</h2>
        <p className="approval-detail-state dim">
          <CircleSlash size={13} aria-hidden="true" /> refused
        </p>
      </header>
      <div className="approval-body">
        <p className="approval-why-whole">{visibleText(refused.why)}</p>
        <DetailFacts>
          <RefusedAuthor author={refused.author} />
          <DetailFact name="stored">{formatDateTime(refused.atMs, zone)}</DetailFact>
          <DetailFact name="place">#{formatCount(refused.seq)} in the stream of approvals</DetailFact>
        </DetailFacts>
      </div>
    </article>
  );
}

function Selected({ state }: { readonly state: ApprovalsState }) {
  const tab = useApprovalWorkState((one) => one.tab);
  const key = useApprovalWorkState((one) => one.selected[one.tab]);
  if (tab === 'refused') {
    const refused = state.refused.find(({ seq }) => String(seq) === key);
    if (refused !== undefined) return <RefusedDetail refused={refused} />;
  } else {
    const approval = findApproval(state, key);
    if (approval !== undefined) return <ApprovalDetail key={approval.requestId} approval={approval} />;
  }
  return <p className="view-note dim">Select a request to see what is asked, by whom, and what was answered.</p>;
}

/** The request that has waited longest is selected until another one is; one that is known no more gives way to it. */
function useFirstSelected(state: ApprovalsState): void {
  const work = useApprovalWork();
  const selected = useApprovalWorkState((one) => one.selected.pending);
  const first = state.pending[0]?.requestId;
  const isKnown = findApproval(state, selected) !== undefined;
  useEffect(() => {
    if (!isKnown && first !== undefined) work.select('pending', first);
  }, [work, isKnown, first]);
}

/** Shows what another view asked for, once the approvals are known. */
function useWantedApproval(state: ApprovalsState, list: RefObject<HTMLDivElement | null>): void {
  const { view } = useWorkbench();
  const work = useApprovalWork();
  const wanted = useViewState((one) => (one.wanted?.kind === 'approvals' ? one.wanted : null));
  useEffect(() => {
    if (wanted === null) return;
    view.setState({ wanted: null });
    const id = wanted.requestId ?? state.pending[0]?.requestId;
    const tab = state.past.some(({ requestId }) => requestId === id) ? 'past' : 'pending';
    work.showTab(tab);
    if (id !== undefined) work.select(tab, id);
    requestAnimationFrame(() => list.current?.focus({ preventScroll: true }));
  }, [view, work, wanted, state, list]);
}

function focusList(list: RefObject<HTMLDivElement | null>): void {
  requestAnimationFrame(() => {
    const home = document.querySelector<HTMLElement>('[data-focus-home]:not([hidden])');
    (list.current ?? home)?.focus({ preventScroll: true });
  });
}

function ApprovalsContent({ state }: { readonly state: ApprovalsState }) {
  const { mirror, view, notify, refuse } = useWorkbench();
  const work = useApprovalWork();
  const list = useRef<HTMLDivElement>(null);
  const size = useSize('approvals.list', { initialPx: 400, minPx: 280, maxPx: 720 });
  useFirstSelected(state);
  useWantedApproval(state, list);
  useActions(
    useMemo(
      () => createApprovalActions({ mirror, view, notify, refuse, work, now: Date.now }),
      [mirror, view, notify, refuse, work],
    ),
  );
  const isEmpty = state.pending.length + state.past.length + state.refusedCount === 0;
  return (
    <>
      {isEmpty ? (
        <div className="view-empty stale-edge" data-stale={state.problem !== null}>
          <NoApprovals />
        </div>
      ) : (
        <div className="approvals stale-edge" data-stale={state.problem !== null}>
          <section className="approvals-side" aria-label="Requests" style={{ width: `${size.px}px` }}>
            <ApprovalLists state={state} listRef={list} />
          </section>
          <Splitter label="Width of the list of requests" size={size} sizes="before" />
          <section className="approvals-main" aria-label="Selected">
            <Selected state={state} />
          </section>
        </div>
      )}
      <AnswerDialog onDone={() => focusList(list)} />
    </>
  );
}

function ApprovalsBody({ state }: { readonly state: ApprovalsState | undefined }) {
  if (state === undefined || (state.readAtMs === null && state.problem === null))
    return <Reading words="Reading the approvals…" />;
  if (state.readAtMs === null && state.problem !== null)
    return <Unread doing="Read the approvals" problem={state.problem} />;
  return <ApprovalsContent state={state} />;
}

export function ApprovalsView() {
  const state = useSnapshot('approvals.state');
  const nowMs = useNow();
  const isRead = state !== undefined && state.readAtMs !== null;
  return (
    <ViewFrame
      title="Approvals"
      summary={isRead ? summaryWords(state, nowMs) : undefined}
      actions={
        isRead && (
          <>
            <StaleMark {...state} data-testid="approvals-stale" />
            {state.problem?.code === 'disconnected' && <ActionButton action="connections.show" icon={Plug} />}
          </>
        )
      }
    >
      <ApprovalsBody state={state} />
    </ViewFrame>
  );
}
