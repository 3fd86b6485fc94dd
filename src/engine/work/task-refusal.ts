/**
 * Whether a worker would run a task that stands in its queue (protocol.md E8, W3).
 * Law: it says what a worker would find out with what is known here, and claims nothing to know it.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { checkForWorker } from './enqueue-task.ts';

/** `isFinal`: nothing that may yet become known says otherwise. `locked`: nobody can tell. */
export type TaskRefusal =
  | { readonly kind: 'refused'; readonly why: string; readonly isFinal: boolean }
  | { readonly kind: 'sound' | 'locked' };

/** Judges a message of the stream of tasks; `why` is a sentence for people. */
export function judgeTask(message: StoredMessage, judge: StoredJudge): TaskRefusal {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') return { kind: 'refused', why: verdict.refusal.why, isFinal: verdict.isFinal };
  try {
    checkForWorker(decodePayload('vak.work.task', verdict.payload));
    return { kind: 'sound' };
  } catch (error) {
    if (isVakError(error)) return { kind: 'refused', why: `${error.message}.`, isFinal: true };
    throw error;
  }
}
