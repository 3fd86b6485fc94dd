/**
 * Reads a stream from a time on, without a consumer, and remembers what nobody can judge yet (protocol.md W9: never a consumer made
 * only to look).
 * Law: every message is noted in its order, once for good; what is undecided is judged anew at each reading, in bounded number.
 */
import type { DurablePlane, ReadOptions, StoredMessage } from '../bus/durable.ts';

/** `unproven`: it does not count as far as is known here; what will be known may say otherwise. `locked`: nobody can tell. */
export type Noting = 'noted' | 'unproven' | 'locked';

export interface StreamReadingDeps {
  readonly durable: DurablePlane;
  readonly stream: string;
  /** What was stored before is not read: a time in ms since the epoch, or a place. */
  readonly from: Pick<ReadOptions, 'fromMs' | 'fromSeq'>;
  /** A pattern (S2); everything, unless told. */
  readonly subject?: string;
  /** `isTold`: that it does not count was told before. */
  readonly note: (message: StoredMessage, isTold: boolean) => Noting;
}

export interface StreamReading {
  /** Judges anew what was undecided, then reads what has come since. Throws what reading throws; then it goes on from there. */
  read(): Promise<void>;
  /** Whether something could not be judged because the keys are not there. */
  isLocked(): boolean;
}

const pageLimit = 1_000;
const maxUndecided = 1_024;

/** Creates a reading that begins there. */
export function createStreamReading(deps: StreamReadingDeps): StreamReading {
  const { durable, subject, note } = deps;
  const stream = durable.stream(deps.stream);
  const filter = subject === undefined ? {} : { subject };
  let nextSeq: number | undefined;
  let undecided: { readonly message: StoredMessage; readonly isTold: boolean }[] = [];
  let isLocked = false;

  function take(message: StoredMessage, isTold: boolean): void {
    const noting = note(message, isTold);
    if (noting === 'locked') isLocked = true;
    if (noting !== 'noted') undecided.push({ message, isTold: isTold || noting === 'unproven' });
  }

  function judgeAgain(): void {
    const again = undecided;
    undecided = [];
    isLocked = false;
    for (const { message, isTold } of again) take(message, isTold);
  }

  return {
    isLocked: () => isLocked,
    async read() {
      judgeAgain();
      let isMore = true;
      while (isMore) {
        const from = nextSeq === undefined ? deps.from : { fromSeq: nextSeq };
        const page = await stream.read({ ...from, ...filter, limit: pageLimit });
        for (const message of page.messages) take(message, false);
        const last = page.messages.at(-1)?.seq;
        nextSeq = page.nextSeq ?? (last === undefined ? nextSeq : last + 1);
        isMore = page.nextSeq !== undefined;
        // The oldest give way: what was never judged counts for nothing.
        if (undecided.length > maxUndecided) undecided = undecided.slice(-maxUndecided);
      }
    },
  };
}
