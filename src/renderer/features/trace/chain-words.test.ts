import { expect, test } from 'vitest';
import type { ChainReport } from '../../../shared/contract/chain-report.ts';
import { checkpointWords, missingWords, rangeWords, verdictWords } from './chain-words.ts';

const report = (more: Partial<ChainReport>): ChainReport =>
  ({
    ...{ kind: 'd', seen: { fromSeq: 0, toSeq: 9 }, faults: [], forks: [], missing: [], missingCount: 0 },
    ...{ searches: [{ stream: 'CHAIN', readCount: 1, isWhole: true, problem: null }], leftOutCount: 0, ...more },
  }) as unknown as ChainReport;

test('T7 what is wrong at the lowest place is said first, then what is missing, then that all holds', () => {
  const fault = { kind: 'link', seq: 5, expected: '', found: '', id: '' } as const;
  const said = (more: Partial<ChainReport>) => verdictWords(report(more));
  expect(said({})).toEqual({ tone: 'ok', words: 'Every place from 0 to 9 holds.' });
  expect(said({ faults: [fault] })).toEqual({ tone: 'bad', words: 'The first bad link is at place 5.' });
  expect(said({ faults: [fault], forks: [{ seq: 3, sides: [] }] }).words).toBe('A fork is at place 3.');
  expect(said({ seen: null }).tone).toBe('dim');
  const missing = { missing: [{ fromSeq: 4, toSeq: 5, isTail: false }], missingCount: 2 };
  expect(said(missing)).toMatchObject({ tone: 'bad', words: expect.stringContaining('2 places are missing') });
});

test('T7 missing is an alarm only where all of a chain of the rest was looked at', () => {
  expect(missingWords(report({ kind: 'd' })).tone).toBe('bad');
  expect(missingWords(report({ kind: 'd', leftOutCount: 1 })).words).toContain('not visible here');
  expect(missingWords(report({ kind: 'q' })).words).toContain('claimed');
  expect(missingWords(report({ kind: 'e' })).tone).toBe('wait');
  expect([checkpointWords('unseen', 'q').tone, checkpointWords('unseen', 'd').tone]).toEqual(['dim', 'wait']);
  expect([rangeWords({ fromSeq: 3, toSeq: 3 }), rangeWords({ fromSeq: 3, toSeq: 7 })]).toEqual(['3', '3–7']);
});
