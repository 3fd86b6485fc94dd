/** `vak subject parse|match|overlap`: the algebra of subjects and patterns (protocol.md S1–S4). */
import { VakError } from '../../shared/base/vak-error.ts';
import {
  checkPattern,
  covers,
  matches,
  overlaps,
  parseSubject,
  subjectRows,
  typeOfSubject,
} from '../../shared/protocol/subject.ts';
import { type Command, exitCodes } from './command.ts';

/** A subject of any kind, ours or foreign: a pattern without wildcards. Throws `invalid-subject`. */
function checkLiteral(text: string, field: string): string {
  if (/[*>]/.test(text)) {
    throw new VakError(
      'invalid-subject',
      `${field}: holds a wildcard; to compare two patterns see vak subject overlap`,
    );
  }
  return checkNamed(text, field);
}

/** A pattern; the error says which argument it is. Throws `invalid-pattern`. */
function checkNamed(text: string, field: string): string {
  try {
    return checkPattern(text);
  } catch (error) {
    throw new VakError('invalid-pattern', `${field}: ${(error as Error).message}`, { cause: error });
  }
}

const parse: Command = {
  words: ['subject', 'parse'],
  changes: 'nothing',
  args: ['SUBJECT'],
  options: {},
  summary: 'Takes a subject of the fabric apart.',
  notes: `Prints {plane, workspace, entity, kind, verb, type}; kind is what the entity names: session, queue, peer, room or service.
Anything that fits no row of the table is exit code 2, and stderr names the part that is wrong.`,
  example: 'vak subject parse vak.work.default.builds.task',
  run({ args: [subject = ''] }, { output }) {
    const parts = parseSubject(subject);
    const { plane, workspace, entity, verb } = parts;
    const kind = subjectRows.find((row) => row.plane === plane)?.entity;
    const value = { plane, workspace, entity, kind, verb, type: typeOfSubject(parts) };
    const rows = Object.entries(value).map(([name, text]) => `${name.padEnd(10)} ${text}`);
    output.data(value, rows.join('\n'));
    return Promise.resolve(undefined);
  },
};

const match: Command = {
  words: ['subject', 'match'],
  changes: 'nothing',
  args: ['PATTERN', 'SUBJECT'],
  options: {},
  summary: 'Says whether a subject is matched by a pattern.',
  notes: `Prints {matches}; exit code 1 if it is not. "*" stands for one token, ">" (last only) for one or more. The subject may be a
foreign one. Quote patterns: the shell has its own use for * and >.`,
  example: "vak subject match 'vak.events.default.*.status' vak.events.default.s-1.status",
  run({ args: [pattern = '', subject = ''] }, { output }) {
    const isMatch = matches(checkNamed(pattern, 'PATTERN'), checkLiteral(subject, 'SUBJECT'));
    output.data({ matches: isMatch }, isMatch ? 'matches' : 'does not match');
    return Promise.resolve(isMatch ? exitCodes.done : exitCodes.no);
  },
};

const overlap: Command = {
  words: ['subject', 'overlap'],
  changes: 'nothing',
  args: ['P1', 'P2'],
  options: {},
  summary: 'Says whether some subject is matched by both patterns.',
  notes: `Prints {overlaps, firstCoversSecond, secondCoversFirst}; exit code 1 if they do not overlap. A pattern covers another if it
matches every subject that the other matches.`,
  example: "vak subject overlap 'vak.work.>' 'vak.*.default.builds.task'",
  run({ args: [first = '', second = ''] }, { output }) {
    const [left, right] = [checkNamed(first, 'P1'), checkNamed(second, 'P2')];
    const isOverlap = overlaps(left, right);
    const value = {
      overlaps: isOverlap,
      firstCoversSecond: covers(left, right),
      secondCoversFirst: covers(right, left),
    };
    const covering = [
      value.firstCoversSecond ? ', the first covers the second' : '',
      value.secondCoversFirst ? ', the second covers the first' : '',
    ];
    output.data(value, isOverlap ? `overlap${covering.join('')}` : 'do not overlap');
    return Promise.resolve(isOverlap ? exitCodes.done : exitCodes.no);
  },
};

export const subjectCommands: readonly Command[] = [parse, match, overlap];
