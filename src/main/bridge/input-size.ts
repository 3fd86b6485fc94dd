/** Bounds what a window may send before anything else looks at it. */
import { VakError } from '../../shared/base/vak-error.ts';

/** Most bytes of one input, about: text counts two bytes a character. */
export const maxInputBytes = 2 * 1024 * 1024;
const maxNodes = 100_000;
const maxDepth = 32;

/** Throws `limit-exceeded` if a structured clone is too large, too deep or of too many parts. Reads no getter: clones have none. */
export function checkInputSize(method: string, input: unknown): void {
  let bytes = 0;
  let nodes = 0;
  const fail = (what: string): never => {
    throw new VakError('limit-exceeded', `${method}: the input is ${what}`);
  };
  const visit = (value: unknown, depth: number): void => {
    if (++nodes > maxNodes) fail(`of more than ${maxNodes} parts`);
    if (depth > maxDepth) fail(`nested deeper than ${maxDepth}`);
    if (typeof value === 'string') bytes += value.length * 2;
    else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) bytes += value.byteLength;
    else if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else if (value instanceof Map || value instanceof Set) fail('of a kind that no call takes');
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        bytes += key.length * 2;
        visit(item, depth + 1);
      }
    }
    if (bytes > maxInputBytes) fail(`larger than ${maxInputBytes} bytes`);
  };
  visit(input, 0);
}
