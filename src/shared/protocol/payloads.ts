/**
 * Registry of payload schemas by message type (protocol.md §3 "Payloads").
 * Law: unknown fields are kept, unknown types are shown raw; a payload that breaks its schema is a typed error.
 */
import { z } from 'zod';
import { toTextStrict } from '../base/bytes.ts';
import { VakError } from '../base/vak-error.ts';

const count = z.int().nonnegative();

/** Model output as it comes; `index` counts the deltas of one channel from 0. */
const tokensPayload = z.looseObject({
  channel: z.enum(['assistant', 'thinking']),
  index: count,
  text: z.string(),
});

/** Raw output of a command; `offset` is the place of the first byte in that stream since its session began (E16); `bytes` is base64. */
const terminalPayload = z.looseObject({
  stream: z.enum(['stdout', 'stderr']),
  offset: count,
  bytes: z.string(),
});

/** Sum over the command's process tree; `cpuPercent` is 100 for one full core. */
const telemetryPayload = z.looseObject({
  pid: count,
  processes: count,
  rssBytes: count,
  cpuPercent: z.number().nonnegative(),
});

/** States of a session and of its tasks. */
const statusStates = ['started', 'claimed', 'progress', 'done', 'failed', 'heartbeat', 'ended'] as const;

/** Why a task or session ended; `reason` is for people. */
const statusDetail = z.looseObject({
  reason: z.string().optional(),
  exitCode: z.int().optional(),
  signal: z.string().optional(),
});

/** State change of a session (no `taskId`) or of a task. */
const statusPayload = z.looseObject({
  state: z.enum(statusStates),
  taskId: z.string().optional(),
  attempt: count.optional(),
  detail: statusDetail.optional(),
});

/** Most bytes of a task on the wire (protocol.md §3: a dead letter must fit 1 MiB). */
export const maxTaskBytes = 512 * 1024;

/** A command line to run; times in ms, sizes in bytes. */
export const taskPayload = z.looseObject({
  command: z
    .array(z.string().max(128 * 1024))
    .min(1)
    .max(1024),
  cwd: z.string().min(1).max(4096).optional(),
  env: z.record(z.string().min(1).max(256), z.string().max(32 * 1024)).optional(),
  timeoutMs: z
    .int()
    .positive()
    .max(7 * 24 * 3_600_000)
    .optional(),
  outputLimitBytes: z.int().positive().optional(),
});

/** Schema of each known type. */
export const payloadSchemas = {
  'vak.events.tokens': tokensPayload,
  'vak.events.terminal': terminalPayload,
  'vak.events.telemetry': telemetryPayload,
  'vak.events.status': statusPayload,
  'vak.work.task': taskPayload,
} as const;

/** A type with a schema. */
export type KnownType = keyof typeof payloadSchemas;
/** The parsed payload of a known type. */
export type PayloadOf<T extends KnownType> = z.infer<(typeof payloadSchemas)[T]>;
export type TokensPayload = PayloadOf<'vak.events.tokens'>;
export type TerminalPayload = PayloadOf<'vak.events.terminal'>;
export type TelemetryPayload = PayloadOf<'vak.events.telemetry'>;
export type StatusPayload = PayloadOf<'vak.events.status'>;
export type TaskPayload = PayloadOf<'vak.work.task'>;

/** Whether a type has a schema. */
export function isKnownType(type: string): type is KnownType {
  return Object.hasOwn(payloadSchemas, type);
}

/** Names the first field that broke a schema, without its value. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'does not fit its schema';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** Checks a value against the schema of its type; throws `invalid-payload` that names the field. */
export function checkPayload<T extends KnownType>(type: T, value: unknown): PayloadOf<T> {
  const result = payloadSchemas[type].safeParse(value);
  if (result.success) return result.data as PayloadOf<T>;
  throw new VakError('invalid-payload', `${type}: ${firstIssue(result.error)}`);
}

/** Decodes the JSON bytes of a known type; throws `invalid-payload` that says what and where. */
export function decodePayload<T extends KnownType>(type: T, bytes: Uint8Array): PayloadOf<T> {
  const text = toTextStrict(bytes, type);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new VakError('invalid-payload', `${type}: not valid JSON (${bytes.length} bytes)`, { cause });
  }
  return checkPayload(type, value);
}
