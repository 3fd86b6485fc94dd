import { describe, expect, test } from 'vitest';
import type { IncidentDetail, IncidentFacts } from './incident-facts.ts';
import { incidentWords, noticeWords } from './incident-words.ts';
import { countWords, quantityWords, rateWords, spanWords } from './quantity-words.ts';

function facts(detail: IncidentDetail, more: Partial<IncidentFacts> = {}): IncidentFacts {
  return {
    ...{ id: 'x', detail, queue: 'render', session: null, firstMs: 0, lastMs: 0, count: 3, isStanding: false },
    ...{ mark: { atMs: 0, seq: 0 }, acknowledgedMs: null },
    ...more,
  };
}

const secret = 'sealed words';
const details: readonly IncidentDetail[] = [
  { kind: 'lost' },
  { kind: 'dead-letters', errorClass: secret, reason: secret, workerId: 'w1', attempts: 4 },
  { kind: 'dead-letters', errorClass: null, reason: secret, workerId: null, attempts: 1 },
  { kind: 'refused-record', record: 'receipt', why: secret, records: [] },
  { kind: 'refused-record', record: 'dead-letter', why: secret, records: [] },
  { kind: 'refused-approval', record: 'request', why: secret },
  { kind: 'refused-approval', record: 'verdict', why: secret },
  { kind: 'denied', peer: 'w1', action: 'publish', subject: 'vak.work.ws.render.task', rule: 'A2', side: 'server' },
  { kind: 'supervisor', why: secret },
  { kind: 'stuck', inFlightCount: 2, pendingCount: 12_000 },
  { kind: 'no-consumer', standingCount: 1 },
  { kind: 'age', ageMs: 750_000, limitMs: 600_000, isPaused: false },
  { kind: 'lag', lag: 1_240, limit: 1_000, inPerSec: 12, outPerSec: 0.43, isPaused: false },
];

describe('what an incident says', () => {
  test.each(details)('product.md $kind: a title, a sentence why, a sentence what next', (detail) => {
    for (const count of [1, 3]) {
      const { title, why, next } = incidentWords(facts(detail, { count }));
      expect(title).not.toMatch(/[.!]$/);
      for (const sentence of [why, next]) expect(sentence).toMatch(/^\S.*\.$/s);
      expect(`${title} ${why}`).not.toMatch(/undefined|NaN|null/);
    }
  });

  test('W7 a lost task, and several', () => {
    expect(incidentWords(facts({ kind: 'lost' }, { count: 1 })).title).toBe('1 task of render is lost');
    expect(incidentWords(facts({ kind: 'lost' }, { count: 1_200 })).title).toBe('1\u202f200 tasks of render are lost');
  });

  test('W9 numbers have their units', () => {
    const why = (kind: IncidentDetail['kind']): string =>
      incidentWords(facts(details.find((one) => one.kind === kind) as IncidentDetail)).why;
    expect(why('lag')).toBe(
      '1\u202f240 tasks wait or are under way, the limit is 1\u202f000 tasks; 12/s come, 0.4/s go.',
    );
    expect(why('age')).toBe('The oldest has stood there for 12\u00a0min, the limit is 10\u00a0min.');
    expect(why('stuck')).toBe('2 tasks claimed, 12\u202f000 waiting, and nothing moves.');
  });

  test('quality.md what a peer wrote is made visible and cut', () => {
    const evil = `\u202edone\n${'x'.repeat(5_000)}`;
    const detail = { kind: 'dead-letters', errorClass: evil, reason: evil, workerId: 'w1', attempts: 4 } as const;
    const { title, why } = incidentWords(facts(detail));
    expect(title + why).not.toMatch(/[\u202e\n]/);
    expect(title.length).toBeLessThan(150);
    expect(why.length).toBeLessThan(400);
    expect(why).toContain('‹U+202E›done↵xxx');
  });
});

describe('what a notification says', () => {
  test.each(details)('product.md $kind: nothing of a payload', (detail) => {
    const { title, body } = noticeWords(facts(detail));
    expect(`${title} ${body}`).not.toContain(secret);
    expect(title.length).toBeGreaterThan(8);
  });
});

describe('numbers', () => {
  test('look.md thin-space thousands, units, and one unit that a person would choose', () => {
    expect([0, 999, 12_400].map(countWords)).toEqual(['0', '999', '12\u202f400']);
    expect([1, 2].map((value) => quantityWords(value, ['task', 'tasks']))).toEqual(['1 task', '2 tasks']);
    expect([0, 0.43, 9.94, 12.4].map(rateWords)).toEqual(['0/s', '0.4/s', '9.9/s', '12/s']);
    expect([45_900, 125_000, 11_100_000, 190_800_000].map(spanWords)).toEqual([
      ...['45\u00a0s', '2\u00a0min', '3\u00a0h 05\u00a0min', '2\u00a0d 5\u00a0h'],
    ]);
  });
});
