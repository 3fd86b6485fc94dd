/** Reads the fields of "Enqueue a task" into a task, and finds the field that an error of the engine speaks of. Pure. */
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { PayloadOf } from '../../../shared/protocol/payloads.ts';
import { isToken } from '../../../shared/protocol/subject.ts';
import { maxTaskBytes } from '../../../shared/protocol/task-limits.ts';
import { formatBytes } from '../../ui/format.ts';
import { lineFault } from '../../ui/line-fault.ts';
import { readExactJson } from './exact-json.ts';

/** As they are typed. */
export interface EnqueueFields {
  readonly queue: string;
  readonly kind: 'command' | 'input';
  /** For the shell. */
  readonly line: string;
  /** JSON for the handler of the worker. */
  readonly input: string;
  readonly cwd: string;
  /** `NAME=value`, one a line. */
  readonly env: string;
  readonly timeoutSeconds: string;
  readonly maxRetries: string;
  /** What is asked before it runs; empty: nothing. */
  readonly approval: string;
}

export type EnqueueErrors = Partial<Record<keyof EnqueueFields, string>>;
type WorkTask = PayloadOf<'vak.work.task'>;

export type EnqueueForm =
  | { readonly kind: 'ready'; readonly queue: string; readonly task: WorkTask }
  | { readonly kind: 'wrong'; readonly errors: EnqueueErrors };

export const emptyFields: EnqueueFields = {
  queue: '',
  kind: 'command',
  line: '',
  input: '',
  cwd: '',
  env: '',
  timeoutSeconds: '',
  maxRetries: '',
  approval: '',
};

const maxTimeoutSeconds = 7 * 24 * 3600;
const maxRetries = 100;

/** A part of the task, or what is wrong with the field. */
type Part = { readonly task: Partial<WorkTask> } | { readonly wrong: string };

function readWork({ kind, line, input }: EnqueueFields): Part {
  if (kind === 'command') {
    const wrong = lineFault(line);
    return wrong === undefined ? { task: { command: ['/bin/sh', '-c', line] } } : { wrong };
  }
  if (input.trim() === '') return { wrong: 'Type the JSON that the handler is given.' };
  try {
    return { task: { input: readExactJson(input, 'input') } };
  } catch (error) {
    if (error instanceof VakError) return { wrong: `${error.message}.` };
    throw error;
  }
}

function readEnv(text: string): Part {
  const env = new Map<string, string>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `Line ${at + 1}`;
    const [, name = '', equals, value = ''] = /^\s*([^=\s]*)\s*(=?)(.*)$/s.exec(line) ?? [];
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return { wrong: `${place}: begin it with a name, as in NAME=value.` };
    if (equals === '') return { wrong: `${place}: ${name} has no value; write ${name}=value.` };
    if (env.has(name)) return { wrong: `${place}: ${name} stands there twice.` };
    env.set(name, value);
  }
  return { task: env.size === 0 ? {} : { env: Object.fromEntries(env) } };
}

function readCwd(text: string): Part {
  const cwd = text.trim();
  if (cwd === '') return { task: {} };
  return cwd.startsWith('/') ? { task: { cwd } } : { wrong: 'Give the whole path, from / on.' };
}

function readTimeout(text: string): Part {
  if (text.trim() === '') return { task: {} };
  const timeoutMs = Math.round(Number(text.trim()) * 1000);
  return timeoutMs >= 1 && timeoutMs <= maxTimeoutSeconds * 1000
    ? { task: { timeoutMs } }
    : { wrong: `Give seconds, more than 0 and at most ${maxTimeoutSeconds} (7 days).` };
}

function readRetries(text: string): Part {
  if (text.trim() === '') return { task: {} };
  const wanted = Number(text.trim());
  return Number.isInteger(wanted) && wanted >= 0 && wanted <= maxRetries
    ? { task: { maxRetries: wanted } }
    : { wrong: `Give a whole number from 0 to ${maxRetries}.` };
}

function readApproval(text: string): Part {
  const title = text.trim();
  return { task: title === '' ? {} : { approval: { title } } };
}

function readQueue(text: string): Part {
  const name = text.trim();
  if (name === '') return { wrong: 'Choose a queue, or name a new one.' };
  return isToken(name) ? { task: {} } : { wrong: 'Letters, digits, _ and - only, at most 64.' };
}

/** A task is one message: what it works on is named in it, not put into it. */
function sizeFault(task: WorkTask): string | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(task)).length;
  if (bytes <= maxTaskBytes) return undefined;
  return `The task has ${formatBytes(bytes)}, and at most ${formatBytes(maxTaskBytes)} are taken: put what it works on into a file, and name that.`;
}

/** What the engine cannot know, and what can be said of all fields at once. */
export function readEnqueueForm(fields: EnqueueFields): EnqueueForm {
  const parts: readonly (readonly [keyof EnqueueFields, Part])[] = [
    ['queue', readQueue(fields.queue)],
    [fields.kind === 'command' ? 'line' : 'input', readWork(fields)],
    ['cwd', readCwd(fields.cwd)],
    ['env', readEnv(fields.env)],
    ['timeoutSeconds', readTimeout(fields.timeoutSeconds)],
    ['maxRetries', readRetries(fields.maxRetries)],
    ['approval', readApproval(fields.approval)],
  ];
  const errors: EnqueueErrors = {};
  let task: WorkTask = {};
  for (const [field, part] of parts) {
    if ('wrong' in part) errors[field] = part.wrong;
    else task = { ...task, ...part.task };
  }
  const tooLarge = sizeFault(task);
  if (tooLarge !== undefined) errors[fields.kind === 'command' ? 'line' : 'input'] ??= tooLarge;
  return Object.keys(errors).length > 0
    ? { kind: 'wrong', errors }
    : { kind: 'ready', queue: fields.queue.trim(), task };
}

/** Names that the engine may give a field. */
function fieldNamed(name: string, kind: EnqueueFields['kind']): keyof EnqueueFields | undefined {
  const work = kind === 'command' ? 'line' : 'input';
  const names = new Map<string, keyof EnqueueFields>([
    ['queue', 'queue'],
    ['command', work],
    ['input', work],
    ['cwd', 'cwd'],
    ['env', 'env'],
    ['timeoutMs', 'timeoutSeconds'],
    ['maxRetries', 'maxRetries'],
    ['approval', 'approval'],
  ]);
  return names.get(name);
}

/** `expected a text` as a sentence. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

const fieldCodes = ['invalid-input', 'invalid-payload', 'invalid-subject', 'conflict', 'limit-exceeded'] as const;

/** The error at its field (`task.env.PATH: …`, `details.field`); undefined if it names none. */
export function errorAtField(error: unknown, kind: EnqueueFields['kind']): EnqueueErrors | undefined {
  if (!(error instanceof VakError) || !fieldCodes.some((code) => isVakError(error, code))) return undefined;
  const parts = error.message.split(': ');
  const path = String(error.details?.['field'] ?? parts.slice(0, -1).join('.'));
  const wrong = sentence(parts.at(-1) ?? error.message);
  for (const name of path.split('.')) {
    const field = fieldNamed(name, kind);
    if (field !== undefined) return { [field]: wrong };
  }
  // The whole task, as when it is too large.
  return path === 'task' ? { [kind === 'command' ? 'line' : 'input']: wrong } : undefined;
}
