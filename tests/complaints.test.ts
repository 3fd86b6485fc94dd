/** Each complaint of users that the product answers (docs/complaints.md) has a test that shows it, found by its file and its title. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Row {
  readonly complaint: string;
  readonly file: string;
  readonly title: string;
}

/** Rows of the page: ``| complaint | `file`: title |``. */
function readRows(page: string): readonly Row[] {
  return [...page.matchAll(/^\| (.+?) \| `(.+?)`: (.+?) \|$/gm)].map(([, complaint = '', file = '', title = '']) => ({
    ...{ complaint, file, title },
  }));
}

/** Titles of the tests of a file, as they are written. */
function titlesOf(file: string): readonly string[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  const calls = /\b(?:it|test)\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g;
  return [...readFileSync(path, 'utf8').matchAll(calls)].map(([, one, two, three]) => one ?? two ?? three ?? '');
}

const rows = readRows(readFileSync(join(root, 'docs/complaints.md'), 'utf8'));

/** The rows of the product's table of complaints. */
const complaintCount = 13;

describe('complaints of users', () => {
  it('all thirteen have a row, and every line of the table is read', () => {
    const lines = readFileSync(join(root, 'docs/complaints.md'), 'utf8').match(/^\| (?!They say)/gm) ?? [];
    expect(rows).toHaveLength(lines.length);
    expect(new Set(rows.map(({ complaint }) => complaint)).size).toBe(complaintCount);
  });

  it.each(rows)('$complaint: $title', ({ file, title }) => {
    expect(titlesOf(file)).toContain(title);
  });

  it('a title that no test has is not found', () => {
    expect(titlesOf('tests/complaints.test.ts')).not.toContain('no test has this title');
    expect(titlesOf('tests/no-such.test.ts')).toEqual([]);
  });
});
