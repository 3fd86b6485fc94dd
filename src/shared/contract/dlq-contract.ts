/**
 * Dead letters: why tasks failed, what is done about it, and what came of that (product.md "Dead letters", protocol.md W3–W5).
 * Law: lists are read in pages, bulk actions go by a plan that froze its letters; every text here was made visible, sealed payloads
 * come only by `open`, which is on record.
 */
import { z } from 'zod';
import type { ErrorShape } from '../base/vak-error.ts';
import type { LetterState } from '../filter/letter-filter.ts';
import { groupings } from '../filter/letter-filter.ts';
import { call, snapshot } from './define-contract.ts';
import type { OpenedPayload, SignatureReport } from './trust-report.ts';

/** D4. */
export const groupStates = ['open', 'acknowledged', 'resolved', 'archived'] as const;
export type GroupState = (typeof groupStates)[number];

/** A call of a stack, innermost first in lists. */
export interface FrameLine {
  readonly call: string;
  readonly file: string;
  /** Of a runtime or library. */
  readonly isForeign: boolean;
}

/** Times in ms since the epoch. */
export interface LetterGroup {
  /** Fingerprint, or name of queue, worker or type; empty: none is known. */
  readonly key: string;
  /** For people: shape of the message, or the name. */
  readonly title: string;
  readonly errorClass: string | null;
  readonly rootType: string | null;
  readonly frames: readonly FrameLine[];
  readonly counts: Readonly<Record<LetterState, number>>;
  readonly totalCount: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Letters in each of 24 equal parts of the time that the answer covers, oldest first. */
  readonly history: readonly number[];
  readonly trend: 'rising' | 'falling' | 'steady';
  /** Queues that it was seen on, most letters first; at most 8, and how many more. */
  readonly queues: readonly string[];
  readonly moreQueuesCount: number;
  /** Of a cause only; others are `open`. */
  readonly state: GroupState;
  readonly assignee: string | null;
  readonly note: string | null;
  /** Who said so last, and when; null: nobody did. */
  readonly said: { readonly by: string; readonly atMs: number } | null;
  /** Of those that match, how many came after what was said last; 0: nobody said anything. */
  readonly newCount: number;
  /** Place of the newest of all that the group has, whatever the filter. */
  readonly newestSeq: number;
}

export interface LetterRow {
  readonly seq: number;
  readonly storedMs: number;
  readonly failedMs: number;
  readonly state: LetterState;
  readonly queue: string;
  readonly taskId: string | null;
  readonly type: string | null;
  readonly workerId: string | null;
  readonly errorClass: string;
  /** First line of the reason. */
  readonly reason: string;
  readonly attempts: number;
  readonly fingerprint: string;
  readonly isSealed: boolean;
  /** Why its task cannot be opened, and so not be edited or retried; null: nothing is known to speak against it. */
  readonly closedWhy: string | null;
}

/**
 * Which letters: a filter as it was typed (`error:`, `queue:`, `worker:`, `type:`, `state:`, `cause:`, `after:`, `before:`, `attempts>`, words), by
 * place, or those that an operation has archived and nobody has spoken of since.
 */
const filterText = z.string().max(2048);
const seqs = z.array(z.int().positive()).min(1).max(10_000);
const selection = z.union([
  z.object({ filter: filterText }),
  z.object({ seqs }),
  z.object({ archivedBy: z.string().min(1).max(64) }),
]);
export type LetterSelection = z.infer<typeof selection>;

/** What is wrong in a filter, and where: character positions from 0. */
export interface FilterFault {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Terms of an answer about many. `version` changes whenever an answer would. */
export interface LetterAnswer {
  readonly version: number;
  readonly matchingCount: number;
  readonly allCount: number;
  readonly faults: readonly FilterFault[];
}

export interface LetterAttempt {
  readonly attempt: number;
  readonly workerId: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly reason: string;
  readonly exitCode: number | null;
  readonly errorClass: string | null;
  /** Its receipt counts; false: only the dead letter says so. */
  readonly isProven: boolean;
}

/** A retry of a letter. */
export interface LetterRetry {
  readonly operationId: string;
  readonly by: string;
  readonly atMs: number;
  readonly taskId: string;
  readonly queue: string;
  readonly isEdited: boolean;
  readonly outcome: RetryOutcome;
  /** Of what it failed with; null unless it failed. */
  readonly fingerprint: string | null;
}

/** `requested`: frozen. `published`: its stream has it. `unanswered`: its publish was not acknowledged. `refused`: it could not be opened or published. */
export type RetryOutcome =
  | 'requested'
  | 'published'
  | 'claimed'
  | 'done'
  | 'failed-same'
  | 'failed-new'
  | 'lost'
  | 'unanswered'
  | 'refused'
  | 'cancelled';

export interface LetterReport extends LetterRow {
  readonly by: string;
  readonly signature: SignatureReport;
  readonly reasonText: string;
  readonly stack: string | null;
  readonly frames: readonly FrameLine[];
  /** Newest first. */
  readonly attemptList: readonly LetterAttempt[];
  readonly retries: readonly LetterRetry[];
  /** Of the task's envelope, as on the wire. */
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly sizeBytes: number;
  readonly traceId: string | null;
  /** Causes of the task, nearest first; null where a cause is named that is not found here. */
  readonly ancestors: readonly LetterAncestor[];
  /** Session of the last attempt, and its time, for terminal and telemetry around the failure. */
  readonly session: string | null;
  readonly audit: readonly AuditLine[];
  /** When its stream drops it, ms since the epoch; null: not by age. */
  readonly keptUntilMs: number | null;
}

/** What the session of a failure told around it (D14); texts are plain lines. Times in ms since the epoch. */
export interface LetterAround {
  /** Null: no session of it was heard here. */
  readonly session: string | null;
  /** Ends of what it printed, a line break between lines. */
  readonly outputs: readonly { readonly stream: 'stdout' | 'stderr'; readonly text: string; readonly isCut: boolean }[];
  /** Oldest first, as of {@link TelemetryPayload}. */
  readonly samples: readonly AroundSample[];
  readonly states: readonly { readonly atMs: number; readonly state: string; readonly reason: string | null }[];
  /** Messages of it in that time that cannot be opened here. */
  readonly sealedCount: number;
}

/** `cpuPercent`: 100 for one full core. */
export interface AroundSample {
  readonly atMs: number;
  readonly cpuPercent: number;
  readonly rssBytes: number;
}

export interface LetterAncestor {
  readonly id: string;
  readonly subject: string | null;
  readonly type: string | null;
  readonly peer: string | null;
  readonly atMs: number | null;
}

export interface AuditLine {
  readonly atMs: number;
  readonly by: string;
  readonly operationId: string;
  readonly action: string;
  readonly outcome: string;
  readonly reason: string | null;
}

/** A plan (D6). */
export interface LetterPlan {
  readonly planId: string;
  /** Frozen, and how many there are of all. */
  readonly count: number;
  readonly allCount: number;
  readonly environment: string;
  /** The last place that it may hold. */
  readonly cutoffSeq: number;
  /** By queue, most first. */
  readonly queues: readonly { readonly queue: string; readonly count: number }[];
  /** What matched and is left out, by reason. */
  readonly leftOut: readonly { readonly why: string; readonly count: number }[];
}

export interface CampaignState {
  readonly operationId: string;
  readonly kind: 'retry' | 'edit' | 'retarget';
  readonly by: string;
  readonly startedMs: number;
  readonly reason: string | null;
  readonly title: string;
  readonly count: number;
  readonly counts: Readonly<Record<RetryOutcome, number>>;
  readonly isCanary: boolean;
  /** Size of the step that is under way, and of those before it; null: no canary, or it is over. */
  readonly step: { readonly size: number; readonly index: number; readonly of: number } | null;
  readonly ratePerSec: number;
  readonly state: 'running' | 'waiting' | 'done' | 'stopped' | 'cancelled' | 'failed';
  /** Why it stopped, waits or failed, and what to do next; null: nothing to say. */
  readonly why: string | null;
}

/** A bundle that is being written (D11). */
export interface BundleProgress {
  /** By which `cancel` stops it. */
  readonly operationId: string;
  /** Letters that are in it, of so many. */
  readonly doneCount: number;
  readonly count: number;
}

export interface LettersState {
  readonly readAtMs: number | null;
  readonly problem: ErrorShape | null;
  /** Of the book; changes whenever an answer about letters would. */
  readonly version: number;
  /** Letters that were read, of so many that the stream has; equal when all were. */
  readonly readCount: number;
  readonly streamCount: number;
  readonly counts: Readonly<Record<LetterState, number>>;
  /** Letters that gave way to newer ones: they are in the stream, and not here. */
  readonly forgottenCount: number;
  /** Causes. */
  readonly groupCount: number;
  readonly openGroupCount: number;
  /** What was said of groups and does not count, and why; at most 20. */
  readonly refusedStates: readonly { readonly fingerprint: string; readonly why: string }[];
  /** Running ones first, then the newest; at most 20. */
  readonly campaigns: readonly CampaignState[];
  /** Bundles that are being written, oldest first; not told: none. */
  readonly exports?: readonly BundleProgress[];
}

const seq = z.int().positive();
const planId = z.string().min(1).max(64);
const operationId = z.string().min(1).max(64);
const reason = z.string().max(1024).optional();
const token = z.string().min(1).max(64);

export const dlqContract = {
  /** Groups of what matches; `limit` of them, most open letters first, then the latest. */
  groups: call(z.object({ filter: filterText, by: z.enum(groupings), limit: z.int().min(1).max(500) }))<
    LetterAnswer & { readonly groups: readonly LetterGroup[]; readonly leftOutCount: number }
  >(),
  /** Rows of what matches, newest first, from an index on. */
  page: call(z.object({ filter: filterText, fromIndex: z.int().min(0), limit: z.int().min(1).max(200) }))<
    LetterAnswer & { readonly rows: readonly LetterRow[] }
  >(),
  /** Throws `not-found` once the stream has dropped it. */
  letter: call(z.object({ seq }))<LetterReport>(),
  /** Opens the task's payload, and puts on record who did (D10). */
  open: call(z.object({ seq }))<OpenedPayload>(),
  /** Freezes what an action would touch (D6). */
  plan: call(z.object({ selection, action: z.enum(['retry', 'archive', 'restore', 'export']) }))<LetterPlan>(),
  /** `queue`: another than the original (retarget). Throws `conflict` for a plan that is gone or of another environment. */
  retry: call(
    z.object({
      planId,
      isCanary: z.boolean(),
      ratePerSec: z.number().min(0.1).max(1000),
      queue: token.optional(),
      reason,
    }),
  )<{ readonly operationId: string }>(),
  /** `data`: the new payload, base64. Throws `invalid-payload` if no worker could run it. */
  editRetry: call(z.object({ seq, data: z.string().max(1_400_000), queue: token.optional(), reason }))<{
    readonly operationId: string;
    readonly taskId: string;
  }>(),
  /** What has not begun does not begin; of a bundle that is being written nothing is left. */
  cancel: call(z.object({ operationId }))<void>(),
  archive: call(z.object({ planId, reason }))<{ readonly operationId: string; readonly count: number }>(),
  restore: call(z.object({ planId, reason }))<{ readonly operationId: string; readonly count: number }>(),
  /** Says something of a group; what is not given stays. Null takes assignee or note away. */
  setGroup: call(
    z.object({
      fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
      state: z.enum(groupStates).optional(),
      /** Up to which place the state holds: the newest that was seen (`newestSeq`); what is known now, unless told. */
      uptoSeq: seq.optional(),
      assignee: token.nullable().optional(),
      note: z.string().max(2048).nullable().optional(),
    }),
  )<void>(),
  /** Asks where to write it (D11). Throws `read-only` where it cannot be put on record, `aborted` when nothing was chosen or it was stopped. */
  exportBundle: call(z.object({ planId, isRedacted: z.boolean(), reason }))<{
    readonly path: string;
    readonly lineCount: number;
  }>(),
  /** What surrounds a failure, as far as it was heard here: as a bundle holds it (D14). */
  around: call(z.object({ seq }))<LetterAround>(),
  state: snapshot<LettersState>(),
} as const;
