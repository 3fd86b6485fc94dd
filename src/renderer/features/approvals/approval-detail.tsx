/** One request, whole: what would be run, who asks and for what, how long it waits, and what was answered. */
import { Check, SquareTerminal, X } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ApprovalReport } from '../../../shared/contract/approvals-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { CommandText } from '../../ui/command-text.tsx';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { LongText } from '../../ui/payload/payload-text.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { StandingBadge } from './approval-row.tsx';
import { expiryWords, standingOf } from './approval-words.ts';

/** Characters of the words around a command that are shown before the rest is asked for. */
const firstLength = 4096;

/** What was answered, by whom and why. */
export function Verdict({ approval }: { readonly approval: ApprovalReport }) {
  const zone = useViewState((state) => state.timeZone);
  const { verdict, expiresMs, gone } = approval;
  if (gone !== null) {
    return (
      <p>
        {visibleText(gone.why)} That was at {formatDateTime(gone.atMs, zone)}; an answer would reach nobody.
      </p>
    );
  }
  if (verdict === null) return <p>Nobody answered before {formatDateTime(expiresMs, zone)}: that is a no.</p>;
  return (
    <>
      <p>
        {verdict.decision === 'approve' ? 'Approved' : 'Denied'} by{' '}
        <span className="data">{visibleText(verdict.by)}</span> at {formatDateTime(verdict.atMs, zone)}.
      </p>
      {verdict.reason !== null && <p className="approval-reason">{visibleText(verdict.reason)}</p>}
    </>
  );
}

/** The command and the words around it; the same where it is read and where it is answered. */
export function AskedFor({ approval }: { readonly approval: ApprovalReport }) {
  const { command, detail } = approval;
  return (
    <>
      {command === null ? (
        <p className="dim">It names no command: what is asked stands in its words alone.</p>
      ) : (
        <CommandText command={command} />
      )}
      {detail !== '' && (
        <div className="approval-words">
          <LongText text={detail} firstLength={firstLength} data-testid="approval-words" />
        </div>
      )}
    </>
  );
}

function Facts({ approval, nowMs }: { readonly approval: ApprovalReport; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { peer, session, queue, taskId, askedMs, expiresMs, requestId } = approval;
  return (
    <DetailFacts>
      <CopyFact name="peer" value={peer} />
      <CopyFact name="session" value={session} />
      <CopyFact name="queue" value={queue} />
      <CopyFact name="task" value={taskId} />
      <DetailFact name="asked">
        {formatDateTime(askedMs, zone)} <span className="dim">· {formatRelative(Math.min(askedMs, nowMs), nowMs)}</span>
      </DetailFact>
      <DetailFact name="expires">{formatDateTime(expiresMs, zone)}</DetailFact>
      <CopyFact name="request" value={requestId} />
    </DetailFacts>
  );
}

export function ApprovalDetail({ approval }: { readonly approval: ApprovalReport }) {
  const nowMs = useNow();
  const standing = standingOf(approval, nowMs);
  const isPending = standing === 'pending';
  return (
    <article
      className="approval-detail"
      aria-label="The selected request"
      data-testid="approval-detail"
      data-id={approval.requestId}
    >
      <header className="approval-detail-head">
        <h2 className="approval-detail-title">{visibleText(approval.title)}</h2>
        <p className="approval-detail-state">
          <StandingBadge standing={standing} />
          {isPending && <span className="data">{expiryWords(approval.expiresMs, nowMs)}</span>}
        </p>
      </header>
      <div className="approval-body">
        {!isPending && (
          <div className={`approval-verdict approval-verdict-${standing}`} data-testid="approval-verdict">
            <Verdict approval={approval} />
          </div>
        )}
        <AskedFor approval={approval} />
        <Facts approval={approval} nowMs={nowMs} />
      </div>
      <footer className="approval-actions">
        {isPending && (
          <>
            <ActionButton action="approvals.approve" icon={Check} variant="primary" label="Approve…" />
            <ActionButton action="approvals.deny" icon={X} variant="danger" label="Deny…" />
          </>
        )}
        <span className="approval-actions-end">
          <ActionButton action="approvals.queue" label="Open its queue" />
          <ActionButton action="approvals.session" icon={SquareTerminal} label="Open its session" />
        </span>
      </footer>
    </article>
  );
}
