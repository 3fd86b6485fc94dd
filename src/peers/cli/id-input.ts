/** Ids of envelopes as people copy them from other commands. */
import { VakError } from '../../shared/base/vak-error.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks the argument ID. `source`: the command that prints it. Throws `invalid-input`. */
export function readId(text: string, source: string): string {
  if (uuid.test(text)) return text;
  throw new VakError('invalid-input', `ID: found ${text.length} characters, allowed: an id as ${source} prints it`);
}
