/**
 * Reads the dead letters of a workspace, and what was done about them (docs/spec/triage.md D2, D3, D5).
 * Law: it only reads, and makes no consumer; every letter is judged before it is believed, and is in the book once.
 */
import { type ErrorCode, isVakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { auditStreamOf, auditSubject } from '../work/purge-records.ts';
import { createStreamReading, type Noting, type ReadingPace, type StreamReading } from '../work/stream-reading.ts';
import { judgeListedLetter } from './closed-letter.ts';
import { factsIn, readHeldTask } from './held-envelope.ts';
import { createLetterBook, type LetterBook, type TaskEnvelopeFacts } from './letter-book.ts';
import { createLetterLedger, type LetterLedger } from './letter-ledger.ts';
import { createLetterReceipts } from './letter-receipts.ts';
import { readLetterAction } from './letter-records.ts';
import { createToldCampaigns, type ToldCampaigns } from './told-campaigns.ts';

/** What does not count: a dead letter, or an operator's word. `isSound`: it was soundly said by somebody who may not say it. */
export interface RefusedLetter {
  readonly kind: 'dead-letter' | 'action';
  readonly message: StoredMessage;
  readonly why: string;
  readonly isSound: boolean;
}

export interface LetterReadingDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  /** Letters that are remembered at most. */
  readonly capacity: number;
  readonly onRefused: (refused: RefusedLetter) => void;
  /** It was refused, and is proven now. */
  readonly onTakenBack?: (proven: Pick<RefusedLetter, 'kind' | 'message'>) => void;
  readonly pace?: ReadingPace;
}

export interface LetterReading {
  readonly book: LetterBook;
  readonly ledger: LetterLedger;
  readonly told: ToldCampaigns;
  /** Reads what has come since. Throws what reading throws; then it goes on from there. */
  read(): Promise<void>;
  /** Messages that were read of the stream of dead letters; of so many that it had when it was asked last. */
  progress(): { readonly readCount: number; readonly streamCount: number };
  /** Places of the receipts of a task, oldest first. */
  receiptPlaces(taskId: string): readonly number[];
}

/** Name of the stream of dead letters. */
export function letterStreamOf(workspace: string): string {
  return `VAK_DLQ_${workspace}`;
}

/** Tasks in buckets that are looked into at one reading. */
const maxLarge = 256;
const barring: readonly ErrorCode[] = ['not-found', 'forbidden', 'unauthorized'];
/** Nobody may read them, or an older provisioning made no such stream: what is known without them is shown. */
const isBarred = (error: unknown): boolean => barring.some((code) => isVakError(error, code));

async function readWhereAllowed(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isBarred(error)) throw error;
  }
}

/** Creates a reading that begins at the oldest. */
export function createLetterReading(deps: LetterReadingDeps): LetterReading {
  const { workspace, durable, judge, reader, capacity, onRefused, onTakenBack = () => {}, pace } = deps;
  const book = createLetterBook(capacity);
  /** Letters whose task lies in a bucket, and was not looked at yet. */
  let large: number[] = [];
  let [readCount, streamCount] = [0, 0];
  const told = createToldCampaigns();
  const ledger = createLetterLedger({ book, onRetry: ({ taskId }) => receipts.want(taskId) });
  const receipts = createLetterReceipts({
    ...{ workspace, durable, judge, reader, onOutcome: ledger.noteOutcome },
    isWanted: (taskId) => book.ofTask(taskId).length > 0 || ledger.isRetry(taskId),
    ...(pace === undefined ? {} : { pace }),
  });

  function refuse(refused: RefusedLetter, { isFinal, isTold }: { isFinal: boolean; isTold: boolean }): Noting {
    if (!isTold) onRefused(refused);
    return isFinal ? 'noted' : 'unproven';
  }

  function noteLetter(message: StoredMessage, isTold: boolean): Noting {
    const verdict = judgeListedLetter(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    if (verdict.kind === 'invalid') {
      const refused = { kind: 'dead-letter', message, why: verdict.why, isSound: false } as const;
      return refuse(refused, { isFinal: verdict.isFinal, isTold });
    }
    if (isTold) onTakenBack({ kind: 'dead-letter', message });
    return noteListed(message, verdict);
  }

  function noteListed(
    { seq, storedMs }: StoredMessage,
    verdict: Extract<ReturnType<typeof judgeListedLetter>, { kind: 'valid' | 'closed' }>,
  ): Noting {
    const { letter, envelope } = verdict;
    const own = { seq, storedMs, id: envelope.id, by: envelope.agentid };
    if (verdict.kind === 'closed') {
      const key = envelope.seal === undefined ? null : { keyId: envelope.seal.keyid, peer: envelope.agentid };
      book.note({ ...letter, ...own, type: null, key, isClosed: true });
      return verdict.isFinal ? 'noted' : 'unproven';
    }
    const facts = factsIn(letter);
    if (facts === undefined) large.push(seq);
    const entry = book.note({ ...letter, ...(facts ?? { type: null, key: null }), ...own });
    if (entry?.taskId) receipts.want(entry.taskId);
    return 'noted';
  }

  function noteAction(message: StoredMessage, isTold: boolean): Noting {
    const reading = readLetterAction(message, judge);
    if (reading.kind === 'locked') return 'locked';
    if (reading.kind === 'invalid') {
      const { why, isFinal, isSound } = reading;
      return refuse({ kind: 'action', message, why, isSound }, { isFinal, isTold });
    }
    if (isTold) onTakenBack({ kind: 'action', message });
    if (reading.kind !== 'action') return 'noted';
    ledger.noteAction(reading.action);
    told.note(reading.action);
    return 'noted';
  }

  function readingOf(stream: string, note: typeof noteLetter, subject?: string): StreamReading {
    return createStreamReading({
      ...{ durable, stream, from: {}, note },
      ...(subject === undefined ? {} : { subject }),
      ...(pace === undefined ? {} : { pace }),
    });
  }
  const letters = readingOf(letterStreamOf(workspace), (message, isTold) => {
    if (!isTold) readCount++;
    return noteLetter(message, isTold);
  });
  const actions = readingOf(auditStreamOf(workspace), noteAction, auditSubject(workspace));

  async function factsOf(seq: number): Promise<TaskEnvelopeFacts | undefined> {
    const message = await durable.stream(letterStreamOf(workspace)).get(seq);
    const verdict = message === undefined ? undefined : judge(message);
    if (verdict?.kind !== 'accepted') return undefined;
    const by = verdict.envelope.agentid;
    const reading = reader.read(await readHeldTask(verdict.payload, { workspace, durable, by }));
    if (reading.kind !== 'envelope') return undefined;
    const { type, seal, agentid: peer } = reading.envelope;
    return { type, key: seal === undefined ? null : { keyId: seal.keyid, peer } };
  }

  /** A task in a bucket that nobody can read now is shown without its type: it is read again when somebody looks at it. */
  async function lookIntoLarge(): Promise<void> {
    const now = large.slice(0, maxLarge);
    large = large.slice(maxLarge);
    for (const seq of now) {
      try {
        const facts = await factsOf(seq);
        if (facts !== undefined) book.amend(seq, facts);
      } catch (error) {
        if (!isVakError(error)) throw error;
      }
      await pace?.rest();
    }
  }

  return {
    ...{ book, ledger, told, receiptPlaces: receipts.placesOf },
    progress: () => ({ readCount, streamCount: Math.max(readCount, streamCount) }),
    async read() {
      streamCount = (await durable.stream(letterStreamOf(workspace)).state()).messageCount;
      await letters.read();
      await readWhereAllowed(actions.read);
      await readWhereAllowed(receipts.read);
      await lookIntoLarge();
    },
  };
}
