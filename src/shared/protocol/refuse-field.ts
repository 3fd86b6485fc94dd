/**
 * The error of a field that breaks a rule of the protocol (E1, E2).
 * Law: it names the field and says what was expected, with types and lengths, never with the value.
 */
import { type ErrorCode, VakError } from '../base/vak-error.ts';

/** Throws a VakError (`invalid-payload`, unless told otherwise) whose message begins with the field and whose details name it. */
export function refuseField(field: string, why: string, code: ErrorCode = 'invalid-payload'): never {
  throw new VakError(code, `${field}: ${why}`, { details: { field } });
}

/** What a value is, for a message: `number`, `null`, `12 characters`. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
