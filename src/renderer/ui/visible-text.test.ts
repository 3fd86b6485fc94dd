import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../shared/base/visible-text.ts';
import { decodeText, splitText, visibleRuns } from './visible-text.ts';

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('visible text', () => {
  it('shows control and bidi characters as signs', () => {
    expect(visibleText('a\u001b[31mb\u202Ec\u0000\u007f\u0085')).toBe('a␛[31mb‹U+202E›c␀␡‹U+0085›');
    expect(visibleText('plain é 漢')).toBe('plain é 漢');
  });

  it('keeps the effect of line feeds and tabs behind their sign', () => {
    expect(visibleRuns('a\r\nb\tc')).toEqual([
      { text: 'a', isSign: false },
      { text: '␍', isSign: true },
      { text: '↵', isSign: true },
      { text: '\n', isSign: false },
      { text: 'b', isSign: false },
      { text: '⇥', isSign: true },
      { text: '\t', isSign: false },
      { text: 'c', isSign: false },
    ]);
  });

  it('lets no hidden character through, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(hidden.test(visibleText(text))).toBe(false);
        const shown = visibleRuns(text).map((run) => run.text);
        expect(hidden.test(shown.join('').replaceAll(/[\n\t]/g, ''))).toBe(false);
      }),
    );
  });

  it('knows whether text is the bytes', () => {
    expect(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x41]))).toEqual({ text: '\uFEFFA', isExact: true });
    expect(decodeText(new Uint8Array([0x41, 0xff]))).toEqual({ text: 'A\uFFFD', isExact: false });
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const { text, isExact } = decodeText(bytes);
        if (isExact) expect(new TextEncoder().encode(text)).toEqual(bytes);
      }),
    );
  });

  it('splits without tearing a character apart', () => {
    expect(splitText('ab😀c', 3)).toEqual(['ab😀', 'c']);
    expect(splitText('abc\ndefgh', 6)).toEqual(['abc\n', 'defgh']);
    expect(splitText('a\nbcdefgh', 6)).toEqual(['a\nbcde', 'fgh']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 5 }), (text, length) => {
        const parts = splitText(text, length);
        expect(parts.join('')).toBe(text);
        for (const part of parts) expect(/\p{Surrogate}/u.test(part)).toBe(false);
      }),
    );
  });
});
