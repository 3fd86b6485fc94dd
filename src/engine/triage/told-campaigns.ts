/**
 * Retries that other apps and commands of the workspace are at, as their operators put them on record (docs/spec/triage.md D5, D8).
 * Law: pure, and bounded; what nobody has put on record is not told, and what has ended is forgotten.
 */

import { isVakError } from '../../shared/base/vak-error.ts';
import type { CampaignState, RetryOutcome } from '../../shared/contract/dlq-contract.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import { auditStreamOf, auditSubject } from '../work/purge-records.ts';
import { createStreamReading } from '../work/stream-reading.ts';
import { begunOutcome, endOutcomes } from './campaign-audit.ts';
import type { CampaignPorts } from './campaign-place.ts';
import { countOutcomes, maxCampaignItems, outcomeNamed } from './campaign-record.ts';
import { claimMs } from './letter-claims.ts';
import { letterActions, readLetterAction, type SaidAction } from './letter-records.ts';

export interface ToldCampaigns {
  /** Tells it of a record that counts. */
  note(action: SaidAction): void;
  /** Those that may still run at that time, ms since the epoch; newest first. */
  states(nowMs: number): readonly CampaignState[];
}

interface Told {
  readonly first: SaidAction;
  count: number;
  readonly parts: Set<number>;
  /** Of each retry, by its task. */
  readonly outcomes: Map<string, RetryOutcome>;
}

const maxOperations = 100;
const maxEnded = 10_000;
const kinds: ReadonlyMap<string, CampaignState['kind']> = new Map([
  [letterActions.retry, 'retry'],
  [letterActions.edit, 'edit'],
  [letterActions.retarget, 'retarget'],
]);

const nameOf = ({ by, operationId }: SaidAction): string => `${by} ${operationId}`;

function stateOf({ first, count, outcomes }: Told, cancelledBy: string | undefined): CampaignState {
  const { operationId, by, storedMs: startedMs, reason, scope, action } = first;
  const counts = countOutcomes({ items: [...outcomes.values()].map((outcome) => ({ outcome })) });
  const elsewhere = `${by} has it at work in another app or command, if that still runs; what comes of it is put on record there.`;
  const asked = `${cancelledBy} cancelled it; what works on it ends it when it sees that.`;
  return {
    ...{ operationId, by, startedMs, reason, title: scope, count, isCanary: false, step: null, ratePerSec: 0 },
    kind: kinds.get(action) ?? 'retry',
    counts: { ...counts, requested: Math.max(0, count - outcomes.size) },
    ...(cancelledBy === undefined ? { state: 'running', why: elsewhere } : { state: 'waiting', why: asked }),
  };
}

/** Creates it, knowing nothing. */
export function createToldCampaigns(): ToldCampaigns {
  const running = new Map<string, Told>();
  const ended = createBoundedCache<true>(maxEnded);
  const cancels = createBoundedCache<string>(maxEnded);

  function noteBegun(action: SaidAction): void {
    const name = nameOf(action);
    if (ended.get(name) === true) return;
    const told = running.get(name) ?? { first: action, count: 0, parts: new Set(), outcomes: new Map() };
    running.set(name, told);
    if (running.size > maxOperations) running.delete([...running.keys()][0] ?? '');
    // A page may be read again.
    if (told.parts.has(action.seq) || told.count >= maxCampaignItems) return;
    told.parts.add(action.seq);
    told.count += action.places.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  }

  function noteEnd(action: SaidAction): void {
    ended.set(nameOf(action), true);
    running.delete(nameOf(action));
  }

  function noteOutcome({ outcomes, count }: Told, taskId: string, outcome: string): void {
    const named = outcomeNamed(outcome);
    if (named !== undefined && (outcomes.size < count || outcomes.has(taskId))) outcomes.set(taskId, named);
  }

  function noteRetry(action: SaidAction): void {
    const { task, outcome } = action;
    const told = running.get(nameOf(action));
    if (task === null) {
      if (outcome === begunOutcome) noteBegun(action);
      if (endOutcomes.has(outcome)) noteEnd(action);
    } else if (told !== undefined) noteOutcome(told, task.taskId, outcome);
  }

  return {
    note(action) {
      const { by, operationId } = action;
      if (kinds.has(action.action)) noteRetry(action);
      if (action.action !== letterActions.cancel || cancels.get(operationId) !== undefined) return;
      cancels.set(operationId, by);
    },
    states: (nowMs) =>
      [...running.values()]
        .filter(({ first }) => nowMs - first.storedMs < claimMs)
        .map((told) => stateOf(told, cancels.get(told.first.operationId)))
        .sort((a, b) => b.startedMs - a.startedMs),
  };
}

/**
 * Reads them from what operators put on record since so long ago as one may run, and nothing else. Throws what reading throws; a
 * workspace whose stream was not made has none.
 */
export async function readToldCampaigns(
  { workspace, durable, judge }: Pick<CampaignPorts, 'workspace' | 'judge'> & { readonly durable: DurablePlane },
  nowMs: number,
): Promise<readonly CampaignState[]> {
  const told = createToldCampaigns();
  const reading = createStreamReading({
    ...{
      durable,
      stream: auditStreamOf(workspace),
      subject: auditSubject(workspace),
      from: { fromMs: nowMs - claimMs },
    },
    note(message) {
      const said = readLetterAction(message, judge);
      if (said.kind === 'action') told.note(said.action);
      return said.kind === 'locked' ? 'locked' : 'noted';
    },
  });
  try {
    await reading.read();
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
  }
  return told.states(nowMs);
}

/** Own campaigns and those of others, running ones first; what is at work here is told once. */
export function joinCampaigns(
  own: readonly CampaignState[],
  others: readonly CampaignState[],
  isOwn: (operationId: string) => boolean,
): readonly CampaignState[] {
  const isRunning = ({ state }: CampaignState): boolean => state === 'running' || state === 'waiting';
  const foreign = others.filter(({ operationId }) => !isOwn(operationId));
  return [...own.filter(isRunning), ...foreign, ...own.filter((one) => !isRunning(one))];
}
