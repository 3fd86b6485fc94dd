/** Reads the fields of "Run a command" into a task. Pure. */
import type { TaskPayload } from '../../../shared/protocol/payloads.ts';
import { lineFault } from '../../ui/line-fault.ts';

export interface RunFields {
  readonly line: string;
  readonly cwd: string;
  readonly timeoutSeconds: string;
}

/** What is wrong, by field. */
export type RunErrors = Partial<Record<keyof RunFields, string>>;

export type RunForm =
  | { readonly kind: 'ready'; readonly task: Pick<TaskPayload, 'command' | 'cwd' | 'timeoutMs'> }
  | { readonly kind: 'wrong'; readonly errors: RunErrors };

const maxTimeoutSeconds = 7 * 24 * 3600;

/** The line is not taken apart here: the shell does that, so quotes, pipes and variables mean what they always mean. */
export function readRunForm({ line, cwd, timeoutSeconds }: RunFields): RunForm {
  const errors: RunErrors = {};
  const fault = lineFault(line);
  if (fault !== undefined) errors.line = fault;
  const folder = cwd.trim();
  if (folder !== '' && !folder.startsWith('/')) errors.cwd = 'Give the whole path, from / on.';
  const timeoutText = timeoutSeconds.trim();
  const timeoutMs = Math.round(Number(timeoutText) * 1000);
  if (timeoutText !== '' && !(timeoutMs >= 1 && timeoutMs <= maxTimeoutSeconds * 1000)) {
    errors.timeoutSeconds = `Give seconds, more than 0 and at most ${maxTimeoutSeconds} (7 days).`;
  }
  if (Object.keys(errors).length > 0) return { kind: 'wrong', errors };
  return {
    kind: 'ready',
    task: {
      command: ['/bin/sh', '-c', line],
      ...(folder === '' ? {} : { cwd: folder }),
      ...(timeoutText === '' ? {} : { timeoutMs }),
    },
  };
}
