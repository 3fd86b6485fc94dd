/**
 * What operators put on record about dead letters (protocol.md §3 `vak.audit.action`, docs/spec/triage.md D5).
 * Law: only an operator's word counts, and only for the letters whose places it names.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { SoundMessage, StoredJudge } from '../envelope/stored-judge.ts';

/** The actions that stand in the records. */
export const letterActions = {
  retry: 'dlq.retry',
  edit: 'dlq.edit',
  retarget: 'dlq.retarget',
  cancel: 'dlq.cancel',
  archive: 'dlq.archive',
  restore: 'dlq.restore',
  read: 'dlq.read',
  export: 'dlq.export',
} as const;

const known: ReadonlySet<string> = new Set(Object.values(letterActions));

/** The task that a retry is. */
export interface RetriedTask {
  readonly taskId: string;
  /** 64 lower hex digits; null: it is not known yet, or nothing was published. */
  readonly taskLeaf: string | null;
  readonly queue: string;
}

/** A record, and where it lies; texts as the operator wrote them. */
export interface SaidAction {
  /** In the stream of actions. */
  readonly seq: number;
  /** Ms since the epoch. */
  readonly storedMs: number;
  readonly by: string;
  readonly operationId: string;
  readonly action: string;
  readonly scope: string;
  readonly outcome: string;
  readonly reason: string | null;
  /** Of letters, as ranges; empty: it is about the operation as a whole. */
  readonly places: readonly (readonly [number, number])[];
  readonly task: RetriedTask | null;
  /** Of what a retry failed with. */
  readonly fingerprint: string | null;
}

/** `other`: an action that is about no dead letters. `locked`: nobody can tell yet. */
export type LetterActionReading =
  | { readonly kind: 'action'; readonly action: SaidAction }
  /** `isSound`: it was soundly said, by somebody who may not say it. */
  | { readonly kind: 'invalid'; readonly why: string; readonly isFinal: boolean; readonly isSound: boolean }
  | { readonly kind: 'other' }
  | { readonly kind: 'locked' };

type Sound = Pick<SoundMessage, 'envelope' | 'payload' | 'roles'>;

function readSaid({ envelope, payload, roles }: Sound, { seq, storedMs }: StoredMessage): LetterActionReading {
  const said = decodePayload('vak.audit.action', payload);
  const {
    operationId,
    action,
    scope,
    outcome,
    reason = null,
    places = [],
    taskId,
    taskLeaf,
    queue,
    fingerprint = null,
  } = said;
  if (!known.has(action)) return { kind: 'other' };
  const by = envelope.agentid;
  if (!roles.includes('operator')) {
    const why = `${by} is no operator, and may not act on dead letters.`;
    return { kind: 'invalid', why, isFinal: false, isSound: true };
  }
  const task = taskId === undefined || queue === undefined ? null : { taskId, taskLeaf: taskLeaf ?? null, queue };
  return {
    kind: 'action',
    action: { seq, storedMs, by, operationId, action, scope, outcome, reason, places, task, fingerprint },
  };
}

/** Reads a message of the stream of actions. */
export function readLetterAction(message: StoredMessage, judge: StoredJudge): LetterActionReading {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') {
    return { kind: 'invalid', why: verdict.refusal.why, isFinal: verdict.isFinal, isSound: false };
  }
  try {
    return readSaid(verdict, message);
  } catch (error) {
    if (isVakError(error)) return { kind: 'invalid', why: `${error.message}.`, isFinal: true, isSound: false };
    throw error;
  }
}
