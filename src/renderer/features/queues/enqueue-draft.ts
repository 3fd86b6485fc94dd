/**
 * A task that was typed, over restarts of the app. Pure.
 * Law: values of environment variables are not written down, they may be secret; a name without its value is refused until it has one.
 */
import { type EnqueueFields, emptyFields } from './enqueue-form.ts';

/** Names of the drafts in the view store. */
export const draftName = 'enqueue';
export const lastUsedName = 'enqueue.last';

function withoutValues(env: string): string {
  return env
    .split('\n')
    .map((line) => line.split('=', 1)[0] ?? '')
    .join('\n');
}

/** As it is kept; empty if there is nothing to keep. */
export function draftOf(fields: EnqueueFields): string {
  const kept = { ...fields, env: withoutValues(fields.env) };
  const isEmpty = Object.entries(kept).every(([name, text]) => name === 'queue' || name === 'kind' || text === '');
  return isEmpty ? '' : JSON.stringify(kept);
}

/** The fields of a draft; undefined: there is none that can be read. */
export function fieldsOfDraft(text: string | undefined): EnqueueFields | undefined {
  if (text === undefined || text === '') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const found = new Map(Object.entries(parsed));
  const read = (name: keyof EnqueueFields): string => {
    const value: unknown = found.get(name);
    return typeof value === 'string' ? value : emptyFields[name];
  };
  return {
    queue: read('queue'),
    kind: read('kind') === 'input' ? 'input' : 'command',
    line: read('line'),
    input: read('input'),
    cwd: read('cwd'),
    env: read('env'),
    timeoutSeconds: read('timeoutSeconds'),
    maxRetries: read('maxRetries'),
    approval: read('approval'),
  };
}
