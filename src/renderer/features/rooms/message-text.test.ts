import { describe, expect, it } from 'vitest';
import { beginningOf, messageText } from './message-text.ts';

describe('R11 text of messages', () => {
  it('R11 lines, tabs and joined emoji stay; what hides or reorders is a sign', () => {
    expect(messageText('a\n\tb')).toBe('a\n\tb');
    expect(messageText('👩‍🚀 👨‍👩‍👧 ❤️‍🔥 👩🏽‍⚕️')).toBe('👩‍🚀 👨‍👩‍👧 ❤️‍🔥 👩🏽‍⚕️');
    expect(messageText('a\u200db')).toBe('a‹U+200D›b');
    expect(messageText('x\u202egnp.exe')).toBe('x‹U+202E›gnp.exe');
    expect(messageText('\u001b[31m')).toBe('␛[31m');
  });

  it('R11 a tower of marks is cut to four', () => {
    expect(messageText(`e${'\u0301'.repeat(5_000)}!`)).toBe(`e${'\u0301'.repeat(4)}!`);
  });

  it('R13 a long message begins with its first part, at the end of a line, and splits no character', () => {
    expect(beginningOf('short\n'.repeat(40))).toBeUndefined();
    expect(beginningOf('x'.repeat(4_000))).toBeUndefined();
    expect(beginningOf('line\n'.repeat(5_000))?.split('\n')).toHaveLength(48);
    expect(beginningOf(`${'a'.repeat(3_000)}\n${'b'.repeat(3_000)}`)).toBe('a'.repeat(3_000));
    expect(beginningOf('👍'.repeat(4_000))).not.toMatch(/\p{Surrogate}/u);
    expect(beginningOf(`a${'👍'.repeat(4_000)}`)).not.toMatch(/\p{Surrogate}/u);
  });
});
