/**
 * Names of buckets and of what lies in them (protocol.md B5).
 * Law: what is no name is refused before anything is looked up, with the field named.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { isToken } from '../../../shared/protocol/subject.ts';

const maxKeyLength = 512;
/** A stream's name (§1) is longer than a token, and a bucket's is made as one. */
const bucketForm = /^[A-Za-z0-9_-]{1,200}$/;

function refuse(field: string, expected: string, found: unknown): VakError {
  const got = typeof found === 'string' ? `${found.length} characters` : typeof found;
  return new VakError('invalid-input', `${field}: expected ${expected}, got ${got}`, { details: { field } });
}

/** Throws `invalid-input` for what is no name of a bucket. */
export function checkBucketName(name: unknown): void {
  if (typeof name === 'string' && bucketForm.test(name)) return;
  throw refuse('bucket', '1–200 of A–Z a–z 0–9 _ -', name);
}

/** Throws `invalid-input` for what is no key of a value: tokens joined by dots. */
export function checkValueKey(key: unknown): void {
  if (typeof key === 'string' && key.length <= maxKeyLength && key.split('.').every(isToken)) return;
  throw refuse('key', `tokens joined by dots, at most ${maxKeyLength} characters`, key);
}

/** Throws `invalid-input` for what is no name of an object. */
export function checkObjectName(name: unknown): void {
  if (typeof name === 'string' && isToken(name)) return;
  throw refuse('name', '1–64 of A–Z a–z 0–9 _ -', name);
}
