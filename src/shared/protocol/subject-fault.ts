/**
 * Where a subject or pattern is wrong, and why, for whoever types it (protocol.md S1, S2, S4).
 * Law: pure and total; it finds a fault exactly where the parser refuses, and says the first one.
 */
import { isToken, maxSubjectLength, subjectRows } from './subject.ts';

/** A fault, as characters `from`–`to` (exclusive) of the text; an empty range stands where something is missing. */
export interface SubjectFault {
  readonly from: number;
  readonly to: number;
  /** A sentence without its full stop: what is wrong, and what would be right. */
  readonly why: string;
}

interface Token {
  readonly text: string;
  readonly from: number;
}

function tokensOf(text: string): readonly Token[] {
  let from = 0;
  return text.split('.').map((token) => {
    const at = { text: token, from };
    from += token.length + 1;
    return at;
  });
}

const planes = subjectRows.map(({ plane }) => plane).join(', ');
const allowed = 'A–Z a–z 0–9 _ -';

const at = ({ text, from }: Token, why: string): SubjectFault => ({ from, to: from + text.length, why });

function lengthFault(text: string): SubjectFault | undefined {
  if (text.length <= maxSubjectLength) return undefined;
  const why = `it has ${text.length} characters, and ${maxSubjectLength} at most are allowed`;
  return { from: maxSubjectLength, to: text.length, why };
}

/** What is wrong with a token where a name must stand. */
function nameFault(token: Token, name: string): SubjectFault | undefined {
  if (isToken(token.text)) return undefined;
  if (token.text === '') return at(token, `the ${name} is missing`);
  if (/^[*>]$/.test(token.text))
    return at(token, `a subject to publish names one ${name}; ${token.text} is for patterns`);
  if (token.text.length > 64)
    return at(token, `the ${name} has ${token.text.length} characters, and 64 at most are allowed`);
  const bad = token.text.search(/[^A-Za-z0-9_-]/);
  const from = token.from + bad;
  const end = token.from + bad + ((token.text.codePointAt(bad) ?? 0) > 0xffff ? 2 : 1);
  return { from, to: end, why: `this character cannot stand in the ${name}; allowed: ${allowed}` };
}

/** The first fault of a subject to publish; undefined: it fits a row of the table. */
export function findSubjectFault(text: string): SubjectFault | undefined {
  const long = lengthFault(text);
  if (long !== undefined) return long;
  const tokens = tokensOf(text);
  const end: Token = { text: '', from: text.length };
  const token = (index: number): Token => tokens[index] ?? end;
  if (token(0).text !== 'vak') return at(token(0), 'a subject begins with vak');
  const row = subjectRows.find(({ plane }) => plane === token(1).text);
  if (row === undefined) return at(token(1), `the second name is one of ${planes}`);
  const fault = nameFault(token(2), 'workspace') ?? nameFault(token(3), row.entity) ?? nameFault(token(4), 'verb');
  if (fault !== undefined) return fault;
  const extra = tokens[5];
  if (extra !== undefined) return { from: extra.from - 1, to: text.length, why: 'a subject ends after its fifth name' };
  const verbs: readonly string[] | undefined = row.verbs;
  if (verbs === undefined || verbs.includes(token(4).text)) return undefined;
  return at(token(4), `${row.plane} has ${verbs.length === 1 ? 'the verb' : 'the verbs'} ${verbs.join(', ')}`);
}

/** The first fault of a pattern to subscribe to; undefined: it is one. */
export function findPatternFault(text: string): SubjectFault | undefined {
  const long = lengthFault(text);
  if (long !== undefined) return long;
  const tokens = tokensOf(text);
  for (const [index, token] of tokens.entries()) {
    if (token.text === '*' || isToken(token.text)) continue;
    if (token.text !== '>') return nameFault(token, 'name');
    if (index < tokens.length - 1) return at(token, '> stands for all that follows, so it can only be last');
  }
  return undefined;
}
