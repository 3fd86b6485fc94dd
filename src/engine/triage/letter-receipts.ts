/**
 * Receipts of the tasks of dead letters and of their retries (docs/spec/triage.md D3).
 * Law: of all receipts only those are judged that name such a task; a receipt that was read before its letter is found again.
 */
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { judgeReceipt } from '../work/receipts.ts';
import { createStreamReading, type Noting, type ReadingPace } from '../work/stream-reading.ts';
import type { SaidOutcome } from './letter-ledger.ts';

export interface LetterReceiptsDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  /** Whether a task's receipts are wanted. */
  readonly isWanted: (taskId: string) => boolean;
  readonly onOutcome: (outcome: SaidOutcome) => void;
  readonly pace?: ReadingPace;
}

export interface LetterReceipts {
  /** It was not wanted before, and is now. */
  want(taskId: string): void;
  /** Reads what has come since, and what became wanted. Throws what reading throws. */
  read(): Promise<void>;
  /** Places of a task's receipts that were heard of, oldest first. */
  placesOf(taskId: string): readonly number[];
}

/** Tasks whose receipts' places are remembered though nobody wants them yet. */
const rememberedTasks = 100_000;
/** Receipts of one task. */
const maxPerTask = 64;
/** What could not be proved is judged again, so many. */
const maxAgain = 1_024;
/** Receipts that are fetched one by one between two rests. */
const fetchedAtOnce = 64;

const mark = Buffer.from('"causationid":"');
const uuidLength = 36;

/** The task that a receipt names, as we write it: most receipts are nobody's, and to decode each would be dear. */
function namedIn(data: Uint8Array): string | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const at = bytes.indexOf(mark);
  if (at === -1) return undefined;
  const text = bytes.toString('latin1', at + mark.length, at + mark.length + uuidLength + 1);
  return /^[0-9a-f-]{36}"$/.test(text) ? text.slice(0, uuidLength) : undefined;
}

function readCause(data: Uint8Array, reader: EnvelopeReader): string | undefined {
  const reading = reader.read(data);
  return reading.kind === 'envelope' ? reading.envelope.causationid : undefined;
}

/** Creates it. */
export function createLetterReceipts(deps: LetterReceiptsDeps): LetterReceipts {
  const { workspace, durable, judge, reader, isWanted, onOutcome, pace } = deps;
  const name = `VAK_RECEIPTS_${workspace}`;
  const [wanted, others] = [new Map<string, number[]>(), createBoundedCache<number[]>(rememberedTasks)];
  let fetches: number[] = [];
  const again: number[] = [];
  let basis: number | undefined;

  function remember(taskId: string, seq: number): void {
    const own = (isWanted(taskId) ? wanted.get(taskId) : others.get(taskId)) ?? [];
    if (!own.includes(seq)) own.push(seq);
    if (own.length > maxPerTask) own.shift();
    if (isWanted(taskId)) wanted.set(taskId, own);
    else others.set(taskId, own);
  }

  /** What it says goes to who wants it; a receipt that does not name its task openly is remembered by what it says. */
  function judgeOne(message: StoredMessage): Noting {
    const verdict = judgeReceipt(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    if (verdict.kind === 'invalid') return verdict.isFinal ? 'noted' : 'unproven';
    const { taskId, taskLeaf, queue, outcome } = verdict.receipt;
    remember(taskId, message.seq);
    if (isWanted(taskId)) onOutcome({ taskId, taskLeaf, queue, isDone: outcome === 'done' });
    return 'noted';
  }

  function note(message: StoredMessage): Noting {
    const taskId = namedIn(message.data) ?? readCause(message.data, reader);
    if (taskId !== undefined) remember(taskId, message.seq);
    return taskId === undefined || isWanted(taskId) ? judgeOne(message) : 'noted';
  }

  const reading = createStreamReading({
    durable,
    stream: name,
    from: {},
    note,
    ...(pace === undefined ? {} : { pace }),
  });

  async function fetchOne(seq: number): Promise<void> {
    const message = await durable.stream(name).get(seq);
    if (message === undefined || judgeOne(message) === 'noted') return;
    again.push(seq);
    if (again.length > maxAgain) again.shift();
  }

  async function fetchWanted(): Promise<void> {
    for (let count = 1; fetches.length > 0; count++) {
      await fetchOne(fetches[0] as number);
      fetches.shift();
      if (count % fetchedAtOnce === 0) await pace?.rest();
    }
  }

  return {
    want(taskId) {
      const places = others.get(taskId);
      if (places === undefined || wanted.has(taskId)) return;
      wanted.set(taskId, places);
      fetches.push(...places);
    },
    async read() {
      const now = pace?.basis();
      if (now === undefined || now !== basis) fetches = [...fetches, ...again.splice(0)];
      basis = now;
      await reading.read();
      await fetchWanted();
    },
    placesOf: (taskId) => wanted.get(taskId) ?? others.get(taskId) ?? [],
  };
}
