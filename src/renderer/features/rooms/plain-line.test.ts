import { describe, expect, it } from 'vitest';
import { plainLine } from './plain-line.ts';

describe('a message in one line', () => {
  it('R11 reads without the marks of its Markdown, and what is no mark stays', () => {
    expect(
      [
        '**eu-3** is `red`, see [the runbook](https://example.org)',
        '> ~~quoted~~ by @bob',
        '- first of a list',
        '## heading',
        '```ts',
        'snake_case_name.png',
        '2 * 3 * 4',
        '**cut off',
      ].map(plainLine),
    ).toEqual([
      'eu-3 is red, see the runbook',
      'quoted by @bob',
      'first of a list',
      'heading',
      'code ts',
      'snake_case_name.png',
      '2 * 3 * 4',
      '**cut off',
    ]);
  });

  it('B8 shows what would hide or turn the rest', () => {
    expect(plainLine('**a**\u202eb')).toBe('a‹U+202E›b');
  });
});
