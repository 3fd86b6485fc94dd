/**
 * Fields that several payloads share (protocol.md §3).
 * Law: every field has a bound, and says what it is made of.
 */
import { z } from 'zod';
import { fromBase64Url } from '../base/base64url.ts';
import { fromBase64 } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import { maxArgumentLength } from './task-limits.ts';

/** A whole number from 0 to 2^53−1. */
export const count = z.int().nonnegative();

/** A name: S1's token. */
export const tokenField = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1–64 of A–Z a–z 0–9 _ -');

/** Text whose UTF-8 has at most `maxBytes` bytes. */
export function boundedText(maxBytes: number) {
  return z
    .string()
    .max(maxBytes)
    .refine((text) => utf8Length(text) <= maxBytes, `it is longer than ${maxBytes / 1024} KiB of UTF-8; shorten it`);
}

/** Bytes that a text has in UTF-8; a lone surrogate counts as the three bytes that replace it. */
function utf8Length(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isPair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) i++;
    length += isPair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return length;
}

/** A reason for people: at most 1 KiB (W4). */
export const reasonField = boundedText(1024);
/** A stack trace: at most 8 KiB (W4). */
export const stackField = boundedText(8 * 1024);
/** A class of errors, e.g. `TypeError`. */
export const errorClassField = z.string().min(1).max(256);
/** A line of words: a title, a summary. */
export const lineField = boundedText(1024);

/** Words of any kind that a person reads: at most 64 KiB. */
export const detailField = boundedText(64 * 1024);
/** A command line: a program and its arguments. */
export const commandField = z.array(z.string().max(maxArgumentLength)).min(1).max(1024);

/** 64 lower hex digits: SHA-256. */
export const hashField = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower hex digits');

/** A UUID in lower hex (E1). */
export const idField = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'expected a UUID in lower hex');

/** RFC 3339 in UTC, with upper-case T and Z (E1), of a day that exists. */
export const timeField = z
  .string()
  .max(64)
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/, 'expected a time like 2026-01-02T03:04:05Z')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'there is no such time');

/** Whether strict decoding takes the text: one text for one sequence of bytes. */
function decodes(text: string, decode: (text: string, field: string) => Uint8Array): boolean {
  try {
    decode(text, 'field');
    return true;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/** Canonical base64url without padding, of `min` to `max` bytes. */
export function base64UrlField({ min, max }: { readonly min: number; readonly max: number }) {
  return z
    .string()
    .min(Math.ceil((min * 4) / 3))
    .max(Math.ceil((max * 4) / 3))
    .refine((text) => decodes(text, fromBase64Url), 'expected canonical base64url without padding');
}

/** Canonical base64 with padding, of at most `max` bytes. */
export function base64Field({ max }: { readonly max: number }) {
  return z
    .string()
    .max(4 * Math.ceil(max / 3))
    .refine((text) => decodes(text, fromBase64), 'expected canonical base64');
}

/** `vak://<ws>/<peer>/<session>`, or a foreign source without `|` and control characters (E1). */
export const sourceField = z
  .string()
  .min(1)
  .max(1024)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  .regex(/^[^|\u0000-\u001f\u007f-\u009f]+$/, 'holds "|" or a control character');
