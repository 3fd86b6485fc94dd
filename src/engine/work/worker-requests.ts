/**
 * What is asked of a worker on `vak.control.<ws>.<peer>.run` and `.cancel`, and what it answers.
 * Law: both ends use these; a request that breaks its form is answered with `invalid-payload` that names the field.
 */
import { z } from 'zod';
import { utf8 } from '../../shared/base/bytes.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { parseJson, type TaskPayload, taskPayload } from '../../shared/protocol/payloads.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import { maxTaskBytes } from '../../shared/protocol/task-limits.ts';
import { readAnswer } from '../control/control-answer.ts';

const token = z.string().refine(isToken, 'expected 1–64 of A–Z a–z 0–9 _ -');
const withoutNul = (text: string): boolean => !text.includes('\0');

/** A task whose texts the system can take: no NUL bytes, a program, names of variables without `=`. */
const runnableTask = taskPayload
  .refine(({ command }) => command.every(withoutNul), { path: ['command'], message: 'holds a NUL byte' })
  .refine(({ command }) => command[0] !== '', {
    path: ['command', 0],
    message: 'expected a program, got an empty text',
  })
  .refine(({ cwd = '' }) => withoutNul(cwd), { path: ['cwd'], message: 'holds a NUL byte' })
  .refine(({ env = {} }) => Object.entries(env).every(([name, value]) => !/[=\0]/.test(name) && withoutNul(value)), {
    path: ['env'],
    message: 'a name holds "=" or NUL, or a value holds NUL',
  });

const runRequest = z.object({ taskId: token, session: token, task: runnableTask });
const cancelRequest = z.object({ taskId: token, session: token });
const doneAnswer = z.object({ ok: z.literal(true) });

/** Asks a worker to run a task. */
export interface RunRequest {
  readonly taskId: string;
  /** Of the worker that is asked: another one of its name does not follow it. */
  readonly session: string;
  readonly task: TaskPayload;
}

/** Asks a worker to end the task that it runs. */
export interface CancelRequest {
  readonly taskId: string;
  /** As {@link RunRequest.session}. */
  readonly session: string;
}

/** Most bytes of a request: a task and two ids. In base64 and with the attributes of its envelope that is two thirds of E2's bound. */
const maxRequestBytes = maxTaskBytes + 1024;

function decode<T>(schema: z.ZodType<T>, data: Uint8Array, name: string): T {
  if (data.length > maxRequestBytes) {
    throw new VakError('invalid-payload', `${name}: ${data.length} bytes, at most ${maxRequestBytes} are taken`);
  }
  const result = schema.safeParse(parseJson(data, name));
  if (result.success) return result.data;
  throw new VakError('invalid-payload', `${name}: ${firstIssue(result.error)}`);
}

/** Checks a task that is to be run; throws `invalid-payload` that names the field. */
export function checkRunnable(task: unknown): TaskPayload {
  const result = runnableTask.safeParse(task);
  if (result.success) return result.data;
  throw new VakError('invalid-payload', `task: ${firstIssue(result.error)}`);
}

/** Encodes a request; throws `limit-exceeded` if the task is too large (protocol.md §3). */
export function encodeRequest(request: RunRequest | CancelRequest): Uint8Array {
  const data = utf8(JSON.stringify(request));
  if (data.length <= maxRequestBytes) return data;
  throw new VakError(
    'limit-exceeded',
    `task: ${data.length} bytes, at most ${maxTaskBytes} are allowed; pass less in command and env`,
  );
}

/** Reads a run request; throws `invalid-payload`. */
export function decodeRunRequest(data: Uint8Array): RunRequest {
  return decode(runRequest, data, 'run');
}

/** Reads a cancel request; throws `invalid-payload`. */
export function decodeCancelRequest(data: Uint8Array): CancelRequest {
  return decode(cancelRequest, data, 'cancel');
}

/** Reads a worker's answer: returns when it is `{ok: true}`, throws the error that it tells, or `invalid-payload`. */
export function checkAnswer(data: Uint8Array): void {
  readAnswer(doneAnswer, data, maxRequestBytes);
}
