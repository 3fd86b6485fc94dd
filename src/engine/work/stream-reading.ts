/**
 * Reads a stream from a time on, without a consumer, and remembers what nobody can judge yet (protocol.md W9: never a consumer made
 * only to look).
 * Law: every message is noted in its order, once for good; what is undecided is judged anew at each reading, in bounded number.
 */
import type { DurablePlane, ReadOptions, StoredMessage } from '../bus/durable.ts';

/** `unproven`: it does not count as far as is known here; what will be known may say otherwise. `locked`: nobody can tell. */
export type Noting = 'noted' | 'unproven' | 'locked';

/** How a reading goes along with other work, for who reads again and again. */
export interface ReadingPace {
  /** Most messages that are noted in one go. */
  readonly pageLimit: number;
  /** Awaited between two pages. */
  readonly rest: () => Promise<void>;
  /** Names what is known to judge by: what was undecided is judged anew only when it is another. */
  readonly basis: () => number;
}

export interface StreamReadingDeps {
  readonly durable: DurablePlane;
  readonly stream: string;
  /** What was stored before is not read: a time in ms since the epoch, or a place. */
  readonly from: Pick<ReadOptions, 'fromMs' | 'fromSeq'>;
  /** A pattern (S2); everything, unless told. */
  readonly subject?: string;
  /** `isTold`: that it does not count was told before. */
  readonly note: (message: StoredMessage, isTold: boolean) => Noting;
  /** Given, the stream is asked first whether it has anything new: the reader must have the right to its figures. */
  readonly pace?: ReadingPace;
}

export interface StreamReading {
  /** Judges anew what was undecided, then reads what has come since. Throws what reading throws; then it goes on from there. */
  read(): Promise<void>;
  /** Whether something could not be judged because the keys are not there. */
  isLocked(): boolean;
}

const usualPageLimit = 1_000;
const maxUndecided = 1_024;
const maxUndecidedBytes = 16 * 1024 * 1024;

interface Undecided {
  readonly message: StoredMessage;
  readonly isTold: boolean;
}

/** The oldest give way: what was never judged counts for nothing. */
function newestWithin(all: Undecided[]): Undecided[] {
  let [from, bytes] = [all.length, 0];
  while (from > Math.max(0, all.length - maxUndecided)) {
    bytes += all[from - 1]?.message.data.length ?? 0;
    if (bytes > maxUndecidedBytes) break;
    from--;
  }
  return from === 0 ? all : all.slice(from);
}

/** Creates a reading that begins there. */
export function createStreamReading(deps: StreamReadingDeps): StreamReading {
  const { durable, subject, note, pace } = deps;
  const stream = durable.stream(deps.stream);
  const limit = pace?.pageLimit ?? usualPageLimit;
  const filter = subject === undefined ? {} : { subject };
  let nextSeq: number | undefined;
  let undecided: Undecided[] = [];
  let isLocked = false;
  let judgedBasis: number | undefined;
  /** The stream's last place when all of it was read. */
  let readUpTo: number | undefined;

  function take(message: StoredMessage, isTold: boolean): void {
    const noting = note(message, isTold);
    if (noting === 'locked') isLocked = true;
    if (noting !== 'noted') undecided.push({ message, isTold: isTold || noting === 'unproven' });
  }

  function judgeAgain(): void {
    const basis = pace?.basis();
    if (basis !== undefined && basis === judgedBasis) return;
    judgedBasis = basis;
    const again = undecided;
    undecided = [];
    isLocked = false;
    for (const { message, isTold } of again) take(message, isTold);
  }

  async function readOn(): Promise<void> {
    while (await readPage()) await pace?.rest();
  }

  /** A question about the stream costs less than a reading, which may need a consumer of its own for a moment. */
  async function readIfNew(): Promise<void> {
    const { lastSeq } = await stream.state();
    if (lastSeq === readUpTo) return;
    await readOn();
    readUpTo = lastSeq;
  }

  async function readPage(): Promise<boolean> {
    const from = nextSeq === undefined ? deps.from : { fromSeq: nextSeq };
    const page = await stream.read({ ...from, ...filter, limit });
    for (const message of page.messages) take(message, false);
    const last = page.messages.at(-1)?.seq;
    nextSeq = page.nextSeq ?? (last === undefined ? nextSeq : last + 1);
    undecided = newestWithin(undecided);
    return page.nextSeq !== undefined;
  }

  return {
    isLocked: () => isLocked,
    async read() {
      judgeAgain();
      await (pace === undefined ? readOn() : readIfNew());
    },
  };
}
