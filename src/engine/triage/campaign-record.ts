/**
 * A retry campaign as it is kept and worked on: which letters, under which ids, and what came of each (docs/spec/triage.md D5–D8).
 * Law: no word of a payload is in it; the letters and the ids of their retries are fixed when it begins.
 */
import { z } from 'zod';
import type { CampaignState, RetryOutcome } from '../../shared/contract/dlq-contract.ts';
import { idField } from '../../shared/protocol/payload-fields.ts';

const outcomes = [
  'requested',
  'published',
  'claimed',
  'done',
  'failed-same',
  'failed-new',
  'lost',
  'unanswered',
  'refused',
  'cancelled',
] as const satisfies readonly RetryOutcome[];

const token = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const leaf = z.string().regex(/^[0-9a-f]{64}$/);
const fingerprint = z.string().regex(/^[0-9a-f]{16}$/);
const why = z.string().max(4096);
const timeMs = z.number().min(0);

const item = z.strictObject({
  /** Place of the dead letter. */
  seq: z.int().positive(),
  /** Of the task that failed. */
  taskLeaf: leaf,
  fingerprint,
  /** That it failed in. */
  queue: token,
  /** Of its retry. */
  taskId: idField,
  outcome: z.enum(outcomes),
  /** What of it was put on record last; null: nothing. */
  told: z.enum(outcomes).nullable(),
  /** Of its retry; null: it is not known yet. */
  leaf: leaf.nullable(),
  /** Where its retry lies, or lay, in the stream of tasks; null: that is not known. */
  place: z.strictObject({ seq: z.int().positive(), storedMs: timeMs }).nullable(),
  /** What the retry failed with. */
  failedWith: fingerprint.nullable(),
  why: why.nullable(),
});

/** Most letters of one campaign. */
export const maxCampaignItems = 20_000;

/** What a file of a campaign holds. Times in ms since the epoch. */
export const campaignSchema = z.strictObject({
  v: z.literal(1),
  operationId: z.uuid(),
  workspace: token,
  /** The folder that it was begun in, by the system's name of it; a file of an earlier version has none. */
  home: z.string().max(64).optional(),
  /** The engine that it is for. */
  destination: z.string().max(256),
  environment: z.string().max(256),
  /** Whose it is. */
  peer: token,
  kind: z.enum(['retry', 'edit', 'retarget']),
  /** Another queue than their own. */
  queue: token.nullable(),
  title: z.string().max(1024),
  reason: z.string().max(1024).nullable(),
  isCanary: z.boolean(),
  ratePerSec: z.number().min(0.1).max(1000),
  cutoffSeq: z.int().min(0),
  startedMs: timeMs,
  /** When something came of it last. */
  changedMs: timeMs,
  state: z.enum(['running', 'done', 'stopped', 'cancelled', 'failed']),
  why: why.nullable(),
  /** How its end was put on record. */
  isEndTold: z.boolean(),
  /** Nothing more is to be done or learned. */
  isSettled: z.boolean(),
  /** Journals of the outbox that its messages were put into. */
  slots: z.array(z.int().min(0)).max(64),
  /** Failures one after the other with the same fingerprint, as they became known. */
  streak: z.strictObject({ fingerprint: z.string().max(16), count: z.int().min(0) }),
  items: z.array(item).min(1).max(maxCampaignItems),
});

export type CampaignRecord = z.infer<typeof campaignSchema>;
export type CampaignItem = z.infer<typeof item>;

const finals: ReadonlySet<RetryOutcome> = new Set(['done', 'failed-same', 'failed-new', 'lost']);
const failures: ReadonlySet<RetryOutcome> = new Set(['failed-same', 'failed-new', 'lost']);

/** Whether it is known what its retry came to. */
export const isKnown = ({ outcome }: CampaignItem): boolean => finals.has(outcome);
/** Whether its retry failed. */
export const isFailed = ({ outcome }: CampaignItem): boolean => failures.has(outcome);
/** Whether its retry is on its way, or waits to be. */
export const isUnderWay = ({ outcome }: CampaignItem): boolean =>
  outcome === 'published' || outcome === 'claimed' || outcome === 'unanswered';

/** Notes what a retry came to; the same again changes nothing. */
export function noteOutcome(
  record: CampaignRecord,
  one: CampaignItem,
  { outcome, failedWith = null, why: because = null }: Pick<CampaignItem, 'outcome'> & Partial<CampaignItem>,
): boolean {
  if (one.outcome === outcome || isKnown(one)) return false;
  one.outcome = outcome;
  one.failedWith = failedWith;
  one.why = because;
  if (isFailed(one)) {
    const name = failedWith ?? outcome;
    record.streak = { fingerprint: name, count: record.streak.fingerprint === name ? record.streak.count + 1 : 1 };
  } else if (outcome === 'done') {
    record.streak = { fingerprint: '', count: 0 };
  }
  return true;
}

/** The outcome of that name; undefined: it is none. */
export const outcomeNamed = (text: string): RetryOutcome | undefined => outcomes.find((one) => one === text);

/** How many letters came to what. */
export function countOutcomes({
  items,
}: {
  readonly items: readonly Pick<CampaignItem, 'outcome'>[];
}): Record<RetryOutcome, number> {
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<RetryOutcome, number>;
  for (const { outcome } of items) counts[outcome]++;
  return counts;
}

/** What is told of a campaign. `waitingWhy`: what it waits for, if it does. */
export function campaignState(
  record: CampaignRecord,
  { step, waitingWhy }: { readonly step: CampaignState['step']; readonly waitingWhy: string | null },
): CampaignState {
  const {
    operationId,
    kind,
    peer,
    startedMs,
    reason,
    title,
    isCanary,
    ratePerSec,
    state,
    why: because,
    items,
  } = record;
  const isWaiting = state === 'running' && waitingWhy !== null;
  return {
    ...{ operationId, kind, by: peer, startedMs, reason, title, isCanary, ratePerSec, step },
    ...{ count: items.length, counts: countOutcomes(record) },
    state: isWaiting ? 'waiting' : state,
    why: isWaiting ? waitingWhy : because,
  };
}
