/**
 * One dead letter whole: why it failed, every attempt, what was done about it, and what it came of (product.md "Dead letters").
 * Law: every text was made visible; a part that cannot be read is left out, and never guessed.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { LetterAncestor, LetterAttempt, LetterReport } from '../../shared/contract/dlq-contract.ts';
import type { SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { parseTraceparent } from '../../shared/protocol/trace-context.ts';
import { attributesOf } from '../envelope/trust-reporter.ts';
import { judgeReceipt, type Receipt } from '../work/receipts.ts';
import type { HeardMessages } from './heard-messages.ts';
import type { LetterEntry } from './letter-book.ts';
import type { LetterReading } from './letter-reading.ts';
import { letterStreamOf } from './letter-reading.ts';
import { type LetterLook, letterRow } from './letter-rows.ts';
import { createStoredCauses, type StoredCauses } from './stored-causes.ts';
import { readStoredLetter, type StoredLetter, type StoredLetterDeps } from './stored-letter.ts';

/** What is known of the letters. */
export type KnownLetters = Pick<LetterReading, 'book' | 'ledger' | 'receiptPlaces'>;

export interface LetterReportDeps extends StoredLetterDeps {
  readonly checkSignature: (envelope: Envelope, subject: string, atMs: number) => SignatureReport | undefined;
  readonly look: LetterLook;
  /** What passed on the bus a while ago; undefined: nobody listened. */
  readonly heard?: HeardMessages;
}

const maxAncestors = 16;
/** Clocks of a worker and of the engine may differ by so much, ms. */
const clockSkewMs = 5_000;

const visibleLines = (text: string): string =>
  text
    .split(/\r\n|[\n\r]/)
    .map(visibleText)
    .join('\n');
const envelopeOf = ({ task }: StoredLetter): Envelope | undefined =>
  'reading' in task && task.reading.kind === 'envelope' ? task.reading.envelope : undefined;
const keyOf = ({ attempt, workerId }: Pick<Receipt, 'attempt' | 'workerId'>): string => `${attempt} ${workerId}`;

function attemptOf(said: StoredLetter['letter']['history'][number] | Receipt, isProven: boolean): LetterAttempt {
  const { attempt, workerId, startedAt, endedAt, reason = '', exitCode = null } = said;
  const errorClass = 'errorClass' in said && typeof said.errorClass === 'string' ? visibleText(said.errorClass) : null;
  return {
    ...{ attempt, workerId, startedMs: Date.parse(startedAt), endedMs: Date.parse(endedAt), exitCode, errorClass },
    ...{ reason: visibleLines(reason), isProven },
  };
}

/** What the letter says, and what receipts prove of it or besides; newest first. */
function attemptsOf({ letter }: StoredLetter, receipts: readonly Receipt[]): LetterAttempt[] {
  const proven = new Map(receipts.filter(({ outcome }) => outcome !== 'done').map((one) => [keyOf(one), one]));
  const rest = letter.history.filter((one) => !proven.has(keyOf(one)));
  return [...rest.map((one) => attemptOf(one, false)), ...[...proven.values()].map((one) => attemptOf(one, true))].sort(
    (a, b) => b.attempt - a.attempt || b.endedMs - a.endedMs,
  );
}

/** Receipts of the task that count. */
async function receiptsOf(entry: LetterEntry, known: KnownLetters, deps: LetterReportDeps): Promise<Receipt[]> {
  const { workspace, durable, judge } = deps;
  const { taskId, taskLeaf, queue } = entry;
  if (taskId === null) return [];
  const found: Receipt[] = [];
  for (const seq of known.receiptPlaces(taskId)) {
    const message = await durable.stream(`VAK_RECEIPTS_${workspace}`).get(seq);
    const verdict = message === undefined ? undefined : judgeReceipt(message, judge);
    if (verdict?.kind !== 'valid') continue;
    const { receipt } = verdict;
    if (receipt.taskId === taskId && receipt.taskLeaf === taskLeaf && receipt.queue === queue) found.push(receipt);
  }
  return found;
}

/** Where the last attempt was told live, as its receipt says. */
function sessionIn(receipts: readonly Receipt[], [last]: readonly LetterAttempt[]): string | undefined {
  return receipts.find((one) => last !== undefined && keyOf(one) === keyOf(last))?.session;
}

interface Step {
  readonly ancestors: readonly LetterAncestor[];
  /** Id of what caused the last of them; undefined: nothing is named. */
  readonly cause: string | undefined;
}

const unknown = (id: string): Step => ({
  ancestors: [{ id, subject: null, type: null, peer: null, atMs: null }],
  cause: undefined,
});

function stepOf({ id, subject, type, agentid: peer, time, causationid: cause }: Envelope): Step {
  const at = { subject: subject === undefined ? null : visibleText(subject), type: visibleText(type) };
  return { ancestors: [{ id, ...at, peer: visibleText(peer), atMs: Date.parse(time) }], cause };
}

/** A task that is a retry was caused by a dead letter, and that by the task before. */
async function stepOfLetter(entry: LetterEntry, deps: LetterReportDeps): Promise<Step> {
  const stored = await readStoredLetter(entry.seq, deps);
  const task = envelopeOf(stored);
  const own = stepOf(stored.envelope);
  if (task === undefined) return { ancestors: own.ancestors, cause: undefined };
  const before = stepOf(task);
  return { ancestors: [...own.ancestors, ...before.ancestors], cause: before.cause };
}

/** A task that has left its queue for good is still in its dead letter. */
async function taskOfLetter(
  taskId: string,
  { book }: Pick<KnownLetters, 'book'>,
  deps: LetterReportDeps,
): Promise<Envelope | undefined> {
  const [entry] = book.ofTask(taskId);
  try {
    return entry === undefined ? undefined : envelopeOf(await readStoredLetter(entry.seq, deps));
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

interface Search {
  readonly known: KnownLetters;
  readonly deps: LetterReportDeps;
  readonly causes: StoredCauses;
}

async function findStep(id: string, { known: { book }, deps, causes }: Search): Promise<Step> {
  const entry = book.ofId(id);
  try {
    if (entry !== undefined) return await stepOfLetter(entry, deps);
  } catch (error) {
    if (!isVakError(error)) throw error;
  }
  const found = deps.heard?.byId(id)?.envelope ?? (await causes.find(id)) ?? (await taskOfLetter(id, { book }, deps));
  return found === undefined ? unknown(id) : stepOf(found);
}

async function ancestorsOf(task: Envelope | undefined, known: KnownLetters, deps: LetterReportDeps) {
  const found: LetterAncestor[] = [];
  let cause = task?.causationid;
  const seen = new Set<string>();
  const causes = createStoredCauses(deps);
  while (cause !== undefined && !seen.has(cause) && found.length < maxAncestors) {
    seen.add(cause);
    const step: Step = await findStep(cause, { known, deps, causes });
    found.push(...step.ancestors);
    cause = step.cause;
  }
  return found;
}

function whyNoTask({ task }: StoredLetter): string | null {
  if ('problem' in task) return `${task.problem.message}.`;
  return task.reading.kind === 'envelope' ? null : 'Its task is no envelope, so that nobody can open it.';
}

/** When the stream drops it by age, ms since the epoch. */
function keptUntil(workspace: string, storedMs: number): number | null {
  const spec = streamsOf(workspace).find(({ name }) => name === letterStreamOf(workspace));
  return spec?.maxAgeMs == null ? null : storedMs + spec.maxAgeMs;
}

/** The whole of a letter that is in the book. Throws as {@link readStoredLetter}. */
export async function reportLetter(entry: LetterEntry, known: KnownLetters, deps: LetterReportDeps) {
  const stored = await readStoredLetter(entry.seq, deps);
  const { message, letter, envelope, task } = stored;
  const of = envelopeOf(stored);
  const traceId = (of?.traceparent === undefined ? undefined : parseTraceparent(of.traceparent)?.traceId) ?? null;
  const receipts = await receiptsOf(entry, known, deps);
  const attemptList = attemptsOf(stored, receipts);
  const peer = attemptList[0]?.workerId ?? entry.workerId;
  const untilMs = message.storedMs + clockSkewMs;
  const heard = traceId === null || peer === null ? undefined : deps.heard?.sessionOf({ traceId, peer, untilMs });
  const session = heard ?? sessionIn(receipts, attemptList);
  const row = letterRow(entry, deps.look);
  const report: LetterReport = {
    ...{ ...row, closedWhy: whyNoTask(stored) ?? row.closedWhy, by: envelope.agentid },
    signature: deps.checkSignature(envelope, message.subject, message.storedMs) ?? { kind: 'none' },
    reasonText: visibleLines(letter.reason),
    stack: letter.stack === undefined ? null : visibleLines(letter.stack),
    ...{ frames: entry.cause.frames, attemptList, retries: known.ledger.retriesOf(entry.seq) },
    attributes:
      of === undefined ? [] : attributesOf(of).map(({ name, value }) => ({ name, value: visibleText(value) })),
    ...{ sizeBytes: 'data' in task ? task.data.length : 0, traceId, session: session ?? null },
    ancestors: await ancestorsOf(of, known, deps),
    audit: known.ledger.auditOf(entry.seq),
    keptUntilMs: keptUntil(deps.workspace, message.storedMs),
  };
  return report;
}
