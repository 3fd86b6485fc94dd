/**
 * Filters as they may stand on a line to the server (protocol.md S2, B10).
 * Law: nothing with a space, a line break or an empty token is ever sent; the server's own subjects (`$JS.…`) may be read.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { maxSubjectLength } from '../../../shared/protocol/subject.ts';

const tokenForm = /^[A-Za-z0-9_$=-]{1,255}$/;

function isWellFormed(text: string): boolean {
  if (text.length === 0 || text.length > maxSubjectLength) return false;
  const tokens = text.split('.');
  return tokens.every(
    (token, index) => tokenForm.test(token) || token === '*' || (token === '>' && index === tokens.length - 1),
  );
}

/** A pattern (S2), or `invalid-pattern`. */
export function checkFilter(pattern: string): string {
  if (isWellFormed(pattern)) return pattern;
  throw new VakError(
    'invalid-pattern',
    `pattern: expected tokens of A–Z a–z 0–9 _ - or "*" joined by ".", ">" only last, got ${pattern.length} characters`,
    { details: { field: 'subject' } },
  );
}
