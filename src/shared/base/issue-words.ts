/**
 * What a schema found wrong, in words for people: what is wanted, with sizes and units, and never the value.
 * Law: nothing of the schema library's own wording reaches a person; a text that a schema gives itself is taken as it is.
 */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const maxPathCharacters = 120;
const thinSpace = '\u202f';
const unitSpace = '\u00a0';
const kib = 1024;

/** How the schema library begins its own texts. */
const isStock = ({ message }: Pick<Issue, 'message'>): boolean =>
  /^(Invalid|Too (big|small)|Unrecognized)/.test(message);

const grouped = (value: number | bigint): string => String(value).replace(/\B(?=(\d{3})+$)/g, thinSpace);

/** `131 072 characters (128 KiB)`. */
function charactersWords(count: number | bigint): string {
  const whole = Number(count);
  const size = whole >= kib && whole % kib === 0 ? ` (${grouped(whole / kib)}${unitSpace}KiB)` : '';
  return `${grouped(count)} ${whole === 1 ? 'character' : 'characters'}${size}`;
}

const entriesWords = (count: number | bigint): string =>
  `${grouped(count)} ${Number(count) === 1 ? 'entry' : 'entries'}`;

function tooBigWords({ origin, maximum, inclusive }: Extract<Issue, { code: 'too_big' }>): string {
  if (origin === 'string') return `it is longer than ${charactersWords(maximum)}; shorten it`;
  if (origin === 'number' || origin === 'int' || origin === 'bigint')
    return inclusive === false ? `give less than ${grouped(maximum)}` : `give at most ${grouped(maximum)}`;
  return `it has more than ${entriesWords(maximum)}; give fewer`;
}

function tooSmallWords({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): string {
  const isOne = Number(minimum) === 1;
  if (origin === 'string') return isOne ? 'it is empty' : `it is shorter than ${charactersWords(minimum)}`;
  if (origin === 'number' || origin === 'int' || origin === 'bigint')
    return inclusive === false ? `give more than ${grouped(minimum)}` : `give at least ${grouped(minimum)}`;
  return isOne ? 'it is empty' : `it has fewer than ${entriesWords(minimum)}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  never: 'nothing',
};

function typeWords({ expected, message }: Extract<Issue, { code: 'invalid_type' }>): string {
  if (message.endsWith('received undefined')) return 'it is missing';
  return `it must be ${kinds[expected] ?? 'of another kind'}`;
}

/** What is wrong, without where. */
function wordsOf(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') {
    // Keys that were not expected are counted, not named: they may be anything.
    return issue.keys.length === 1 ? '1 unknown key' : `${grouped(issue.keys.length)} unknown keys`;
  }
  if (!isStock(issue)) return issue.message;
  switch (issue.code) {
    case 'too_big':
      return tooBigWords(issue);
    case 'too_small':
      return tooSmallWords(issue);
    case 'invalid_type':
      return typeWords(issue);
    case 'invalid_value':
      return `it must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return 'it is not written as it has to be';
    default:
      return 'it is of none of the kinds that are taken';
  }
}

/** The first thing wrong, as `field.path: what`; no value is in it. */
export function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'it does not fit its schema';
  const path = issue.path.map(String).join('.').slice(0, maxPathCharacters);
  return path === '' ? wordsOf(issue) : `${path}: ${wordsOf(issue)}`;
}
