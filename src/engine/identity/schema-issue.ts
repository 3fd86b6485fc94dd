/**
 * What a schema found wrong, for an error's text.
 * Law: names the field and what is wanted there, never the value that was found.
 */
import type { z } from 'zod';

const maxPathCharacters = 120;

/** The first thing wrong, as `field.path: what`. Keys that were not expected are counted, not named: they may be anything. */
export function describeIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'not valid';
  const path = issue.path.map(String).join('.').slice(0, maxPathCharacters);
  const where = path === '' ? '' : `${path}: `;
  if (issue.code === 'unrecognized_keys') return `${where}${issue.keys.length} unknown keys`;
  if (issue.code === 'custom') return `${where}${issue.message}`;
  return `${where}${issue.code.replaceAll('_', ' ')}`;
}
