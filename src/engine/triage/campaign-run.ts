/**
 * One campaign at work (docs/spec/triage.md D5–D8).
 * Law: on record before anything is published, on disk before the outbox is written; whatever ends it, what was published stays
 * published and is followed, and what was not begun stays as it was.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { CampaignState } from '../../shared/contract/dlq-contract.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Clock } from '../ports/clock.ts';
import { pause } from '../wait.ts';
import { draftAction } from '../work/purge-records.ts';
import { createCampaignClaim } from './campaign-claim.ts';
import { createCampaignKeeping } from './campaign-keeping.ts';
import type { CampaignPlace, CampaignPorts } from './campaign-place.ts';
import { createCampaignPublishing } from './campaign-publishing.ts';
import { type CampaignItem, type CampaignRecord, campaignState, isUnderWay, noteOutcome } from './campaign-record.ts';
import { createCampaignSight } from './campaign-sight.ts';
import { type CampaignMove, nextMove, shownStep } from './campaign-steps.ts';
import type { CampaignStore } from './campaign-store.ts';
import { createCampaignTelling } from './campaign-telling.ts';
import type { LetterClaims } from './letter-claims.ts';

export interface CampaignRunDeps extends CampaignPorts {
  readonly record: CampaignRecord;
  readonly store: Pick<CampaignStore, 'save'>;
  /** Another process, or this one before, has worked on it. */
  readonly isResumed: boolean;
  /** Instead of the letter's payload; never on disk. */
  readonly edited: Uint8Array | undefined;
  readonly onChange: () => void;
}

export interface CampaignRun {
  readonly record: CampaignRecord;
  state(): CampaignState;
  /** Whether it has ended, and all that is known of it is on record. */
  isOver(): boolean;
  /** What has not begun does not begin. Nothing happens if it has ended. */
  cancel(): void;
  /** Keys, connection or grants have changed: it need not wait. */
  wake(): void;
  /** Works until nothing more is to be done or learned, or the signal is aborted. Never rejects. */
  work(signal: AbortSignal): Promise<void>;
}

/** Retries that are under way to their stream at once. */
const width = 32;
/** Waits between two rounds, ms: while it publishes at a rate, while outcomes are waited for, while it cannot work, after its end. */
const waitMs = { paced: 100, outcome: 500, away: 1_000, after: 5_000 } as const;
const lookEveryMs = 500;
/** So long it is learned what became of what a campaign had published when it ended, ms. */
const followMs = 24 * 3_600_000;

/** A rate: how many may go now. */
function createPacer(ratePerSec: number, clock: Clock) {
  let [tokens, atMs] = [1, clock.monotonic()];
  return {
    take(wanted: number): number {
      const nowMs = clock.monotonic();
      // What was not used while it waited is not made up for.
      tokens = Math.min(Math.max(1, ratePerSec / 2), tokens + ((nowMs - atMs) / 1000) * ratePerSec);
      atMs = nowMs;
      const count = Math.min(wanted, Math.floor(tokens));
      tokens -= count;
      return count;
    },
  };
}

/** Nothing more is published while an answer is owed: what is wrong with one may be so with all. */
function whyUnanswered({ items }: CampaignRecord): string | null {
  const count = items.filter(({ outcome }) => outcome === 'unanswered').length;
  if (count === 0) return null;
  return `${count} of its retries ${count === 1 ? 'is' : 'are'} not acknowledged yet, and wait in the outbox; it goes on when that is settled.`;
}

/** Creates the run at rest. */
export function createCampaignRun(deps: CampaignRunDeps): CampaignRun {
  const { record, isResumed, workspace, clock, randomness, logger, patienceMs, whyNot, onChange } = deps;
  const { items, operationId } = record;
  const pacer = createPacer(record.ratePerSec, clock);
  let waitingWhy: string | null = isResumed ? 'It goes on in a moment.' : null;
  let [lookedMs, waking] = [Number.NEGATIVE_INFINITY, new AbortController()];

  function changed(when: 'later' | 'now' = 'later'): void {
    keeping.note(when);
    record.changedMs = clock.now();
    onChange();
  }

  const keeping = createCampaignKeeping(deps);
  const publishing = createCampaignPublishing({ record, isResumed, clock, onOutcome: () => changed() });
  const publish = async (place: CampaignPlace, action: PayloadOf<'vak.audit.action'>) =>
    await place.publish(draftAction(action, { workspace, peer: place.peer, trace: startTrace(randomness.bytes) }));
  const telling = createCampaignTelling({ record, clock, publish, onTold: () => changed() });
  const sight = createCampaignSight(deps);
  const claim = createCampaignClaim({ record, clock, telling, end });

  /** What was not begun stays as it was. */
  function dropRest(): void {
    for (const item of items) {
      if (item.outcome !== 'requested' || publishing.isOnItsWay(item)) continue;
      noteOutcome(record, item, { outcome: 'cancelled' });
    }
  }

  function end(state: Exclude<CampaignRecord['state'], 'running'>, why: string | null): void {
    if (record.state !== 'running') return;
    record.state = state;
    record.why = why;
    dropRest();
    changed('now');
  }

  async function look(place: CampaignPlace): Promise<void> {
    if (!items.some(isUnderWay) || clock.monotonic() - lookedMs < lookEveryMs) return;
    await sight.on(place).look();
    lookedMs = clock.monotonic();
    for (const item of items) if (isUnderWay(item) && sight.on(place).note(item)) changed();
  }

  /** What an operator has put on record holds for whoever works on it, now or after the next start. */
  function heedCancel({ cancelOf }: Pick<LetterClaims, 'cancelOf'>): void {
    const cancel = record.state === 'running' ? cancelOf(operationId) : undefined;
    if (cancel === undefined) return;
    end('cancelled', `${cancel.by} cancelled it${cancel.reason === null ? '.' : `: ${cancel.reason}`}`);
  }

  async function retrySome(place: CampaignPlace, count: number): Promise<void> {
    const { claims, drafts, follow } = sight.on(place);
    await claims.read();
    heedCancel(claims);
    if (record.state !== 'running') return;
    const some = items.filter(({ outcome }) => outcome === 'requested').slice(0, Math.min(count, width));
    const retry = async (item: CampaignItem): Promise<void> => {
      const speaksAgainst = whyNot(item.seq) ?? claims.whyNot(item.seq, operationId);
      await publishing.retry(item, { place, drafts, whyNot: speaksAgainst });
      follow(item);
    };
    const results = await Promise.allSettled(some.map(retry));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async function make(move: CampaignMove, place: CampaignPlace): Promise<void> {
    if (move.kind === 'end') end(move.state, move.why);
    if (move.kind !== 'publish') return;
    if (record.kind === 'edit' && deps.edited === undefined) {
      end(
        'stopped',
        'It was interrupted before its task was published, and an edited payload is kept nowhere: edit again.',
      );
      return;
    }
    const count = move.isPaced ? pacer.take(move.count) : move.count;
    if (count > 0) await retrySome(place, count);
  }

  async function round(place: CampaignPlace): Promise<void> {
    await keeping.enter(place);
    const isClear = await publishing.settleDoubts({ place, find: sight.on(place).find });
    if (record.state !== 'running') dropRest();
    await look(place);
    const { claims } = sight.on(place);
    await claims.read();
    heedCancel(claims);
    if (record.state === 'running' && isClear) await claim(place, claims);
    waitingWhy = whyUnanswered(record);
    if (waitingWhy !== null) record.changedMs = clock.now();
    else if (record.state === 'running') {
      await make(nextMove(record, { quietMs: clock.now() - record.changedMs, patienceMs }), place);
    }
    await telling.tell(place, claims);
    settle();
    await keeping.save();
  }

  function settle(): void {
    if (record.state === 'running' || !telling.isAllTold() || publishing.hasDoubts()) return;
    const isLearning = items.some(isUnderWay) && clock.now() - record.changedMs < followMs;
    if (isLearning) return;
    record.isSettled = true;
    keeping.note('now');
  }

  /** What was waited for while it could not work is no silence of its tasks. */
  function note(error: unknown): void {
    record.changedMs = clock.now();
    if (isVakError(error)) {
      waitingWhy = `${error.message}.`;
      return;
    }
    end(
      'failed',
      `A fault of the program, logged as ${logger.bug('triage.campaign', error)}: what was published stays published.`,
    );
    record.isSettled = true;
  }

  function nextWaitMs(): number {
    if (waitingWhy !== null) return waitMs.away;
    if (record.state !== 'running') return telling.isAllTold() ? waitMs.after : waitMs.outcome;
    const isPublishing = items.some(({ outcome }) => outcome === 'requested');
    return isPublishing ? waitMs.paced : waitMs.outcome;
  }

  async function workOnce(): Promise<void> {
    const before = waitingWhy;
    try {
      await round(await deps.place());
    } catch (error) {
      note(error);
    }
    if (waitingWhy !== before) onChange();
  }

  return {
    record,
    state: () => campaignState(record, { step: record.state === 'running' ? shownStep(record) : null, waitingWhy }),
    isOver: () => record.state !== 'running' && telling.isAllTold(),
    cancel() {
      end('cancelled', null);
      waking.abort();
    },
    wake: () => waking.abort(),
    async work(signal) {
      record.changedMs = clock.now();
      while (!signal.aborted && !record.isSettled) {
        waking = new AbortController();
        await workOnce();
        if (!record.isSettled) await pause(clock, nextWaitMs(), AbortSignal.any([signal, waking.signal]));
      }
      await keeping.flush();
    },
  };
}
