/** Rows of the lists: what is asked, by whom, and how it stands. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { CircleCheck, CircleDashed, CircleSlash, CircleX, type LucideIcon, Timer, TimerOff, UserX } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ApprovalReport, ApprovalStanding, RefusedApproval } from '../../../shared/contract/approvals-contract.ts';
import { countdownWords } from '../../ui/countdown-words.ts';
import { formatCount, formatRelative, formatTimeOfDay } from '../../ui/format.ts';
import { useViewState } from '../../workbench.tsx';
import { authorWords, standingOf, standingWords } from './approval-words.ts';

const icons: Readonly<Record<ApprovalStanding, LucideIcon>> = {
  pending: CircleDashed,
  approved: CircleCheck,
  denied: CircleX,
  expired: TimerOff,
  'asker-gone': UserX,
};
const tones: Readonly<Record<ApprovalStanding, string>> = {
  pending: 'tone-wait',
  approved: 'tone-ok',
  denied: 'tone-bad',
  expired: 'dim',
  'asker-gone': 'dim',
};

/** Icon and word. */
export function StandingBadge({ standing }: { readonly standing: ApprovalStanding }) {
  const Icon = icons[standing];
  return (
    <span className={`approval-standing ${tones[standing]}`} data-standing={standing}>
      <Icon size={13} aria-hidden="true" />
      {standingWords[standing]}
    </span>
  );
}

/** Below this it is said with a colour too. */
const hurryMs = 60_000;

/** How long is left; as wide whatever it says. */
export function Countdown({ expiresMs, nowMs }: { readonly expiresMs: number; readonly nowMs: number }) {
  const left = countdownWords(expiresMs - nowMs);
  const Icon = left === undefined ? TimerOff : Timer;
  return (
    <span
      className={`approval-countdown${left !== undefined && expiresMs - nowMs < hurryMs ? ' tone-wait' : ' dim'}`}
      title="Time that is left to answer"
    >
      <Icon size={13} aria-hidden="true" />
      <span className="data">{left ?? 'expired'}</span>
    </span>
  );
}

interface CellsProps {
  readonly approval: ApprovalReport;
  readonly nowMs: number;
}

/** Who, for which queue. */
function whoWords({ peer, queue }: ApprovalReport): string {
  return visibleText(queue === null ? peer : `${peer} · ${queue}`);
}

export function PendingCells({ approval, nowMs }: CellsProps) {
  const { title, askedMs, expiresMs } = approval;
  const standing = standingOf(approval, nowMs);
  return (
    <div role="presentation" className="approval-row">
      <span role="gridcell" className="approval-title" title={visibleText(title)}>
        {visibleText(title)}
      </span>
      <span role="gridcell" className="approval-right">
        {standing === 'pending' ? (
          <Countdown expiresMs={expiresMs} nowMs={nowMs} />
        ) : (
          <StandingBadge standing={standing} />
        )}
      </span>
      <span role="gridcell" className="approval-who dim">
        {whoWords(approval)}
      </span>
      <span role="gridcell" className="approval-right dim">
        asked {formatRelative(Math.min(askedMs, nowMs), nowMs)}
      </span>
    </div>
  );
}

export function PastCells({ approval, nowMs }: CellsProps) {
  const { title, verdict, expiresMs } = approval;
  const atMs = verdict?.atMs ?? expiresMs;
  return (
    <div role="presentation" className="approval-row">
      <span role="gridcell" className="approval-title" title={visibleText(title)}>
        {visibleText(title)}
      </span>
      <span role="gridcell" className="approval-right">
        <StandingBadge standing={standingOf(approval, nowMs)} />
      </span>
      <span role="gridcell" className="approval-who dim">
        {whoWords(approval)}
      </span>
      <span role="gridcell" className="approval-right dim">
        {verdict === null ? 'nobody' : visibleText(verdict.by)} · {formatRelative(Math.min(atMs, nowMs), nowMs)}
      </span>
    </div>
  );
}

export function RefusedCells({ refused }: { readonly refused: RefusedApproval }) {
  const zone = useViewState((state) => state.timeZone);
  const why = visibleText(refused.why);
  return (
    <div role="presentation" className="approval-row">
      <span role="gridcell" className="approval-title approval-refused">
        <CircleSlash size={13} aria-hidden="true" />a {refused.kind} that does not count
      </span>
      <span role="gridcell" className="approval-right data dim">
        #{formatCount(refused.seq)} · {formatTimeOfDay(refused.atMs, zone)}
      </span>
      <span role="gridcell" className="approval-who approval-why dim" title={`${authorWords(refused.author)}: ${why}`}>
        {authorWords(refused.author)} · {why}
      </span>
    </div>
  );
}
