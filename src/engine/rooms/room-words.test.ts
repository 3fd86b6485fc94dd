import { describe, expect, test } from 'vitest';
import { imageTypeOf } from './image-type.ts';
import { epochCause, lineOf, tellEntry, unknownTarget, unopenedOf, visibleMessage } from './room-words.ts';

const names = { by: 'ada', about: 'ben' };

describe('R10 what could not be opened is told with cause, who and what to do next', () => {
  test.each([
    ['no-key', 'no-key', true, /ask again/],
    ['withheld', 'withheld', true, /Ask whoever/],
    ['replayed', 'replayed', false, /nothing has to be done/],
    ['old-epoch', 'wrong-epoch', false, /send it again/],
    ['jumped', 'bad-form', false, /send it again/],
    ['other-envelope', 'bad-signature', false, /owner/],
    ['diverged', 'wrong-head', false, /another log/],
    ['tampered', 'tampered', false, /send it again/],
    ['something new', 'bad-form', false, /does not count/],
  ] as const)('R10 %s', (cause, told, canAskAgain, next) => {
    const found = unopenedOf({ cause, detail: 'It is of ben\u202e.' }, false);
    expect(found).toMatchObject({ cause: told, canAskAgain });
    expect(found.text).toMatch(next);
    expect(found.text).toContain('ben‹U+202E›');
  });

  test('R6 what was said before somebody came in is told as that, and cannot be asked for', () => {
    expect(unopenedOf({ cause: 'no-key', detail: '' }, true)).toMatchObject({
      cause: 'before-joining',
      canAskAgain: false,
    });
    expect(unopenedOf({ cause: 'tampered', detail: '' }, true)).toMatchObject({ cause: 'tampered' });
  });

  test('R35 a change of a message that is not here is told as such', () => {
    expect(unknownTarget('edit', 'ben').text).toMatch(/^ben edited a message that is not here/);
  });
});

test('R1 every entry of a log is told with its true cause', () => {
  const commit = 'c';
  expect(tellEntry({ type: 'LEAVE' }, names)).toEqual({
    ...{ event: 'left', text: 'ada left. Whoever speaks next makes a new key first.' },
  });
  expect(tellEntry({ type: 'KICK', commit, reason: 'spam\u0007' }, names)).toMatchObject({
    ...{ event: 'kicked', text: expect.stringMatching(/ada removed ben and made a new key.*Reason: spam␇/) },
  });
  expect(tellEntry({ type: 'KICK' }, names).event).toBe('withdrawn');
  expect(tellEntry({ type: 'REKEY', commit, cause: 'age' }, names).text).toMatch(/7 days/);
  expect(tellEntry({ type: 'ROLE', role: 'owner' }, names).text).toMatch(/ben the owner; ada is a moderator/);
  expect(epochCause('JOIN', 'b\u0000')).toBe('b␀ joined');
});

test('R43 a text keeps its lines, tabs and emoji, and hides nothing else', () => {
  expect(visibleMessage('a\tb\n👩🏽\u200d💻 x\u200dy \u2066z')).toBe('a\tb\n👩🏽\u200d💻 x‹U+200D›y ‹U+2066›z');
  expect(lineOf('\n  \n  first\u0000 \nsecond')).toBe('first␀');
  expect([...lineOf('é'.repeat(900))]).toHaveLength(200);
});

test('R12 an image is one by its bytes alone, and of four kinds', () => {
  const of = (hex: string): string | undefined => imageTypeOf(Buffer.from(hex, 'hex'));
  expect(of('89504e470d0a1a0a00')).toBe('image/png');
  expect(of('ffd8ffe000')).toBe('image/jpeg');
  expect([of('474946383761'), of('474946383961'), of('474946383861')]).toEqual(['image/gif', 'image/gif', undefined]);
  expect([of('52494646000000005745425056'), of('524946460000000057415645')]).toEqual(['image/webp', undefined]);
  expect([of(''), of(Buffer.from('<svg xmlns="…">').toString('hex'))]).toEqual([undefined, undefined]);
});
