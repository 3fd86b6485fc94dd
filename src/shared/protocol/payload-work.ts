/**
 * Payloads of the work plane but for the task: messages to a peer, receipts, approvals, dead letters (protocol.md §3, W4, W6, W8).
 * Law: unknown fields are kept; every field has a bound, so that a dead letter fits one message.
 */
import { z } from 'zod';
import {
  base64Field,
  commandField,
  count,
  detailField,
  errorClassField,
  hashField,
  idField,
  lineField,
  reasonField,
  stackField,
  timeField,
  tokenField,
} from './payload-fields.ts';

/** Largest envelope that a dead letter holds itself; a larger one lies in its writer's bucket (W4). */
const maxHeldEnvelopeBytes = 640 * 1024;

/** 1 for the first delivery. */
const attemptField = z.int().min(1);

/** A message in a peer's inbox: `steer` and `text` say something, `signal` names one. */
export const agentMessage = z
  .looseObject({
    kind: z.enum(['steer', 'signal', 'text']),
    text: detailField.optional(),
    signal: tokenField.optional(),
    /** Id of the envelope that it answers. */
    replyTo: idField.optional(),
  })
  .refine(({ kind, signal }) => kind !== 'signal' || signal !== undefined, {
    path: ['signal'],
    message: 'missing in a message of kind signal',
  })
  .refine(({ kind, text }) => kind === 'signal' || text !== undefined, {
    path: ['text'],
    message: 'missing in a message of kind steer or text',
  });

/** What came of one attempt (W6). */
export const receiptPayload = z.looseObject({
  /** Id and leaf of the task's envelope. */
  taskId: idField,
  taskLeaf: hashField,
  queue: tokenField,
  workerId: tokenField,
  attempt: attemptField,
  outcome: z.enum(['done', 'attempt-failed']),
  startedAt: timeField,
  endedAt: timeField,
  exitCode: z.int().optional(),
  reason: reasonField.optional(),
  errorClass: errorClassField.optional(),
  stack: stackField.optional(),
  /** In which the attempt was told live (`vak.events`), where it was: docs/spec/work.md W6e. */
  session: tokenField.optional(),
  /** SHA-256 of the whole output. */
  outputHash: hashField,
  /** What a program's own handler gave, if it is small (W6c). */
  output: z.unknown().optional(),
});

/** Asks an operator before something is done. */
export const approvalRequest = z.looseObject({
  title: lineField,
  detail: detailField,
  command: commandField.optional(),
  expiresAt: timeField,
});

/** An operator's answer, bound to the request's envelope by its leaf (W8). */
export const approvalVerdict = z.looseObject({
  requestId: idField,
  requestLeaf: hashField,
  decision: z.enum(['approve', 'deny']),
  reason: reasonField.optional(),
});

const attemptRecord = z.looseObject({
  attempt: attemptField,
  workerId: tokenField,
  startedAt: timeField,
  endedAt: timeField,
  reason: reasonField,
  exitCode: z.int().optional(),
});

/** The task's envelope: its JSON, or base64 of what does not decode, or where a large one lies. */
const heldEnvelope = z.union(
  [
    z.looseObject({ specversion: z.string().max(16) }),
    z.looseObject({ bucket: z.string().min(1).max(256), object: z.string().min(1).max(256), sha256: hashField }),
    base64Field({ max: maxHeldEnvelopeBytes }),
  ],
  'expected an envelope, base64, or {bucket, object, sha256}',
);

/** A task that failed for good (W4). */
export const deadLetterPayload = z.looseObject({
  /** Null if the task does not decode; `taskLeaf` is the SHA-256 of its bytes then. */
  envelopeId: idField.nullable(),
  taskLeaf: hashField,
  subject: z.string().min(1).max(512),
  queue: tokenField,
  attempts: count,
  history: z.array(attemptRecord).max(256),
  reason: reasonField,
  errorClass: errorClassField,
  stack: stackField.optional(),
  failedAt: timeField,
  /** Who had it last; null if nobody knows. */
  workerId: tokenField.nullable(),
  envelope: heldEnvelope,
});
