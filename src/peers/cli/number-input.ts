/** Numbers as people type them into options. */
import { VakError } from '../../shared/base/vak-error.ts';

/** A week. */
const maxSeconds = 7 * 24 * 3600;

/** Seconds, whole or with up to three digits behind the point, in ms. Throws `invalid-input`. */
export function readSeconds(text: string, field: string): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= maxSeconds) return Math.round(seconds * 1000);
  const allowed = `seconds above 0, at most ${maxSeconds}`;
  throw new VakError('invalid-input', `${field}: found ${text.length} characters, allowed: ${allowed}`);
}

/** A whole number from 0 to `max`. Throws `invalid-input`. */
export function readCountUpTo(text: string, field: string, max: number): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= max) return count;
  throw new VakError(
    'invalid-input',
    `${field}: found ${text.length} characters, allowed: a whole number, at most ${max}`,
  );
}

/** A place in a stream. Throws `invalid-input`. */
export function readSeq(text: string, field: string): number {
  const seq = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(seq)) return seq;
  throw new VakError('invalid-input', `${field}: found ${text.length} characters, allowed: a number from 1`);
}
