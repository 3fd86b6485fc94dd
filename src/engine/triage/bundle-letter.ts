/**
 * A dead letter as a bundle tells it (docs/spec/triage.md D11, D14).
 * Law: it is another's word: each field is bounded and made visible, and what does not fit is no letter.
 */
import { z } from 'zod';
import { fromBase64, utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { BundledLetter } from '../../shared/contract/bundles-contract.ts';
import type { LetterReport, LetterRow } from '../../shared/contract/dlq-contract.ts';
import { letterStates } from '../../shared/filter/letter-filter.ts';
import { dateMs, shownLine, shownLines } from './bundle-fields.ts';

/** Of a reason or a stack; of lists. */
const maxText = 512 * 1024;
const maxItems = 1_024;
/** A task is at most an envelope. */
const maxTask = 1_500_000;

const line = shownLine();
const lines = shownLines(maxText);
const count = z.int().min(0);
const text = line.nullable();
const ms = dateMs.nullable();
const list = <T extends z.ZodType>(item: T) => z.array(item).max(maxItems);

const row = {
  seq: z.int().positive(),
  ...{ storedMs: dateMs, failedMs: dateMs, state: z.enum(letterStates), queue: line },
  ...{ taskId: text, type: text, workerId: text, errorClass: line, reason: line, attempts: count },
  ...{ fingerprint: line, isSealed: z.boolean(), closedWhy: text },
};
const signer = { signer: line, peer: line, roles: list(line), queues: list(line), why: line };
const signature = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['none', 'unsigned']) }),
  z.object({ kind: z.literal('valid'), ...signer }),
  z.object({
    ...{ kind: z.literal('invalid'), fault: z.enum(['signature', 'sender']), isFinal: z.boolean() },
    ...signer,
  }),
]);
const attempt = z.object({
  ...{ attempt: count, workerId: line, startedMs: dateMs, endedMs: dateMs, reason: lines },
  ...{ exitCode: z.int().nullable(), errorClass: text, isProven: z.boolean() },
});
const outcomes = [
  ...(['requested', 'published', 'claimed', 'done', 'failed-same', 'failed-new', 'lost'] as const),
  ...(['unanswered', 'refused', 'cancelled'] as const),
] as const;
const retry = z.object({
  ...{ operationId: line, by: line, atMs: dateMs, taskId: line, queue: line, isEdited: z.boolean() },
  ...{ outcome: z.enum(outcomes), fingerprint: text },
});

const report: z.ZodType<LetterReport> = z.object({
  ...row,
  ...{ by: line, signature, reasonText: lines, stack: lines.nullable() },
  frames: list(z.object({ call: line, file: line, isForeign: z.boolean() })),
  ...{ attemptList: list(attempt), retries: list(retry) },
  attributes: list(z.object({ name: line, value: line })),
  ...{ sizeBytes: count, traceId: text, session: text },
  ancestors: list(z.object({ id: line, subject: text, type: text, peer: text, atMs: ms })),
  audit: list(z.object({ atMs: dateMs, by: line, operationId: line, action: line, outcome: line, reason: text })),
  keptUntilMs: ms,
});

const letterLine = z.object({ seq: row.seq, report: z.unknown() });

/** The letter of a line; undefined: it is none. */
export function readBundledLetter(value: object): LetterReport | undefined {
  const head = letterLine.safeParse(value);
  if (!head.success) return undefined;
  const read = report.safeParse(head.data.report);
  return read.success && read.data.seq === head.data.seq ? read.data : undefined;
}

/** Of a text in a row: of all letters rows are held. */
const maxInRow = 256;
const cut = (text: string): string => text.slice(0, maxInRow);
const cutOf = (text: string | null): string | null => (text === null ? null : cut(text));

/** What a list shows of it. */
export function rowOfBundled(letter: LetterReport): LetterRow {
  const { seq, storedMs, failedMs, state, queue, taskId, type, workerId, errorClass, reason, attempts } = letter;
  const { fingerprint, isSealed, closedWhy } = letter;
  return {
    ...{ seq, storedMs, failedMs, state, attempts, isSealed, queue: cut(queue), errorClass: cut(errorClass) },
    ...{ taskId: cutOf(taskId), type: cutOf(type), workerId: cutOf(workerId), closedWhy: cutOf(closedWhy) },
    ...{ reason: cut(reason), fingerprint: cut(fingerprint) },
  };
}

const taskLine = z.object({
  text: z.string().max(maxTask).optional(),
  data: z.string().max(maxTask).optional(),
  problem: line.optional(),
});

const unreadable = { bytes: null, problem: 'What the bundle says of the task cannot be read.' };

/** The task as a line tells it: text that secrets were taken out of, or the bytes as they were. */
export function readBundledTask(value: object): NonNullable<BundledLetter['task']> {
  const read = taskLine.safeParse(value);
  if (!read.success) return unreadable;
  const { text: shown, data, problem } = read.data;
  if (shown !== undefined) return { bytes: utf8(shown), problem: null };
  if (data === undefined) return problem === undefined ? unreadable : { bytes: null, problem };
  try {
    return { bytes: fromBase64(data, 'data'), problem: null };
  } catch (error) {
    if (isVakError(error)) return unreadable;
    throw error;
  }
}
