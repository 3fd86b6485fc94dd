/** Ids of envelopes as people copy them from other commands. */
import { VakError } from '../../shared/base/vak-error.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks the argument ID. `source`: the command that prints it. Throws `invalid-input`. */
export function readId(text: string, source: string): string {
  if (uuid.test(text)) return text;
  throw new VakError('invalid-input', `ID: found ${text.length} characters, allowed: an id as ${source} prints it`);
}

/** When an id was made by its maker's clock, ms since the epoch: one of version 7 begins with that. Undefined: it does not say. */
export function madeAtMs(id: string): number | undefined {
  if (uuid.exec(id)?.[1] !== '7') return undefined;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
