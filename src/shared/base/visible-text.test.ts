import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

describe('visible text', () => {
  it('shows control, format and bidi characters as signs, and leaves the rest', () => {
    expect(visibleText('a\u0000\u001b[2J\n\t\u007f\u202Eb\u200B\u2066')).toBe('a␀␛[2J↵⇥␡‹U+202E›b‹U+200B›‹U+2066›');
    expect(visibleText('Zoë 漢字 🚀 e\u0301')).toBe('Zoë 漢字 🚀 e\u0301');
  });

  it('leaves nothing that hides or reorders text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(visibleText(text))).toBe(false);
      }),
    );
  });
});
