/**
 * How far a campaign goes before it waits (docs/spec/triage.md D8).
 * Law: pure; a step begins when all outcomes of the one before are known, and the first failure of one ends the campaign.
 */
import type { CampaignState } from '../../shared/contract/dlq-contract.ts';
import { type CampaignItem, type CampaignRecord, isFailed, isKnown, isUnderWay } from './campaign-record.ts';

/** What is to be done next. */
export type CampaignMove =
  /** Retry so many more; `isPaced`: at its rate. */
  | { readonly kind: 'publish'; readonly count: number; readonly isPaced: boolean }
  | { readonly kind: 'wait' }
  | { readonly kind: 'end'; readonly state: 'done' | 'stopped' | 'failed'; readonly why: string | null };

/** Letters of the steps of a canary. */
const canarySteps = [1, 2, 5, 20] as const;
/** So many failures with one fingerprint, one after the other, end a campaign. */
const maxSameFailures = 5;
/** So long without an outcome ends a step, ms. */
const stepPatienceMs = 10 * 60_000;

interface Step {
  readonly index: number;
  readonly size: number;
  /** Of the letters that count. */
  readonly items: readonly CampaignItem[];
}

/** What could not be retried says nothing of the cure: the next one takes its place. */
const counted = ({ outcome }: CampaignItem): boolean => outcome !== 'refused' && outcome !== 'cancelled';

/** The first step whose outcomes are not all known; undefined: there is none. */
function stepUnderWay({ isCanary, items }: CampaignRecord): Step | undefined {
  if (!isCanary) return undefined;
  const own = items.filter(counted);
  let from = 0;
  for (const [index, size] of canarySteps.entries()) {
    const step = own.slice(from, from + size);
    if (step.length > 0 && !step.every((one) => isKnown(one) && !isFailed(one))) return { index, size, items: step };
    from += size;
  }
  return undefined;
}

/** The step that is shown; null: no canary, or it is over. */
export function shownStep(record: CampaignRecord): CampaignState['step'] {
  const step = stepUnderWay(record);
  return step === undefined ? null : { size: step.size, index: step.index, of: canarySteps.length };
}

function failureWords({ seq, outcome, failedWith, why }: CampaignItem): string {
  if (outcome === 'lost') return `the retry of letter ${seq} was lost${why === null ? '' : `: ${why}`}`;
  const how = outcome === 'failed-same' ? 'for the same cause as before' : `for another cause, ${failedWith}`;
  return `the retry of letter ${seq} failed ${how}`;
}

const minutes = (ms: number): string => `${Math.round(ms / 60_000)} min`;

function moveInStep(step: Step, quietMs: number): CampaignMove {
  const failed = step.items.find(isFailed);
  if (failed !== undefined) {
    const why = `The canary failed: ${failureWords(failed)}. What was not begun stays as it was; mend the cause, then retry the rest.`;
    return { kind: 'end', state: 'stopped', why };
  }
  const count = step.items.filter(({ outcome }) => outcome === 'requested').length;
  if (count > 0) return { kind: 'publish', count, isPaced: false };
  if (quietMs < stepPatienceMs) return { kind: 'wait' };
  const why = `The canary has had no outcome for ${minutes(stepPatienceMs)}: see whether a worker takes tasks of the queue, then retry the rest.`;
  return { kind: 'end', state: 'stopped', why };
}

function endOfAll({ items }: CampaignRecord, patienceMs: number): CampaignMove {
  const [first] = items;
  if (first !== undefined && items.every(({ outcome }) => outcome === 'refused')) {
    const of = items.length === 1 ? 'It' : `None of ${items.length} letters`;
    const what = items.length === 1 ? 'could not be retried' : 'could be retried';
    return { kind: 'end', state: 'failed', why: `${of} ${what}: ${first.why ?? 'no reason is known'}` };
  }
  const open = items.filter(isUnderWay).length;
  if (open === 0) return { kind: 'end', state: 'done', why: null };
  return { kind: 'end', state: 'done', why: `${open} have had no outcome for ${minutes(patienceMs)}.` };
}

/**
 * The next move of a campaign that runs. `quietMs`: how long nothing came of it; `patienceMs`: how long outcomes are waited for when
 * all is published.
 */
export function nextMove(
  record: CampaignRecord,
  { quietMs, patienceMs }: { readonly quietMs: number; readonly patienceMs: number },
): CampaignMove {
  const step = stepUnderWay(record);
  if (step !== undefined) return moveInStep(step, quietMs);
  const { streak, items } = record;
  if (streak.count >= maxSameFailures) {
    const what = streak.fingerprint === 'lost' ? 'were lost' : `failed with ${streak.fingerprint}`;
    const why = `${streak.count} retries one after the other ${what}. What was not begun stays as it was; mend the cause, then retry the rest.`;
    return { kind: 'end', state: 'stopped', why };
  }
  const count = items.filter(({ outcome }) => outcome === 'requested').length;
  if (count > 0) return { kind: 'publish', count, isPaced: true };
  if (items.some(isUnderWay) && quietMs < patienceMs) return { kind: 'wait' };
  return endOfAll(record, patienceMs);
}
