import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches } from './subject.ts';
import { createSubjectTrie } from './subject-trie.ts';

const token = fc.constantFrom('a', 'b', 'c', 'vak', '__proto__', 'constructor');
const subject = fc.array(token, { minLength: 1, maxLength: 5 }).map((tokens) => tokens.join('.'));
const pattern = fc
  .tuple(fc.array(fc.oneof(token, fc.constant('*')), { minLength: 0, maxLength: 5 }), fc.boolean())
  .map(([tokens, hasTail]) => (hasTail || tokens.length === 0 ? [...tokens, '>'] : tokens).join('.'));

describe('subject trie', () => {
  it('S3 finds what a brute-force search over the patterns finds, in the order of adding, through adds and removals', () => {
    const step = fc.record({ pattern, isRemoval: fc.boolean(), index: fc.nat() });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.array(subject, { minLength: 1, maxLength: 10 }),
        (steps, asked) => {
          const trie = createSubjectTrie<number>();
          const model: { pattern: string; value: number; remove: () => void }[] = [];
          steps.forEach(({ pattern: text, isRemoval, index }, value) => {
            if (isRemoval && model.length > 0) model.splice(index % model.length, 1)[0]?.remove();
            else model.push({ pattern: text, value, remove: trie.add(text, value) });
            expect(trie.size()).toBe(model.length);
          });
          for (const text of asked) {
            const expected = model.filter((entry) => matches(entry.pattern, text)).map((entry) => entry.value);
            expect(trie.match(text)).toEqual(expected);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('removing twice removes once', () => {
    const trie = createSubjectTrie<string>();
    const remove = trie.add('a.*', 'first');
    trie.add('a.*', 'second');
    remove();
    remove();
    expect(trie.match('a.b')).toEqual(['second']);
    expect(trie.size()).toBe(1);
  });
});
