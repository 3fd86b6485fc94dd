/**
 * An incident before it has words: what happened, where, how often, and up to which place it was acknowledged.
 * Law: nothing in here was made visible yet; texts are as a peer wrote them.
 */
import type { IncidentRecord } from '../../shared/contract/operations-contract.ts';
import { type IncidentKind, incidentKinds } from '../../shared/protocol/incident-kinds.ts';

/** What the words of an incident are made from, of its newest part. */
export type IncidentDetail =
  | { readonly kind: 'lost' }
  /** `errorClass` null: classes that are counted together, since there are too many. */
  | {
      readonly kind: 'dead-letters';
      readonly errorClass: string | null;
      readonly reason: string;
      readonly workerId: string | null;
      readonly attempts: number;
    }
  | {
      readonly kind: 'refused-record';
      readonly record: 'receipt' | 'dead-letter' | 'action' | 'pause-flag' | 'repeat';
      readonly why: string;
      /** The newest, latest first. */
      readonly records: readonly IncidentRecord[];
    }
  | { readonly kind: 'refused-approval'; readonly record: 'request' | 'verdict'; readonly why: string }
  | {
      readonly kind: 'denied';
      readonly peer: string;
      readonly action: string;
      readonly subject: string;
      readonly rule: string;
      /** Who refused it. */
      readonly side: 'engine' | 'server';
    }
  | { readonly kind: 'supervisor'; readonly why: string }
  | { readonly kind: 'stuck'; readonly inFlightCount: number; readonly pendingCount: number }
  | { readonly kind: 'no-consumer'; readonly standingCount: number }
  | { readonly kind: 'age'; readonly ageMs: number; readonly limitMs: number; readonly isPaused: boolean }
  | {
      readonly kind: 'lag';
      readonly lag: number;
      readonly limit: number;
      readonly inPerSec: number;
      readonly outPerSec: number;
      readonly isPaused: boolean;
    };

/** A place in the history of an incident, to tell what came after an acknowledgement; `seq` parts what is of one millisecond. */
export interface IncidentMark {
  /** ms since the epoch. */
  readonly atMs: number;
  readonly seq: number;
}

/** Times in ms since the epoch. */
export interface IncidentFacts {
  readonly id: string;
  readonly detail: IncidentDetail;
  readonly queue: string | null;
  /** Of whoever did it last, if that is known. */
  readonly session: string | null;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  readonly isStanding: boolean;
  /** Of its newest part. */
  readonly mark: IncidentMark;
  /** When that was acknowledged; null: it is open. */
  readonly acknowledgedMs: number | null;
}

/** Whether one mark lies after the other. */
export function isLater(one: IncidentMark, other: IncidentMark): boolean {
  return one.atMs > other.atMs || (one.atMs === other.atMs && one.seq > other.seq);
}

const waiting: ReadonlySet<IncidentKind> = new Set<IncidentKind>(['stuck', 'no-consumer', 'age', 'lag']);

/** Whether something failed or was forged, or something waits too long. */
export function toneOf(kind: IncidentKind): 'bad' | 'wait' {
  return waiting.has(kind) ? 'wait' : 'bad';
}

const rankOf = ({ detail }: IncidentFacts): number => incidentKinds.indexOf(detail.kind);

/** Order of a list: open ones first, then the worst, then the latest; the id decides the rest, so that nothing jumps. */
export function compareIncidents(a: IncidentFacts, b: IncidentFacts): number {
  const closed = Number(a.acknowledgedMs !== null) - Number(b.acknowledgedMs !== null);
  return closed || rankOf(a) - rankOf(b) || b.lastMs - a.lastMs || (a.id < b.id ? -1 : 1);
}
