/**
 * The task that a dead letter holds, as it can be retried (protocol.md W4, W5; docs/spec/triage.md D7).
 * Law: what an operator puts his name to was soundly said by who may publish tasks: a letter's writer gets nothing run by wrapping it.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { taskSubject } from '../work/work-queue.ts';
import { readStoredLetter, type StoredLetterDeps } from './stored-letter.ts';

export interface HeldTask {
  /** Id of the dead letter's envelope. */
  readonly letterId: string;
  readonly envelope: Envelope;
  /** Opened; nobody may write to it. */
  readonly payload: Uint8Array;
}

const refuse = (message: string, code: 'conflict' | 'corrupt' | 'forbidden' | 'invalid-payload') =>
  new VakError(code, message);

/**
 * Reads a dead letter by its place, and opens its task. `taskLeaf`: of the task that it should hold. Throws `not-found` (the stream has
 * dropped it, or it does not count), `conflict` (another letter lies there), `locked`, `invalid-payload` (its task cannot be opened, or was
 * not soundly published), `forbidden` (it was none of its queue), `corrupt`; and what reading throws.
 */
export async function openHeldTask(
  { seq, taskLeaf }: { readonly seq: number; readonly taskLeaf: string },
  deps: StoredLetterDeps,
): Promise<HeldTask> {
  const doing = `dead letter ${seq}`;
  const { message, letter, envelope: own, task } = await readStoredLetter(seq, deps);
  // Of a letter that does not open nobody can tell which task it holds.
  const isClosed = letter.taskLeaf === '';
  if ('problem' in task && isClosed) throw VakError.fromShape(task.problem);
  if (letter.taskLeaf !== taskLeaf) throw refuse(`${doing}: another letter lies there by now; plan again`, 'conflict');
  const subject = taskSubject({ workspace: deps.workspace, queue: letter.queue });
  if (letter.subject !== subject) throw refuse(`${doing}: its task was none of queue ${letter.queue}`, 'forbidden');
  if ('problem' in task) throw VakError.fromShape(task.problem);
  if (task.reading.kind !== 'envelope')
    throw refuse(`${doing}: its task is no envelope: it cannot be opened`, 'corrupt');
  // By the grants in force when the letter was stored: when the task itself was, nobody can tell any more.
  const verdict = deps.judge({ subject, data: task.data, storedMs: message.storedMs });
  if (verdict.kind === 'locked') {
    throw new VakError('locked', `${doing}: nobody can tell yet what it says; unlock the key store first`);
  }
  if (verdict.kind === 'refused') {
    throw refuse(`${doing}: its task cannot be retried. ${verdict.refusal.why}`, 'invalid-payload');
  }
  return { letterId: own.id, envelope: verdict.envelope, payload: verdict.payload };
}

/** Whether a failure says something of the letter itself, rather than of now. */
export function isOfTheLetter(error: unknown): error is VakError {
  return isVakError(error) && !error.retryable && !passing.has(error.code);
}

/** These say that nobody could look, not what is there. */
const passing: ReadonlySet<string> = new Set([
  ...['aborted', 'already-running', 'closed', 'disconnected', 'disk-full', 'internal', 'locked', 'read-only'],
  ...['recovery-needed', 'timeout'],
]);
