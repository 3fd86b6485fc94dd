import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

describe('visible text', () => {
  it('shows controls, bidi and invisible characters, one for one', () => {
    expect(visibleText('a\u0000\u001b[2J\n\u007f\u202Eb\u200B\u2066')).toBe('a␀␛[2J⏎␡�b��');
    expect(visibleText('Zoë 漢字 🚀 e\u0301')).toBe('Zoë 漢字 🚀 e\u0301');
  });

  it('keeps the length, and leaves nothing that hides or reorders text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const shown = visibleText(text);
        expect(shown).toHaveLength(text.length);
        expect(/[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u.test(shown)).toBe(false);
      }),
    );
  });
});
