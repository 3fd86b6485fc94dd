import { describe, expect, it } from 'vitest';
import { encodeRoomContent } from '../../../shared/protocol/room-content.ts';
import { complete, completionAt, replaceNamedEmoji } from './completion.ts';
import { findEmoji, namedEmoji } from './emoji-list.ts';

const members = [
  { peer: 'alice', name: 'Alice Liddell' },
  { peer: 'bob-2', name: null },
];
const optionsAt = (typed: string) => completionAt(typed, typed.length, members)?.options.map(({ key }) => key);

describe('completion while a message is typed', () => {
  it.each([
    ['@', ['alice', 'bob-2']],
    ['hi @B', ['bob-2']],
    ['(@lid', ['alice']],
    ['a@b', undefined],
    ['@nobody', undefined],
    [':roc', ['rocket']],
    [':r', undefined],
    ['12:30', undefined],
    ['a ::roc', undefined],
  ])('offers for %s', (typed, keys) => {
    expect(optionsAt(typed)).toEqual(keys);
  });

  it('puts an option in place of what was typed, wherever the caret stands', () => {
    const typed = 'hi @bo, you';
    const at = completionAt(typed, 6, members);
    expect(complete({ text: typed, caret: 6 }, at?.from ?? 0, '@bob-2 ')).toEqual({
      text: 'hi @bob-2 , you',
      caret: 10,
    });
    expect(complete({ text: 'hi @bo you', caret: 6 }, 3, '@bob-2 ')).toEqual({ text: 'hi @bob-2 you', caret: 10 });
  });

  it('a whole name between colons is its emoji at once', () => {
    expect(replaceNamedEmoji({ text: 'go :rocket: now', caret: 11 })).toEqual({ text: 'go 🚀 now', caret: 5 });
    expect(replaceNamedEmoji({ text: ':nothing:', caret: 9 })).toBeUndefined();
    expect(replaceNamedEmoji({ text: 'a:rocket:', caret: 9 })).toBeUndefined();
  });

  it('R43 every emoji of the list is one that may be sent, under a name of its own', () => {
    for (const { emoji } of namedEmoji) {
      const target = '01890000-0000-7000-8000-000000000000';
      expect(() => encodeRoomContent({ kind: 'reaction', target, emoji })).not.toThrow();
    }
    expect(new Set(namedEmoji.map(({ name }) => name)).size).toBe(namedEmoji.length);
    expect(findEmoji('circle')[0]?.name).toBe('green_circle');
  });
});
