/**
 * Operations Center: totals of the work plane, incidents, what is muted (product.md "Operations Center").
 * Law: it counts what queues and approvals say, and says nothing of its own.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { MuteState, OperationsState, WorkTotals } from '../../shared/contract/operations-contract.ts';
import type { QueuesState } from '../../shared/contract/queues-contract.ts';
import type { Clock } from '../ports/clock.ts';

export interface OperationsServiceDeps {
  readonly queues: () => QueuesState;
  readonly approvals: () => ApprovalsState;
  readonly clock: Clock;
  readonly onChange: () => void;
}

export interface OperationsService {
  readonly calls: Services<AppContract>['operations'];
  state(): OperationsState;
}

type Muting = Parameters<OperationsService['calls']['mute']>[0];

const minuteMs = 60_000;

function totalsOf({ queues }: QueuesState, { pending }: ApprovalsState): WorkTotals {
  const sum = (figure: (queue: QueuesState['queues'][number]) => number): number =>
    queues.reduce((all, queue) => all + figure(queue), 0);
  return {
    lag: sum(({ lag }) => lag),
    inPerSec: sum(({ inPerSec }) => inPerSec),
    outPerSec: sum(({ outPerSec }) => outPerSec),
    doneCount: sum(({ outcomes }) => outcomes.done + outcomes['finished-late']),
    deadCount: sum(({ outcomes }) => outcomes.dead),
    lostCount: sum(({ outcomes }) => outcomes.lost),
    pendingApprovalCount: pending.length,
  };
}

/** Lag of all queues together; their histories have one length. */
function lagsOf({ queues }: QueuesState): readonly number[] {
  const [first] = queues;
  return (first?.lagHistory ?? []).map((_, at) => queues.reduce((all, one) => all + (one.lagHistory[at] ?? 0), 0));
}

const toggled = <T>(list: readonly T[], one: T, isIn: boolean): readonly T[] => {
  const others = list.filter((other) => other !== one);
  return isIn ? [...others, one] : others;
};

function muted(before: MuteState, muting: Muting, nowMs: number): MuteState {
  switch (muting.kind) {
    case 'kind':
      return { ...before, kinds: toggled(before.kinds, muting.incidentKind, muting.isMuted) };
    case 'queue':
      return { ...before, queues: toggled(before.queues, muting.queue, muting.isMuted) };
    case 'all':
      return { ...before, untilMs: muting.forMinutes === 0 ? null : nowMs + muting.forMinutes * minuteMs };
  }
}

/** Creates the service with nothing muted. */
export function createOperationsService(deps: OperationsServiceDeps): OperationsService {
  const { queues, approvals, clock, onChange } = deps;
  let mutes: MuteState = { kinds: [], queues: [], untilMs: null };
  return {
    calls: {
      acknowledge() {
        throw new VakError('not-found', 'acknowledge: there is no such incident');
      },
      takeBack: () => {},
      mute(muting) {
        mutes = muted(mutes, muting, clock.now());
        onChange();
      },
    },
    state() {
      const [work, asked] = [queues(), approvals()];
      return {
        ...{ incidents: [], openCount: 0, totals: totalsOf(work, asked), lagHistory: lagsOf(work) },
        ...{ sampleMs: work.sampleMs, muted: mutes, asked: null },
      };
    },
  };
}
