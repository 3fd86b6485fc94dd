/**
 * Operations: incidents of the work plane, its totals, what is muted (product.md "Operations Center").
 * Law: an incident is exact about what, where, since when and how often; acknowledging one hides nothing that comes after.
 */
import { z } from 'zod';
import { type IncidentKind, type NoticeKind, noticeKinds } from '../protocol/incident-kinds.ts';
import { call, snapshot } from './define-contract.ts';

/** Where it can be looked into: every incident leads somewhere. `queues`: all of them; `access`: who may do what. */
export type IncidentPlace =
  | { readonly kind: 'queue'; readonly queue: string }
  | { readonly kind: 'session'; readonly session: string }
  /** `records`: the list of them that the incident itself has. */
  | { readonly kind: 'queues' | 'approvals' | 'access' | 'records' };

/** A record that an incident is about and that stands in no other list. Made visible already. */
export interface IncidentRecord {
  /** Stream, or bucket of values, and the place in it. */
  readonly stream: string;
  readonly seq: number;
  /** When it was stored, ms since the epoch. */
  readonly atMs: number;
  /** Of whom its subject says that it comes: a session of a receipt, else a peer, a queue or a key. */
  readonly from: string;
  readonly why: string;
}

/** Times in ms since the epoch. */
export interface Incident {
  /** Stable while it lasts: of its kind and what it is about. */
  readonly id: string;
  readonly kind: IncidentKind;
  /** `bad`: something failed or was forged. `wait`: something waits too long. */
  readonly tone: 'bad' | 'wait';
  /** One line; a sentence of what happened; what to do next. Made visible already. */
  readonly title: string;
  readonly why: string;
  readonly next: string;
  readonly queue: string | null;
  readonly place: IncidentPlace;
  /** The newest of those that it is about, as far as no other list has them. */
  readonly records: readonly IncidentRecord[];
  readonly firstMs: number;
  readonly lastMs: number;
  /** How often it happened, or how many tasks it is about. */
  readonly count: number;
  /** The larger, the worse, among those of one kind: tasks, times, or of an age ms. */
  readonly weight: number;
  /** A condition stands until it is over; else it is a thing that has happened. */
  readonly isStanding: boolean;
  /** Null: open. What comes after an acknowledgement opens it again. */
  readonly acknowledged: { readonly atMs: number } | null;
  readonly isMuted: boolean;
}

/** Of all queues together. */
export interface WorkTotals {
  readonly lag: number;
  readonly inPerSec: number;
  readonly outPerSec: number;
  readonly doneCount: number;
  readonly deadCount: number;
  readonly lostCount: number;
  readonly pendingApprovalCount: number;
}

export interface MuteState {
  readonly kinds: readonly NoticeKind[];
  readonly queues: readonly string[];
  /** All until then, ms since the epoch; null: not. */
  readonly untilMs: number | null;
}

/** What a notification that was pressed leads to; `at` rises with each. */
export type AskedPlace =
  | { readonly kind: 'incident'; readonly id: string; readonly at: number }
  /** Null: several rooms. */
  | { readonly kind: 'rooms'; readonly room: string | null; readonly at: number }
  | { readonly kind: 'approvals' | 'operations'; readonly at: number };

/** What needs an operator: one definition for the flag, the rail, the icon's badge and the window's title. What is muted is not in it. */
export interface Attention {
  /** Incidents and what is wrong with the app and its connection, as far as nobody has acknowledged it. */
  readonly incidentCount: number;
  /** Requests that wait for an answer. */
  readonly approvalCount: number;
}

/** What came while the key store was locked: numbers alone, since nothing can be judged then. */
export type LockedNews = Attention;

export interface OperationsState {
  /** Those that are open first, then by what is worst, then the latest. At most 200. */
  readonly incidents: readonly Incident[];
  /** Those beyond that. */
  readonly leftOutCount: number;
  readonly attention: Attention;
  /** What was acknowledged beside the incidents in this run, by id, each as it was then: what has grown since is news again. */
  readonly acknowledgedMarks: Readonly<Record<string, string>>;
  readonly totals: WorkTotals;
  /** Of all queues together, one figure a sample, oldest first. */
  readonly lagHistory: readonly number[];
  readonly lagTrend: 'rising' | 'falling' | 'steady';
  readonly sampleMs: number;
  readonly muted: MuteState;
  /** Until a window has taken it. */
  readonly asked: AskedPlace | null;
}

const id = z.string().min(1).max(300);
/** How something that is no incident was when it was acknowledged. */
const mark = z.string().max(4096);

export const operationsContract = {
  /**
   * An incident; with `mark` something else that is wrong, as it is now. `not-found` if it is over, `conflict` for a condition that stands.
   */
  acknowledge: call(z.object({ id, mark: mark.optional() }))<void>(),
  /** Opens again what was acknowledged: one, or all of it. */
  takeBack: call(z.object({ id: id.optional() }))<void>(),
  /** Desktop notifications and the icon's badge only: what is muted stays listed. */
  muteKind: call(z.object({ kind: z.enum(noticeKinds), isMuted: z.boolean() }))<void>(),
  muteQueue: call(z.object({ queue: z.string().min(1).max(64), isMuted: z.boolean() }))<void>(),
  /** Desktop notifications of every kind, for so long; 0: not any more. */
  muteAll: call(
    z.object({
      forMinutes: z
        .int()
        .min(0)
        .max(24 * 60),
    }),
  )<void>(),
  /** This window shows what was asked for with that `at`. */
  taken: call(z.object({ at: z.int() }))<void>(),
  state: snapshot<OperationsState>(),
  /** Seen while the key store is locked, too. */
  lockedNews: snapshot<LockedNews>(),
} as const;
