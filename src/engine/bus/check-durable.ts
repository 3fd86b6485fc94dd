/**
 * What streams and consumers accept, on every engine (protocol.md B3, B4).
 * Law: every value from outside is checked before anything is changed, and the error names the field.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../shared/protocol/stream-table.ts';
import { checkPattern, maxSubjectLength } from '../../shared/protocol/subject.ts';
import type { AppendOptions, ConsumerSpec, PullOptions, ReadOptions } from './durable.ts';

const maxPull = 256;
const maxPage = 1_000;
const maxWaitMs = 3_600_000;
const maxMessageIdLength = 255;
const maxInFlightBound = 65_536;
/** Timers count milliseconds in 31 bits. */
const maxTimerMs = 2 ** 31 - 1;
/** The last time that a date can have, either way (ECMA-262 §21.4.1.1). */
const maxTimeMs = 8.64e15;
/** Of streams and consumers: longer than a token (S1), for they hold one. */
const nameForm = /^[A-Za-z0-9_-]{1,128}$/;
/** Tokens of an advisory's subject: `$JS` and names of streams are none of S1. */
const advisoryToken = /^\$?[A-Za-z0-9_-]{1,128}$/;
const messageIdForm = /^[\x21-\x7e]+$/;

function refusal(field: string, expected: string, found: unknown): string {
  const got = typeof found === 'string' ? `${found.length} characters` : typeof found;
  return `${field}: expected ${expected}, got ${got}`;
}

function refuse(field: string, expected: string, found: unknown): VakError {
  return new VakError('invalid-input', refusal(field, expected, found), { details: { field } });
}

function refusePattern(field: string, found: unknown): VakError {
  return new VakError('invalid-pattern', refusal(field, 'a pattern', found), { details: { field } });
}

function checkNumber(field: string, value: unknown, range: { readonly min: number; readonly max: number }): void {
  if (Number.isSafeInteger(value) && (value as number) >= range.min && (value as number) <= range.max) return;
  throw refuse(field, `a whole number ${range.min}–${range.max}`, value);
}

const seqRange = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

/** A pattern as `isPattern` takes it, or one over the subjects of advisories. */
function checkStreamPattern(field: string, pattern: unknown): void {
  if (typeof pattern !== 'string') throw refusePattern(field, pattern);
  if (!pattern.startsWith('$')) {
    checkPattern(pattern);
    return;
  }
  const tokens = pattern.split('.');
  const isFine = tokens.every(
    (token, at) => token === '*' || advisoryToken.test(token) || (token === '>' && at === tokens.length - 1),
  );
  if (!isFine || pattern.length > maxSubjectLength) throw refusePattern(field, pattern);
}

function checkName(name: string): void {
  if (!nameForm.test(name)) throw refuse('name', '1–128 of A–Z a–z 0–9 _ -', name);
}

/** Throws `invalid-input`, `invalid-pattern`. */
export function checkStreamSpec(spec: StreamSpec): void {
  checkName(spec.name);
  if (spec.subjects.length === 0) throw refuse('subjects', 'one pattern at least', spec.subjects);
  for (const subject of spec.subjects) checkStreamPattern('subjects', subject);
  if (!['limits', 'interest', 'work-queue'].includes(spec.retention)) {
    throw refuse('retention', 'limits, interest or work-queue', spec.retention);
  }
  if (!['refuse-new', 'drop-old'].includes(spec.whenFull)) {
    throw refuse('whenFull', 'refuse-new or drop-old', spec.whenFull);
  }
  const positive = { min: 1, max: Number.MAX_SAFE_INTEGER };
  if (spec.maxAgeMs !== null) checkNumber('maxAgeMs', spec.maxAgeMs, positive);
  if (spec.maxBytes !== null) checkNumber('maxBytes', spec.maxBytes, positive);
  checkNumber('dedupeWindowMs', spec.dedupeWindowMs, seqRange);
}

/** Throws `invalid-input`, `invalid-pattern`. */
export function checkConsumerSpec(spec: ConsumerSpec): void {
  checkName(spec.name);
  checkStreamPattern('filter', spec.filter);
  checkNumber('ackWaitMs', spec.ackWaitMs, { min: 1, max: maxTimerMs });
  checkNumber('maxDeliver', spec.maxDeliver, { min: 1, max: 2 ** 32 - 1 });
  checkNumber('maxInFlight', spec.maxInFlight, { min: 1, max: maxInFlightBound });
  if (spec.start !== 'all' && spec.start !== 'new') throw refuse('start', 'all or new', spec.start);
}

/** Throws `invalid-input`, `aborted`. */
export function checkAppend({ messageId, expectedLastSeq, signal }: AppendOptions): void {
  const isId = messageId === undefined || (messageId.length <= maxMessageIdLength && messageIdForm.test(messageId));
  if (!isId) throw refuse('messageId', `1–${maxMessageIdLength} visible ASCII characters`, messageId);
  if (expectedLastSeq !== undefined) checkNumber('expectedLastSeq', expectedLastSeq, seqRange);
  if (signal?.aborted) throw new VakError('aborted', 'append: cancelled');
}

/** Throws `invalid-input`. */
export function checkPull({ batch, waitMs }: PullOptions): void {
  checkNumber('batch', batch, { min: 1, max: maxPull });
  checkNumber('waitMs', waitMs, { min: 0, max: maxWaitMs });
}

/** Throws `invalid-input`. */
export function checkDelay(delayMs: number): void {
  checkNumber('delayMs', delayMs, { min: 0, max: maxTimerMs });
}

/** Throws `invalid-input`, `invalid-pattern`, `aborted`. */
export function checkRead({ fromSeq, fromMs, subject, limit, signal }: ReadOptions): void {
  checkNumber('limit', limit, { min: 1, max: maxPage });
  if (fromSeq !== undefined) checkNumber('fromSeq', fromSeq, seqRange);
  if (fromMs !== undefined && !(Math.abs(fromMs) <= maxTimeMs)) throw refuse('fromMs', 'a time in ms', fromMs);
  if (subject !== undefined) checkStreamPattern('subject', subject);
  if (signal?.aborted) throw new VakError('aborted', 'read: cancelled');
}

/** Throws `invalid-pattern`, `invalid-input`. */
export function checkPurge(subject: string | undefined, upToSeq?: number): void {
  if (subject !== undefined) checkStreamPattern('subject', subject);
  if (upToSeq !== undefined && !(Number.isSafeInteger(upToSeq) && upToSeq >= 0)) {
    throw new VakError('invalid-input', 'upToSeq: expected a whole number from 0', { details: { field: 'upToSeq' } });
  }
}
