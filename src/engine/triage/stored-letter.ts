/**
 * One dead letter as its stream has it now, with the task that it holds (protocol.md W4, docs/spec/triage.md D2).
 * Law: what does not count, or is not the task that the letter names, is never given out as such.
 */
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader, EnvelopeReading } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { taskLeafOf } from '../work/dead-letter.ts';
import type { DeadLetter } from '../work/dead-letter-judge.ts';
import { listedLetter } from './closed-letter.ts';
import { readHeldTask } from './held-envelope.ts';
import { letterStreamOf } from './letter-reading.ts';

/** The task's bytes as they were published, and what they are. */
export interface HeldTask {
  readonly data: Uint8Array;
  readonly reading: EnvelopeReading;
}

export interface StoredLetter {
  readonly message: StoredMessage;
  readonly letter: DeadLetter;
  /** Of the letter itself. */
  readonly envelope: Envelope;
  /** Or why it is not there. */
  readonly task: HeldTask | { readonly problem: ErrorShape };
}

export interface StoredLetterDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
}

/** Reads the task of a letter that counts. Throws as {@link readHeldTask}, and `corrupt` if it is another than the letter names. */
async function readTask(
  { payload, letter, by }: { readonly payload: Uint8Array; readonly letter: DeadLetter; readonly by: string },
  { workspace, durable, reader }: StoredLetterDeps,
): Promise<HeldTask> {
  const data = await readHeldTask(payload, { workspace, durable, by });
  const reading = reader.read(data);
  if (taskLeafOf({ data }, reading) === letter.taskLeaf) return { data, reading };
  throw new VakError('corrupt', 'the task: the one that lies in the dead letter is not the one that it names');
}

const doesNotCount = (seq: number, why: string): VakError =>
  new VakError('not-found', `dead letter ${seq}: it does not count. ${why}`);

/** Throws `not-found` (its stream has dropped it, or it does not count), `locked`, and what reading throws. */
export async function readStoredLetter(seq: number, deps: StoredLetterDeps): Promise<StoredLetter> {
  const { workspace, durable, judge } = deps;
  const message = await durable.stream(letterStreamOf(workspace)).get(seq);
  if (message === undefined) {
    throw new VakError('not-found', `dead letter ${seq}: its stream does not have it; it may have dropped it by age`);
  }
  const sound = judge(message);
  if (sound.kind === 'locked') throw new VakError('locked', `dead letter ${seq}: the key store is locked; unlock it`);
  const verdict = listedLetter(sound);
  if (verdict.kind === 'invalid') throw doesNotCount(seq, verdict.why);
  const { letter, envelope } = verdict;
  if (verdict.kind === 'closed' || sound.kind === 'refused') {
    const why = verdict.kind === 'closed' ? verdict.why : 'It does not open.';
    const problem = new VakError('forbidden', `the task: its dead letter does not open. ${why.replace(/\.$/, '')}`);
    return { message, letter, envelope, task: { problem: problem.toShape() } };
  }
  try {
    const task = await readTask({ payload: sound.payload, letter, by: envelope.agentid }, deps);
    return { message, letter, envelope, task };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { message, letter, envelope, task: { problem: error.toShape() } };
  }
}
