/** Bounds what a window may send before anything else looks at it. */
import { VakError } from '../../shared/base/vak-error.ts';

/** Most bytes of one input, about: text counts two bytes a character. */
export const maxInputBytes = 2 * 1024 * 1024;
/** Calls that take a file: 16 MiB of it as base64. */
const largeInputs: ReadonlyMap<string, number> = new Map([['rooms.attachBytes', 44 * 1024 * 1024]]);
const maxNodes = 100_000;
const maxDepth = 32;

/** Size of a value without its parts, in bytes; undefined for kinds that no call takes. */
function ownBytes(value: unknown): number | undefined {
  if (typeof value === 'string') return value.length * 2;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  return value instanceof Map || value instanceof Set ? undefined : 8;
}

/** The parts of an array or a plain object. Structured clones have no getters. */
function partsOf(value: unknown): readonly (readonly [key: string, part: unknown])[] {
  const isLeaf =
    typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
  return isLeaf ? [] : Object.entries(value);
}

const limitOf = (method: string): number => largeInputs.get(method) ?? maxInputBytes;

/** Throws `limit-exceeded` if a structured clone is too large, too deep or of too many parts. */
export function checkInputSize(method: string, input: unknown): void {
  const fail = (what: string): never => {
    throw new VakError('limit-exceeded', `${method}: the input is ${what}`);
  };
  const maxBytes = limitOf(method);
  let bytes = 0;
  let nodes = 0;
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) fail(`nested deeper than ${maxDepth}`);
    const next: unknown[] = [];
    for (const value of level) {
      if (++nodes > maxNodes) fail(`of more than ${maxNodes} parts`);
      bytes += ownBytes(value) ?? fail('of a kind that no call takes');
      for (const [key, part] of partsOf(value)) {
        bytes += key.length * 2;
        next.push(part);
      }
      if (bytes > maxBytes) fail(`larger than ${maxBytes / 1024 / 1024} MiB; send less at once`);
    }
    level = next;
  }
}
