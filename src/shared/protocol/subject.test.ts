import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternForm, smallPatterns, smallSubjects } from '../../../tests/support/small-subjects.ts';
import { isVakError } from '../base/vak-error.ts';
import {
  buildSubject,
  checkPattern,
  checkSubject,
  covers,
  isPattern,
  matches,
  overlaps,
  parseSubject,
  subjectRows,
  typeOfSubject,
} from './subject.ts';

const subjects = smallSubjects(5);
const pattern = smallPatterns(4);
const tokenText = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

describe('subjects', () => {
  it.each(['', 'a b', 'a.b', '*', '>', 'ü', 'x'.repeat(65), 'a\n', 'a\0'])(
    'S1 refuses the token %j and names the field',
    (bad) => {
      for (const field of ['workspace', 'session'] as const) {
        const parts = {
          plane: 'events',
          workspace: 'ws',
          entity: 's',
          verb: 'status',
          [field === 'session' ? 'entity' : field]: bad,
        } as const;
        const attempt = (): string => buildSubject(parts as Parameters<typeof buildSubject>[0]);
        expect(attempt).toThrowError(new RegExp(`^${field}:`));
      }
    },
  );

  it('S4 the check alone refuses what the parser refuses, with its words, and nothing else', () => {
    const outcome = (run: () => unknown): unknown => {
      try {
        run();
        return 'fine';
      } catch (error) {
        return isVakError(error) ? error.message : error;
      }
    };
    const part = fc.oneof(
      fc.constantFrom(...subjectRows.flatMap((row) => [row.plane, ...('verbs' in row ? (row.verbs ?? []) : [])])),
      fc.constantFrom('vak', '', 'x', 'x'.repeat(64), 'x'.repeat(65), 'x\n', '*', '>', 'ü'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), part, part, (parts, entity, verb) => {
        for (const subject of [parts.join('.'), ['vak', ...parts].join('.'), `vak.control.ws.${entity}.${verb}`]) {
          expect(outcome(() => checkSubject(subject))).toBe(outcome(() => parseSubject(subject)));
        }
        for (const { plane } of subjectRows) {
          const subject = `vak.${plane}.ws.${entity}.${verb}`;
          expect(outcome(() => checkSubject(subject))).toBe(outcome(() => parseSubject(subject)));
        }
      }),
    );
    expect(subjectRows.map(({ plane }) => outcome(() => checkSubject(`vak.${plane}.ws.x.task`))).includes('fine')).toBe(
      true,
    );
  });

  it('S1 takes tokens of 1 and of 64 characters', () => {
    expect(parseSubject(`vak.events.${'w'.repeat(64)}.-.status`).workspace).toHaveLength(64);
  });

  it.each(['a.>', '*', '>', 'a.*.c'])('S2 %s is a pattern', (text) => {
    expect(isPattern(text)).toBe(true);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', '>.a', 'a.>.b', 'a*', 'a>', 'a.b*', 'a b', 'x.'.repeat(300)])(
    'S2 %j is no pattern',
    (text) => {
      expect(isPattern(text)).toBe(false);
      expect(() => checkPattern(text)).toThrowError(/^pattern:/);
    },
  );

  it('S2 ">" stands for one or more tokens, never for zero, and "*" for exactly one', () => {
    expect(matches('a.>', 'a')).toBe(false);
    expect(matches('a.>', 'a.b.c')).toBe(true);
    expect(matches('a.*', 'a.b.c')).toBe(false);
    expect(matches('a.*', 'a')).toBe(false);
  });

  it('S3 subject pattern matching: matches agrees with an oracle', () => {
    fc.assert(
      fc.property(pattern, fc.constantFrom(...subjects), (text, subject) => {
        expect(matches(text, subject)).toBe(patternForm(text).test(subject));
      }),
      { numRuns: 5000 },
    );
  });

  it('S3 covers and overlaps agree with brute force over all subjects', () => {
    fc.assert(
      fc.property(pattern, pattern, (left, right) => {
        const inLeft = subjects.filter((subject) => patternForm(left).test(subject));
        const inRight = subjects.filter((subject) => patternForm(right).test(subject));
        expect(overlaps(left, right)).toBe(inLeft.some((subject) => inRight.includes(subject)));
        expect(covers(left, right)).toBe(inRight.every((subject) => inLeft.includes(subject)));
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['>', '>', true, true],
    ['>', 'a.*', true, true],
    ['a.*', 'a.>', false, true],
    ['a.>', 'a.*', true, true],
    ['a.*.c', '*.b.c', false, true],
    ['a.b', 'a.*', false, true],
    ['a.*', 'a.b', true, true],
    ['a.>', '>', false, true],
    ['*', 'a.b', false, false],
    ['a.>', 'a', false, false],
    ['a.b.>', 'a.c.>', false, false],
  ])('S3 %s and %s: covers %s, overlaps %s', (left, right, isCovering, isOverlapping) => {
    expect(covers(left, right)).toBe(isCovering);
    expect(overlaps(left, right)).toBe(isOverlapping);
    expect(overlaps(right, left)).toBe(isOverlapping);
  });

  it('S3 the three are total: any two texts give a boolean', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        for (const decide of [matches, covers, overlaps]) expect(typeof decide(left, right)).toBe('boolean');
      }),
    );
  });

  it.each(subjectRows.map((row) => [row.plane, row] as const))(
    'S4 builder and parser are inverse for every verb of %s',
    (plane, row) => {
      const verb = row.verbs === undefined ? tokenText : fc.constantFrom<string>(...row.verbs);
      fc.assert(
        fc.property(tokenText, tokenText, verb, (workspace, entity, lastToken) => {
          const parts = { plane, workspace, entity, verb: lastToken };
          const subject = buildSubject(parts);
          expect(parseSubject(subject)).toEqual(parts);
          expect(buildSubject(parseSubject(subject))).toBe(subject);
          expect(typeOfSubject(parts)).toBe(`vak.${plane}.${lastToken}`);
        }),
      );
    },
  );

  it.each([
    'vak.events.ws.s.unknown',
    'vak.nothing.ws.s.status',
    'vak.events.ws.s',
    'vak.events.ws.s.status.more',
    'nats.events.ws.s.status',
    'vak.events..s.status',
    'vak.events.ws.*.status',
    'vak.__proto__.ws.s.status',
    '',
    `vak.events.ws.${'s'.repeat(600)}.status`,
  ])('S4 %j fits no row and is refused with a named field', (subject) => {
    try {
      parseSubject(subject);
      expect.unreachable();
    } catch (error) {
      expect(isVakError(error, 'invalid-subject')).toBe(true);
      expect((error as Error).message).toMatch(/^(subject|root|plane|workspace|session|verb):/);
    }
  });
});

describe('subject pattern matching', () => {
  it.each([
    ['vak.events.ws.*.status', 'vak.events.ws.s-1.status', true],
    ['vak.events.ws.*.status', 'vak.events.ws.s-1.tokens', false],
    ['vak.events.*.s-1.*', 'vak.events.other.s-1.tokens', true],
    ['vak.work.ws.>', 'vak.work.ws.builds.task', true],
    ['vak.work.ws.>', 'vak.work.ws2.builds.task', false],
    ['vak.work.ws.>', 'vak.work.ws', false],
    ['vak.work.>', 'vak.work.ws.builds.task', true],
    ['>', 'vak.dlq.ws.w1.failed', true],
    ['vak.*.ws.>', 'vak.audit.ws.op.action', true],
    ['vak.dlq.ws.w1.failed', 'vak.dlq.ws.w1.failed', true],
    ['vak.dlq.ws.w1.failed', 'vak.dlq.ws.W1.failed', false],
    ['vak.dlq.ws.w1', 'vak.dlq.ws.w1.failed', false],
  ])('S2 %s and the subject %s: %s', (text, subject, isMatching) => {
    expect(matches(text, subject)).toBe(isMatching);
  });
});
