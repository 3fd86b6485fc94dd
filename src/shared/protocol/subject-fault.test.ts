import { describe, expect, test } from 'vitest';
import { isVakError } from '../base/vak-error.ts';
import { checkPattern, parseSubject } from './subject.ts';
import { findPatternFault, findSubjectFault } from './subject-fault.ts';

function isRefused(check: (text: string) => unknown, text: string): boolean {
  try {
    check(text);
    return false;
  } catch (error) {
    return isVakError(error);
  }
}

/** Every text of up to six parts, each of what a person may type. */
const parts = ['vak', 'work', 'events', 'control', 'acme', 'task', '*', '>', '', 'ü', 'a b', 'x'.repeat(65)];
function randomTexts(count: number): string[] {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(seed / 256) % below;
  };
  return Array.from({ length: count }, () => {
    const tokens = Array.from({ length: next(7) }, () => parts[next(parts.length)] ?? '');
    if (next(3) > 0) tokens.splice(0, 3, 'vak', next(2) === 0 ? 'work' : 'control', 'acme');
    if (next(4) === 0) tokens.splice(3, 9, 'acme', 'task');
    return tokens.join('.');
  });
}

describe('faults of subjects', () => {
  const texts = [...randomTexts(4000), 'vak.work.acme.q.task', 'vak.work.acme.q.task.', 'x'.repeat(600), ''];

  test('S1 S4 a subject has a fault exactly where the parser refuses it, within the text', () => {
    let sound = 0;
    for (const text of texts) {
      const fault = findSubjectFault(text);
      expect([text, fault !== undefined]).toEqual([text, isRefused(parseSubject, text)]);
      if (fault === undefined) sound++;
      else expect(fault.from <= fault.to && fault.to <= text.length).toBe(true);
    }
    expect(sound).toBeGreaterThan(10);
  });

  test('S2 a pattern has a fault exactly where the check refuses it', () => {
    for (const text of texts) {
      expect([text, findPatternFault(text) !== undefined]).toEqual([text, isRefused(checkPattern, text)]);
    }
  });

  test.each([
    ['wak.work.acme.q.task', [0, 3], 'begins with vak'],
    ['vak.wrok.acme.q.task', [4, 8], 'the second name is one of events, work'],
    ['vak.work.acme', [13, 13], 'the queue is missing'],
    ['vak.work.acme.q q.task', [15, 16], 'cannot stand in the queue'],
    ['vak.work.acme.*.task', [14, 15], 'names one queue; * is for patterns'],
    ['vak.approvals.acme.s.ask', [21, 24], 'approvals has the verbs request, verdict'],
    ['vak.work.acme.q.task.more', [20, 25], 'ends after its fifth name'],
    ['vak.work.acme.q😀.task', [15, 17], 'this character'],
  ])('S4 %s is wrong at %j: %s', (text, [from, to], why) => {
    expect(findSubjectFault(text)).toEqual({ from, to, why: expect.stringContaining(why) });
  });

  test('S2 > before the end is told where it stands', () => {
    expect(findPatternFault('vak.>.task')).toEqual({ from: 4, to: 5, why: expect.stringContaining('only be last') });
    expect(findPatternFault('vak..task')).toEqual({ from: 4, to: 4, why: 'the name is missing' });
  });
});
