/**
 * Whose letters are being retried, as operators have put it on record (docs/spec/triage.md D5, D7).
 * Law: of two operations that name a letter the one whose record was stored first has it, until it has ended or its time is over: so
 * every operator comes to the same answer, and no letter is retried twice.
 */
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { auditStreamOf, auditSubject } from '../work/purge-records.ts';
import { createStreamReading, type Noting, type ReadingPace } from '../work/stream-reading.ts';
import { begunOutcome, endOutcomes } from './campaign-audit.ts';
import { letterActions, readLetterAction, type SaidAction } from './letter-records.ts';

export interface LetterClaims {
  /** Reads what operators have put on record since. Throws what reading throws. */
  read(): Promise<void>;
  /** When the operation's beginning was stored, ms since the epoch by the stream's clock; undefined: it is not on record. */
  begunMs(operationId: string): number | undefined;
  /** Why the operation may not retry the letter; undefined: nothing speaks against it. */
  whyNot(seq: number, operationId: string): string | undefined;
  /** Whether it is on record that a retry came to that. */
  isTold(taskId: string, outcome: string): boolean;
  /** Who wanted an operation to end, first; undefined: nobody did. */
  cancelOf(operationId: string): Cancel | undefined;
  /** Whose operation it is, and how it ended; undefined: it is not on record. */
  operationOf(operationId: string): { readonly by: string; readonly end: string | undefined } | undefined;
  /** When the newest record was stored, ms since the epoch by the stream's clock; 0: there is none. */
  newestMs(): number;
}

/** An operator's word that an operation is to end (D8). */
export interface Cancel {
  readonly by: string;
  readonly reason: string | null;
}

/** So long an operation has its letters, ms; then others may have them. */
export const claimMs = 12 * 3_600_000;

interface Operation {
  readonly id: string;
  readonly by: string;
  readonly seq: number;
  readonly storedMs: number;
  /** What its end says; undefined: it has not ended. */
  end: string | undefined;
}

/** What is on record of a letter's retry. */
interface Retried {
  readonly by: string;
  readonly taskId: string;
  outcome: string;
}

const retryActions: ReadonlySet<string> = new Set([letterActions.retry, letterActions.edit, letterActions.retarget]);
const archiveActions: ReadonlySet<string> = new Set([letterActions.archive, letterActions.restore]);

/** Whether one has a letter before the other. Both times are the stream's, so that nobody's clock says otherwise. */
const hasBefore = (one: Operation, own: Operation): boolean =>
  one.seq < own.seq && one.end === undefined && own.storedMs - one.storedMs < claimMs;

/** The last word of archive and restore on each letter. */
function createArchives() {
  const last = new Map<number, SaidAction>();
  return {
    note(action: SaidAction): void {
      for (const [from, to] of action.places) {
        for (let place = from; place <= to; place++) {
          if ((last.get(place)?.seq ?? 0) < action.seq) last.set(place, action);
        }
      }
    },
    whyNot(seq: number): string | undefined {
      const said = last.get(seq);
      return said?.action === letterActions.archive ? `${said.by} has archived it: restore it first` : undefined;
    },
  };
}

/** Creates it; it reads from `sinceMs` on, ms since the epoch. */
export function createLetterClaims(deps: {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly sinceMs: number;
  readonly pace: ReadingPace;
}): LetterClaims {
  const { workspace, durable, judge, sinceMs, pace } = deps;
  const operations = new Map<string, Operation>();
  /** Those that name a letter, by its place. */
  const claimsOf = new Map<number, Operation[]>();
  const retriesOf = new Map<number, Map<string, Retried>>();
  const told = new Set<string>();
  /** Ends that became known before their beginnings. */
  const ended = new Map<string, string>();
  const cancels = new Map<string, Cancel>();
  const archives = createArchives();
  let newestMs = 0;

  function noteBegun({ operationId: id, places, by, seq, storedMs }: SaidAction): void {
    const operation = operations.get(id) ?? { id, by, seq, storedMs, end: ended.get(`${by} ${id}`) };
    // Another operator's word on it is nothing of this operation.
    if (operation.by !== by) return;
    operations.set(id, operation);
    for (const [from, to] of places) {
      for (let place = from; place <= to; place++) {
        const others = claimsOf.get(place) ?? [];
        if (!others.includes(operation)) others.push(operation);
        claimsOf.set(place, others);
      }
    }
  }

  function noteRetry({ outcome, places, by }: SaidAction, taskId: string): void {
    told.add(`${taskId} ${outcome}`);
    const place = places[0]?.[0];
    if (place === undefined) return;
    const retries = retriesOf.get(place) ?? new Map<string, Retried>();
    retriesOf.set(place, retries);
    const known = retries.get(taskId);
    if (known === undefined) retries.set(taskId, { by, taskId, outcome });
    else if (outcome !== 'published') known.outcome = outcome;
  }

  function noteEnd({ operationId: id, by, outcome }: SaidAction): void {
    ended.set(`${by} ${id}`, outcome);
    const operation = operations.get(id);
    if (operation?.by === by) operation.end = outcome;
  }

  function take(action: SaidAction): void {
    const { operationId, by, reason } = action;
    newestMs = Math.max(newestMs, action.storedMs);
    if (action.action === letterActions.cancel && !cancels.has(operationId)) cancels.set(operationId, { by, reason });
    if (archiveActions.has(action.action)) archives.note(action);
    if (!retryActions.has(action.action)) return;
    if (action.task !== null) noteRetry(action, action.task.taskId);
    else if (action.outcome === begunOutcome) noteBegun(action);
    else if (endOutcomes.has(action.outcome)) noteEnd(action);
  }

  function note(message: StoredMessage): Noting {
    const said = readLetterAction(message, judge);
    if (said.kind === 'locked') return 'locked';
    if (said.kind === 'invalid') return said.isFinal ? 'noted' : 'unproven';
    if (said.kind === 'action') take(said.action);
    return 'noted';
  }

  const reading = createStreamReading({
    ...{ durable, stream: auditStreamOf(workspace), from: { fromMs: sinceMs }, note },
    ...{ subject: auditSubject(workspace), pace },
  });

  function whyRetried(seq: number): string | undefined {
    for (const { by, taskId, outcome } of retriesOf.get(seq)?.values() ?? []) {
      if (outcome === 'published') return `${by} has retried it as ${taskId}, and what came of that is not known yet`;
      if (outcome === 'done') return `${by} has retried it as ${taskId}, and that is done`;
    }
    return undefined;
  }

  return {
    read: () => reading.read(),
    begunMs: (operationId) => operations.get(operationId)?.storedMs,
    whyNot(seq, operationId) {
      const own = operations.get(operationId);
      if (own === undefined) return 'the operation is not on record yet';
      const others = (claimsOf.get(seq) ?? []).filter((one) => one !== own);
      const first = others.find((one) => hasBefore(one, own));
      if (first !== undefined) return `${first.by} retries it, operation ${first.id}`;
      const next = others.find((one) => one.seq > own.seq && one.storedMs - own.storedMs >= claimMs);
      if (next !== undefined) return `the operation is too old, and ${next.by} has it now, operation ${next.id}`;
      return whyRetried(seq) ?? archives.whyNot(seq);
    },
    cancelOf: (operationId) => cancels.get(operationId),
    operationOf(operationId) {
      const found = operations.get(operationId);
      return found === undefined ? undefined : { by: found.by, end: found.end };
    },
    newestMs: () => newestMs,
    isTold: (taskId, outcome) => told.has(`${taskId} ${outcome}`),
  };
}
