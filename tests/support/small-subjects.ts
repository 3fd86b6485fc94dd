/**
 * A world of subjects that is small enough to look at all of it, for tests of patterns against brute force.
 * Subjects are over a, b and z; patterns never name z and have fewer tokens before their tail: so z tells "*" from a letter, and the
 * last token tells ">" from the tokens before it, and what holds for all of these subjects holds for all that there are.
 */
import fc from 'fast-check';

/** Every subject of at most so many tokens. */
export function smallSubjects(maxTokens: number): readonly string[] {
  const subjects: string[] = [];
  const grow = (before: readonly string[]): void => {
    for (const next of ['a', 'b', 'z']) {
      const tokens = [...before, next];
      subjects.push(tokens.join('.'));
      if (tokens.length < maxTokens) grow(tokens);
    }
  };
  grow([]);
  return subjects;
}

/** Patterns with at most so many tokens, and maybe a tail. */
export function smallPatterns(maxTokens: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: maxTokens }), fc.boolean())
    .map(([tokens, hasTail]) => (hasTail || tokens.length === 0 ? [...tokens, '>'] : tokens).join('.'));
}

/** The definition of S2, written as differently as possible from the code under test. */
export function patternForm(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace(/>$/, '.+')}$`);
}
