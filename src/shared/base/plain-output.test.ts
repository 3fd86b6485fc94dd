import { describe, expect, it } from 'vitest';
import { plainLines } from './plain-output.ts';

describe('plainLines', () => {
  it('D14 takes colours, titles and cursor moves out, and shows what is left unseen as a sign', () => {
    const output = '\u001b[31mred\u001b[0m\u001b]0;title\u0007 end\n\u001b[2Ka\tb\n\u202ebidi\u0007\n';
    expect(plainLines(output)).toEqual(['red end', 'a       b', '‹U+202E›bidi␇']);
  });

  it('D14 shows a line that was written over as it was last', () => {
    expect(plainLines('10 %\r55 %\r100 %\r\ndone')).toEqual(['100 %', 'done']);
    expect(plainLines('')).toEqual([]);
    expect(plainLines('\r\r\n\n')).toEqual(['', '']);
  });

  it('D14 hides no line behind a sequence that has no end', () => {
    expect(plainLines('a\u001b]0;never closed\nb')).toEqual(['a', 'b']);
    expect(plainLines('a\u001b')).toEqual(['a␛']);
  });
});
