/** The task that a line of `vak task submit` asks for, checked as its worker will check it (protocol.md §3, W2). */
import { checkForWorker } from '../../engine/work/queue-for-task.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { CliHost, CommandInput } from './command.ts';
import { readCountUpTo, readSeconds } from './number-input.ts';
import { readPayload } from './publish-payload.ts';

/** A task that fits its schema. */
export interface Submission {
  /** As it came, if the line adds nothing to it: then not a digit of it changes. */
  readonly bytes: Uint8Array;
  /** What it says itself; undefined: as many as its queue allows. */
  readonly maxRetries: number | undefined;
}

const type = 'vak.work.task';
/** As its schema has it. */
const mostRetries = 100;

/** `NAME=VALUE`, once for each. Throws `invalid-input`. */
function readEnv(pairs: readonly string[]): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined;
  const env: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) {
      throw new VakError('invalid-input', `--env: found ${pair.length} characters, allowed: NAME=VALUE`);
    }
    env[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return env;
}

/** What the options say of the task. */
function readFields({ option, options }: CommandInput) {
  const [retries, timeout, cwd] = [option('max-retries'), option('timeout'), option('cwd')];
  const env = readEnv(options('env'));
  return {
    ...(retries === undefined ? {} : { maxRetries: readCountUpTo(retries, '--max-retries', mostRetries) }),
    ...(timeout === undefined ? {} : { timeoutMs: readSeconds(timeout, '--timeout') }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  };
}

/** Reads the task of a line. Throws `invalid-input`, `invalid-payload` that name the option or field, `limit-exceeded`, `aborted`. */
export async function readSubmission(input: CommandInput, host: CliHost): Promise<Submission> {
  const { rest, option } = input;
  const given = option('json-task');
  if (given !== undefined && rest !== undefined) {
    throw new VakError('invalid-input', '--json-task: the task is given twice; leave out what stands after --');
  }
  if (given === undefined && (rest?.length ?? 0) === 0) {
    throw new VakError('invalid-input', 'COMMAND: missing; write it after --, or give a task with --json-task');
  }
  const fields = readFields(input);
  const bytes = given === undefined ? utf8(JSON.stringify({ command: rest })) : await readPayload(given, host);
  const asGiven = decodePayload(type, bytes);
  if (Object.keys(fields).length === 0) {
    checkForWorker(asGiven);
    return { bytes, maxRetries: asGiven.maxRetries };
  }
  const env = fields.env === undefined ? {} : { env: { ...asGiven.env, ...fields.env } };
  const whole = utf8(JSON.stringify({ ...asGiven, ...fields, ...env }));
  const task = decodePayload(type, whole);
  checkForWorker(task);
  return { bytes: whole, maxRetries: task.maxRetries };
}
