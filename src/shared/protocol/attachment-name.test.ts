import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachmentName, attachmentNameField } from './attachment-name.ts';

const isTaken = (name: string): boolean => attachmentNameField.safeParse(name).success;

describe('R13 names of attachments', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['/home/ada/notes/../report.pdf', 'report.pdf'],
    ['C:\\temp\\report.pdf', 'report.pdf'],
    ['..', 'file'],
    ['a/', 'file'],
    ['', 'file'],
    ['  padded .txt ', 'padded.txt'],
    ['photo\u202Egnp.exe', 'photo_gnp.exe'],
    ['two\nlines.txt', 'two_lines.txt'],
    [`${'a'.repeat(100)}.tar`, `${'a'.repeat(60)}.tar`],
    [`x.${'b'.repeat(100)}`, `x.${'b'.repeat(62)}`],
    [`${'😀'.repeat(40)}.png`, `${'😀'.repeat(30)}.png`],
    ['cafe\u0301.txt', 'café.txt'],
    ['.profile', '.profile'],
  ])('R13 %j is sent as %j', (path, name) => {
    expect(attachmentName(path)).toBe(name);
    expect(isTaken(name)).toBe(true);
  });

  test('R13 whatever a file is called, the name it is sent under is taken', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (path) => {
        const name = attachmentName(path);
        expect(isTaken(name)).toBe(true);
        expect(name.length).toBeLessThanOrEqual(64);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['turns the direction of writing', ['a\u202Eb', 'a\u2066b']],
    ['hides', ['a\u200Bb', 'a\0', 'a\nb', '\uD800', ' a', 'a ']],
    ['stacks marks', [`a${'\u0301'.repeat(5)}`]],
    ['leads elsewhere', ['a/b', 'a\\b', '.', '..', '']],
    ['has 65 characters, or 10 MB', ['a'.repeat(65), 'a'.repeat(10_000_000)]],
  ])('R13 a name that %s is refused', (_what, names) => {
    for (const name of names) expect(isTaken(name)).toBe(false);
  });

  test('R13 letters with as many marks as Vietnamese or Devanagari puts on them stay', () => {
    for (const name of ['a\u0302\u0301.txt', 'नमस्ते.pdf']) expect(isTaken(name)).toBe(true);
  });

  test('R13 a name of 10 MB is made to fit at once', () => {
    expect(attachmentName(`${'z'.repeat(10_000_000)}.bin`)).toBe('z'.repeat(64));
    expect(attachmentName(`a${'\u0301'.repeat(10_000_000)}`)).toHaveLength(5);
  });
});
