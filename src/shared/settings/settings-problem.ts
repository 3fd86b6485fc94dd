/**
 * What can be wrong with settings, in words (product.md "Configuration").
 * Law: a message gives key, type, length and what is allowed, never the value; a key that is itself a secret is not shown.
 */
import type { ErrorCode } from '../base/vak-error.ts';
import { visibleText } from '../base/visible-text.ts';
import { secretShapeOf } from './secret-shape.ts';
import type { SettingRow } from './setting-keys.ts';

/** At most so many problems of a file are listed. */
export const maxProblems = 100;

/** Something in the settings that is not used; the default stands in for it. */
export interface SettingsProblem {
  readonly code: Extract<ErrorCode, 'invalid-input' | 'secret-misplaced' | 'corrupt' | 'forbidden'>;
  /** Dotted key; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
}

/** Type and length of a value, for messages that must not show it. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string of ${value.length} characters`;
  if (Array.isArray(value)) return `array of ${value.length}`;
  return typeof value;
}

/** A key as a message may show it: on one line, cut, and not itself a secret. */
export function showKey(key: string): string {
  if (secretShapeOf(key) !== undefined) return `(a key of ${key.length} characters that looks like a secret)`;
  const text = visibleText(key);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The problem of a value under a row; undefined if it is fit. */
export function problemOf(row: SettingRow, value: unknown): SettingsProblem | undefined {
  if (typeof value === 'string') {
    const shape = secretShapeOf(value);
    if (shape !== undefined) return misplacedProblem(row.key, shape);
  }
  if (row.accepts(value)) return undefined;
  const message = `${row.key}: found ${describeValue(value)}, allowed: ${row.allowed}`;
  return { code: 'invalid-input', key: row.key, message };
}

/** The problem of a secret at a key; `what` says what kind it is. */
export function misplacedProblem(key: string, what: string): SettingsProblem {
  const shown = showKey(key);
  const message = `${shown}: holds ${what}; secrets stand in the environment or the key store only, remove it from the settings`;
  return { code: 'secret-misplaced', key: shown, message };
}

/** An object's own members. */
export type Fields = ReadonlyMap<string, unknown>;

/** Members of an object; undefined for anything else. */
export function fieldsOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}
