import { expect, test } from 'vitest';
import { createWordMatcher } from './room-search.ts';

test.each([
  ['depl', 'The deploy failed', true],
  ['DEPLOY fail', 'The deploy failed', true],
  ['fail deploy', 'The deploy failed', true],
  ['ploy', 'The deploy failed', false],
  ['deploy soon', 'The deploy failed', false],
  ['straß', 'An der Straße', true],
  ['ﬁre', 'fire drill', true],
  ['w-3', 'worker w 31', true],
  ['  ', 'anything', false],
  ['…', 'anything …', false],
  ['日本', '日本語のログ', true],
])('R11 search: "%s" in "%s": %s', (question, text, expected) => {
  expect(createWordMatcher(question)(text)).toBe(expected);
});
