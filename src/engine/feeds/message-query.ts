/**
 * Which messages a filter means (docs/spec/streams.md V1).
 * Law: what costs least is asked first; a message is opened or its signature checked only where nothing cheaper has decided.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { isSubjectPattern, readMessageFilter } from '../../shared/filter/message-filter.ts';
import type { FilterTerm } from '../../shared/filter/typed-filter.ts';
import { matches } from '../../shared/protocol/subject.ts';
import { type TrustMarks, unpackMarks } from '../../shared/protocol/trust-marks.ts';
import type { HeldMessage } from './message-buffer.ts';
import type { RowReader } from './row-reader.ts';
import type { SubjectReader } from './subject-reader.ts';

/** Whether a message is meant. */
export type MessageMatcher = (held: HeldMessage) => boolean;

/** What a filter looks at. */
export interface MessageQueryDeps {
  readonly subjects: SubjectReader;
  readonly rows: RowReader;
}

type FieldTerm = FilterTerm & { readonly kind: 'field' };

interface Weighed {
  readonly cost: 0 | 1 | 2;
  readonly matches: MessageMatcher;
}

const compare = {
  ':': (a: number, b: number) => a === b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
};

const isSealed: Readonly<Record<string, (marks: TrustMarks) => boolean>> = {
  yes: ({ seal }) => seal === 'sealed' || seal === 'opens' || seal === 'fails',
  no: ({ seal }) => seal === 'none' || seal === 'plain' || seal === 'exempt',
  fails: ({ seal }) => seal === 'fails',
};

const trustMatchers: Readonly<Record<string, (marks: TrustMarks, text: string) => boolean>> = {
  trust: ({ isRefused }, text) => isRefused === (text === 'refused'),
  verdict: ({ chain }, text) => chain === text,
  signature: ({ signature }, text) => signature === text,
  sealed: (marks, text) => isSealed[text]?.(marks) === true,
};

function subjectMatcher(text: string): MessageMatcher {
  if (isSubjectPattern(text)) return ({ subject }) => matches(text, subject);
  const part = text.toLowerCase();
  return ({ subject }) => subject.toLowerCase().includes(part);
}

function fieldMatcher(term: FieldTerm, { subjects, rows }: MessageQueryDeps): Weighed {
  const { field, text, operator, value = 0 } = term;
  const part = text.toLowerCase();
  const begins = (whole: string | null): boolean => whole?.toLowerCase().startsWith(part) === true;
  switch (field) {
    case 'subject':
      return { cost: 0, matches: subjectMatcher(text) };
    case 'type':
      return { cost: 0, matches: ({ subject }) => subjects.read(subject).type.toLowerCase().includes(part) };
    case 'session':
      return { cost: 0, matches: ({ subject }) => begins(subjects.read(subject).session) };
    case 'size':
      return { cost: 0, matches: ({ data }) => compare[operator](data.length, value) };
    case 'after':
      return { cost: 0, matches: ({ atMs }) => atMs >= value };
    case 'before':
      return { cost: 0, matches: ({ atMs }) => atMs < value };
    case 'peer':
      return { cost: 1, matches: (held) => rows.peerOf(held)?.toLowerCase() === part };
    case 'trace':
      return { cost: 1, matches: (held) => begins(rows.traceOf(held)) };
    default: {
      const matcher = trustMatchers[field];
      if (matcher === undefined) throw new TypeError(`message filter: no field ${field}`);
      return { cost: 2, matches: (held) => matcher(unpackMarks(rows.read(held, true).marks), text) };
    }
  }
}

function wordMatcher(text: string, { rows }: MessageQueryDeps): Weighed {
  const part = text.toLowerCase();
  const has = (whole: string | null): boolean => whole?.toLowerCase().includes(part) === true;
  return { cost: 2, matches: (held) => has(held.subject) || has(rows.peerOf(held)) || has(rows.textOf(held)) };
}

/** A filter as it was typed; undefined: it means every message. Throws `invalid-input` with its first fault and that one's place. */
export function createMessageMatcher(text: string, nowMs: number, deps: MessageQueryDeps): MessageMatcher | undefined {
  const { terms, faults } = readMessageFilter(text, nowMs);
  const [fault] = faults;
  if (fault !== undefined) {
    throw new VakError('invalid-input', `filter, character ${fault.from + 1}: ${fault.message}`);
  }
  if (terms.length === 0) return undefined;
  const matchers = terms.map((term): Weighed => {
    const { cost, matches: isSo } = term.kind === 'word' ? wordMatcher(term.text, deps) : fieldMatcher(term, deps);
    return { cost, matches: term.isNot ? (held) => !isSo(held) : isSo };
  });
  matchers.sort((a, b) => a.cost - b.cost);
  return (held) => matchers.every((one) => one.matches(held));
}
