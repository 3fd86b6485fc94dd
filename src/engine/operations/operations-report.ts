/**
 * Incidents, approvals and queues as the Operations Center, the badge and the desktop say them (product.md "Operations Center").
 * Law: what is muted is only listed; of an approval nothing is told that was sealed.
 *
 * Pure: it is given what is known.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { ApprovalReport, ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type {
  Attention,
  Incident,
  IncidentPlace,
  MuteState,
  OperationsState,
  WorkTotals,
} from '../../shared/contract/operations-contract.ts';
import type { QueuesState } from '../../shared/contract/queues-contract.ts';
import { trendOf } from '../work/lag-history.ts';
import { type Alarm, type AlarmMarks, openAlarms } from './alarms.ts';
import { type Alert, approvalsId } from './alert-notifier.ts';
import { type IncidentFacts, toneOf } from './incident-facts.ts';
import { incidentWords, noticeWords } from './incident-words.ts';
import { isMuted } from './mute-rules.ts';

const maxName = 64;
/** Of what is said of a record. */
const maxWhy = 500;

/** What all queues and approvals come to. `rememberedLost`: tasks of which no stream tells any more that they were lost (W7g). */
export function totalsOf(
  { queues }: QueuesState,
  { pending, leftOutCount }: ApprovalsState,
  rememberedLost: number,
): WorkTotals {
  const sum = (figure: (queue: QueuesState['queues'][number]) => number): number =>
    queues.reduce((all, queue) => all + figure(queue), 0);
  return {
    lag: sum(({ lag }) => lag),
    inPerSec: sum(({ inPerSec }) => inPerSec),
    outPerSec: sum(({ outPerSec }) => outPerSec),
    doneCount: sum(({ outcomes }) => outcomes.done + outcomes['finished-late']),
    deadCount: sum(({ outcomes }) => outcomes.dead),
    lostCount: Math.max(
      sum(({ outcomes }) => outcomes.lost),
      rememberedLost,
    ),
    pendingApprovalCount: pending.length + leftOutCount,
  };
}

/** Lag of all queues together, and how it goes; their histories have one length. */
export function lagsOf({ queues }: QueuesState): Pick<OperationsState, 'lagHistory' | 'lagTrend'> {
  const [first] = queues;
  const lags = (first?.lagHistory ?? []).map((_, at) =>
    queues.reduce((all, one) => all + (one.lagHistory[at] ?? 0), 0),
  );
  return { lagHistory: lags, lagTrend: trendOf(lags) };
}

function placeOf({ detail, queue, session }: IncidentFacts): IncidentPlace {
  if (detail.kind === 'refused-approval') return { kind: 'approvals' };
  if (detail.kind === 'denied') return { kind: 'access' };
  if (queue !== null) return { kind: 'queue', queue };
  if (session !== null) return { kind: 'session', session };
  // No other list has what does not count.
  return detail.kind === 'refused-record' ? { kind: 'records' } : { kind: 'queues' };
}

/** Of peers that may be hostile: nothing in it is hidden, and none of it is long. */
function recordsOf({ detail }: IncidentFacts): Incident['records'] {
  if (detail.kind !== 'refused-record') return [];
  return detail.records.map(({ stream, seq, atMs, from, why }) => ({
    ...{ stream: visibleText(stream), seq, atMs },
    ...{ from: visibleText(from).slice(0, maxName), why: visibleText(why).slice(0, maxWhy) },
  }));
}

/** An incident as a window sees it. */
export function incidentOf(facts: IncidentFacts, muted: MuteState): Incident {
  const { id, detail, queue, firstMs, lastMs, count, isStanding, acknowledgedMs } = facts;
  return {
    ...{ id, kind: detail.kind, tone: toneOf(detail.kind), ...incidentWords(facts), queue, place: placeOf(facts) },
    records: recordsOf(facts),
    ...{ firstMs, lastMs, count, isStanding, weight: detail.kind === 'age' ? detail.ageMs : count },
    acknowledged: acknowledgedMs === null ? null : { atMs: acknowledgedMs },
    isMuted: isMuted(muted, detail.kind, queue),
  };
}

/** What of an approval is not sealed: who asks, and for a task of which queue. */
function approvalAlert({ requestId, peer, queue }: ApprovalReport): Alert {
  const title = `${visibleText(peer).slice(0, maxName)} asks for approval`;
  const body =
    queue === null ? 'Open the approvals to see what for.' : `Queue ${visibleText(queue).slice(0, maxName)}.`;
  return { id: `${approvalsId}${requestId}`, kind: 'approval', title, body };
}

/** What is to be told on the desktop, as long as it is there. */
export function alertsOf(
  incidents: readonly IncidentFacts[],
  pending: readonly ApprovalReport[],
  muted: MuteState,
): Alert[] {
  const isLoud = ({ detail, queue, acknowledgedMs }: IncidentFacts): boolean =>
    acknowledgedMs === null && toneOf(detail.kind) === 'bad' && !isMuted(muted, detail.kind, queue);
  return [
    ...incidents.filter(isLoud).map((one): Alert => ({ id: one.id, kind: one.detail.kind, ...noticeWords(one) })),
    ...pending.filter(({ queue }) => !isMuted(muted, 'approval', queue)).map(approvalAlert),
  ];
}

export interface AttentionSources {
  readonly incidents: readonly IncidentFacts[];
  readonly approvals: Pick<ApprovalsState, 'pending' | 'leftOutCount'>;
  readonly alarms: readonly Alarm[];
  readonly marks: AlarmMarks;
  readonly muted: MuteState;
}

/** What needs an operator, wherever it is said. */
export function attentionOf({ incidents, approvals, alarms, marks, muted }: AttentionSources): Attention {
  const isOpen = ({ detail, queue, acknowledgedMs }: IncidentFacts): boolean =>
    acknowledgedMs === null && !isMuted(muted, detail.kind, queue);
  const { pending, leftOutCount } = approvals;
  const waiting = pending.filter(({ queue }) => !isMuted(muted, 'approval', queue)).length;
  return {
    incidentCount: incidents.filter(isOpen).length + openAlarms(alarms, marks).length,
    // Of those beyond the list no queue is known; as long as any of the others counts, they do.
    approvalCount: waiting + (waiting > 0 ? leftOutCount : 0),
  };
}

/** Both of it, as a badge shows it. */
export const sumOf = ({ incidentCount, approvalCount }: Attention): number => incidentCount + approvalCount;
