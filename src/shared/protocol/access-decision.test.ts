import fc from 'fast-check';
import { expect, it } from 'vitest';
import { patternForm, smallPatterns, smallSubjects } from '../../../tests/support/small-subjects.ts';
import { decideAccess } from './access-decision.ts';
import type { AccessAction, AccessRule } from './acl-rules.ts';

const rule = (effect: AccessRule['effect'], action: AccessAction, pattern: string): AccessRule => {
  return { effect, action, pattern, name: `${effect} ${pattern}` };
};

const nameOf = (rules: readonly AccessRule[], action: AccessAction, text: string): string | undefined =>
  decideAccess(rules, { action, text })?.name;

it('A1 without a rule that fits nothing decides: default deny', () => {
  expect(nameOf([], 'publish', 'a.b')).toBeUndefined();
  expect(nameOf([rule('allow', 'publish', 'a.c')], 'publish', 'a.b')).toBeUndefined();
  expect(nameOf([rule('allow', 'publish', 'a.b')], 'subscribe', 'a.b')).toBeUndefined();
});

it('A1 a deny beats an allow, in whichever order they stand', () => {
  const rules = [rule('allow', 'publish', 'a.>'), rule('deny', 'publish', 'a.b')];
  for (const ordered of [rules, rules.toReversed()]) {
    expect(nameOf(ordered, 'publish', 'a.b')).toBe('deny a.b');
    expect(nameOf(ordered, 'publish', 'a.c')).toBe('allow a.>');
  }
});

it('A1 a subscription that overlaps a deny is refused, one that an allow does not cover too', () => {
  const rules = [rule('allow', 'subscribe', 'a.>'), rule('deny', 'subscribe', 'a.*.secret')];
  expect(nameOf(rules, 'subscribe', 'a.>')).toBe('deny a.*.secret');
  expect(nameOf(rules, 'subscribe', 'a.b.*')).toBe('deny a.*.secret');
  expect(nameOf(rules, 'subscribe', 'a.b.open')).toBe('allow a.>');
  expect(nameOf(rules, 'subscribe', '>')).toBe('deny a.*.secret');
  expect(nameOf(rules, 'subscribe', '*.b')).toBeUndefined();
});

it('A1 two allows that cover a pattern only together do not allow it', () => {
  const rules = [rule('allow', 'subscribe', 'a.*'), rule('allow', 'subscribe', 'a.*.>')];
  expect(nameOf(rules, 'subscribe', 'a.>')).toBeUndefined();
});

const subjects = smallSubjects(4);
const pattern = smallPatterns(3);
const subjectsOf = (text: string): ReadonlySet<string> => {
  const form = patternForm(text);
  return new Set(subjects.filter((subject) => form.test(subject)));
};

it('A1 agrees with brute force over all subjects', () => {
  const anyRule = fc
    .tuple(fc.constantFrom('allow' as const, 'deny' as const), pattern)
    .map(([effect, text]) => rule(effect, 'subscribe', text));
  const isSubset = (inner: ReadonlySet<string>, outer: ReadonlySet<string>) =>
    [...inner].every((one) => outer.has(one));
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 5 }), pattern, (rules, text) => {
      const asked = subjectsOf(text);
      const reached = rules.map((one) => ({ ...one, subjects: subjectsOf(one.pattern) }));
      const isDenied = reached.some(
        (one) => one.effect === 'deny' && [...asked].some((each) => one.subjects.has(each)),
      );
      const isCovered = reached.some((one) => one.effect === 'allow' && isSubset(asked, one.subjects));
      expect(decideAccess(rules, { action: 'subscribe', text })?.effect === 'allow').toBe(isCovered && !isDenied);
    }),
    { numRuns: 1500 },
  );
});
