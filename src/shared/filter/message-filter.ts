/**
 * What may be typed to find messages in Streams (docs/spec/streams.md V1).
 * Law: window and engine read the same words; the engine decides, the window marks what is wrong.
 */
import { isVakError } from '../base/vak-error.ts';
import { checkPattern } from '../protocol/subject.ts';
import { chainMarks } from '../protocol/trust-marks.ts';
import { type FilterFault, type FilterField, type FilterTerm, type ReadFilter, readFilter } from './typed-filter.ts';

/** The fields of a filter about messages. */
export const messageFields: readonly FilterField[] = [
  { name: 'subject', kind: 'text', help: 'part of the subject, or a pattern with * or >' },
  { name: 'type', kind: 'text', help: 'part of the type, or foreign' },
  { name: 'peer', kind: 'text', help: 'who sent it' },
  { name: 'session', kind: 'text', help: 'id of the session, or its beginning' },
  { name: 'trace', kind: 'text', help: 'id of the trace, or its beginning' },
  { name: 'trust', kind: 'choice', choices: ['accepted', 'refused'], help: 'whether it counts here' },
  { name: 'verdict', kind: 'choice', choices: chainMarks, help: 'place in its source’s chain' },
  { name: 'signature', kind: 'choice', choices: ['valid', 'invalid', 'unsigned', 'none'], help: 'of the envelope' },
  { name: 'sealed', kind: 'choice', choices: ['yes', 'no', 'fails'], help: 'whether the payload is, and opens' },
  { name: 'size', kind: 'number', help: 'bytes of the message' },
  { name: 'after', kind: 'time', help: 'came at that time or later' },
  { name: 'before', kind: 'time', help: 'came before that time' },
];

/** Whether a subject is asked for by a pattern, and not by a part of it. */
export const isSubjectPattern = (text: string): boolean => /[*>]/.test(text);

function patternFault(term: FilterTerm): FilterFault | undefined {
  if (term.kind !== 'field' || term.field !== 'subject' || !isSubjectPattern(term.text)) return undefined;
  try {
    checkPattern(term.text);
    return undefined;
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { from: term.from, to: term.to, message: `subject: ${error.message}` };
  }
}

/** Reads a filter about messages; a subject's pattern that is none is a fault too. Never throws. */
export function readMessageFilter(text: string, nowMs: number): ReadFilter {
  const { terms, faults } = readFilter(text, messageFields, nowMs);
  return { terms, faults: [...faults, ...terms.flatMap((term) => patternFault(term) ?? [])] };
}
