/**
 * Registry of payload schemas by message type (protocol.md §3 "Payloads").
 * Law: unknown fields are kept, unknown types are shown raw; a payload that breaks its schema is a typed error.
 */
import { z } from 'zod';
import { toTextStrict } from '../base/bytes.ts';
import { firstIssue } from '../base/issue-words.ts';
import { VakError } from '../base/vak-error.ts';
import { auditAction, auditCheckpoint, auditVoid } from './payload-audit.ts';
import { statusPayload, telemetryPayload, terminalPayload, tokensPayload } from './payload-events.ts';
import { commandField, detailField, lineField } from './payload-fields.ts';
import { maxRoomEntryBytes, roomAppendRequest, roomMineRequest } from './payload-room-control.ts';
import { roomEntry } from './payload-room-log.ts';
import { roomFrame, roomPresence } from './payload-rooms.ts';
import { agentMessage, approvalRequest, approvalVerdict, deadLetterPayload, receiptPayload } from './payload-work.ts';
import { roomInvite, roomKeyPackage, roomKeyRequest, roomKeyWithheld } from './room-key-records.ts';
import { maxTaskBytes } from './task-limits.ts';

/** What belongs to every task; times in ms, sizes in bytes. `approval`: what is asked before it runs. */
const taskFields = {
  cwd: z.string().min(1).max(4096).optional(),
  env: z.record(z.string().min(1).max(256), z.string().max(32 * 1024)).optional(),
  timeoutMs: z
    .int()
    .positive()
    .max(7 * 24 * 3_600_000)
    .optional(),
  outputLimitBytes: z.int().positive().optional(),
  /** Tries after the first, if fewer than its queue allows (W2). */
  maxRetries: z.int().nonnegative().max(100).optional(),
  approval: z.looseObject({ title: lineField, detail: detailField.optional() }).optional(),
};

/** A task as a worker runs it: a command line. */
export const taskPayload = z
  .looseObject({ command: commandField, ...taskFields })
  .refine((task) => !('input' in task), { path: ['input'], message: 'a task is either a command or an input' });

/** A task as it stands in a queue: a command line, or an input (any JSON) for the worker's own handler; exactly one of them. */
export const workTaskPayload = z
  .looseObject({ command: commandField.optional(), input: z.unknown().optional(), ...taskFields })
  .refine((task) => (task.command === undefined) === 'input' in task, {
    path: ['command'],
    message: 'expected exactly one of command and input',
  });

/** Schema of each known type. */
export const payloadSchemas = {
  'vak.events.tokens': tokensPayload,
  'vak.events.terminal': terminalPayload,
  'vak.events.telemetry': telemetryPayload,
  'vak.events.status': statusPayload,
  'vak.work.task': workTaskPayload,
  'vak.agent.message': agentMessage,
  'vak.receipts.completed': receiptPayload,
  'vak.approvals.request': approvalRequest,
  'vak.approvals.verdict': approvalVerdict,
  'vak.dlq.failed': deadLetterPayload,
  'vak.audit.action': auditAction,
  'vak.audit.checkpoint': auditCheckpoint,
  'vak.audit.void': auditVoid,
  'vak.rooms.frame': roomFrame,
  'vak.rooms.presence': roomPresence,
  'vak.keys.package': roomKeyPackage,
  'vak.keys.request': roomKeyRequest,
  'vak.keys.withheld': roomKeyWithheld,
  'vak.keys.invite': roomInvite,
  'vak.rooms.entry': roomEntry,
  'vak.control.rooms.append': roomAppendRequest,
  'vak.control.rooms.mine': roomMineRequest,
} as const;

/** A type with a schema. */
export type KnownType = keyof typeof payloadSchemas;
/** The parsed payload of a known type. */
export type PayloadOf<T extends KnownType> = z.infer<(typeof payloadSchemas)[T]>;
export type TokensPayload = PayloadOf<'vak.events.tokens'>;
export type TerminalPayload = PayloadOf<'vak.events.terminal'>;
export type TelemetryPayload = PayloadOf<'vak.events.telemetry'>;
export type StatusPayload = PayloadOf<'vak.events.status'>;
/** A task as a worker runs it; what stands in a queue may be an input instead of a command. */
export type TaskPayload = z.infer<typeof taskPayload>;

/** No payload is larger: a message holds 1 MiB. */
const maxPayloadBytes = 1024 * 1024;
/** Twice what a package with its room key has. */
const maxKeyRecordBytes = 2048;
const ownLimits: Partial<Record<KnownType, number>> = {
  'vak.work.task': maxTaskBytes,
  'vak.keys.package': maxKeyRecordBytes,
  'vak.keys.request': maxKeyRecordBytes,
  'vak.keys.withheld': maxKeyRecordBytes,
  'vak.keys.invite': maxKeyRecordBytes,
  'vak.rooms.entry': maxRoomEntryBytes,
  'vak.control.rooms.append': maxRoomEntryBytes + 64,
  'vak.control.rooms.mine': 64,
};

/** Whether a type has a schema. */
export function isKnownType(type: string): type is KnownType {
  return Object.hasOwn(payloadSchemas, type);
}

/** What the bytes say in JSON; throws `invalid-payload` that names `name`. The caller has looked at their number. */
export function parseJson(bytes: Uint8Array, name: string): unknown {
  const text = toTextStrict(bytes, name);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new VakError('invalid-payload', `${name}: not valid JSON (${bytes.length} bytes)`, { cause });
  }
}

/** Checks a value against the schema of its type; throws `invalid-payload` that names the field. */
export function checkPayload<T extends KnownType>(type: T, value: unknown): PayloadOf<T> {
  const result = payloadSchemas[type].safeParse(value);
  if (result.success) return result.data as PayloadOf<T>;
  throw new VakError('invalid-payload', `${type}: ${firstIssue(result.error)}`);
}

/** Decodes the JSON bytes of a known type; throws `limit-exceeded`, or `invalid-payload` that says what and where. */
export function decodePayload<T extends KnownType>(type: T, bytes: Uint8Array): PayloadOf<T> {
  const limit = ownLimits[type] ?? maxPayloadBytes;
  if (bytes.length > limit) {
    throw new VakError('limit-exceeded', `${type}: ${bytes.length} bytes, at most ${limit} are taken`);
  }
  return checkPayload(type, parseJson(bytes, type));
}
