import { expect, it } from 'vitest';
import type { CampaignState } from '../../../shared/contract/dlq-contract.ts';
import {
  campaignWord,
  groupTitle,
  leftOutWords,
  readingWords,
  settledCount,
  stepWords,
  summaryWords,
  waitingWords,
} from './letter-words.ts';

const counts: CampaignState['counts'] = {
  ...{ requested: 1, published: 2, claimed: 3, done: 4, 'failed-same': 5, 'failed-new': 6 },
  ...{ lost: 7, unanswered: 8, refused: 9, cancelled: 10 },
};

it('W5 D7 letters of a retry count as ended once nothing more comes of them', () => {
  expect(settledCount({ counts })).toBe(4 + 5 + 6 + 7 + 9 + 10);
});

it('W5 D7 a retry that went through its letters is done only if none of them failed', () => {
  const none = { ...counts, 'failed-same': 0, 'failed-new': 0, lost: 0, refused: 0 };
  const toneOf = (own: CampaignState['counts']) => campaignWord({ state: 'done', counts: own }).tone;
  expect(campaignWord({ state: 'done', counts: none })).toEqual({ word: 'done', tone: 'ok' });
  expect([toneOf({ ...none, 'failed-same': 1 }), toneOf({ ...none, done: 0, lost: 1 })]).toEqual(['wait', 'bad']);
  expect(campaignWord({ state: 'running', counts }).word).toBe('running');
});

it('W5 D4 letters that are left out are told in their number', () => {
  expect(leftOutWords({ why: 'it is resolved', count: 1 })).toBe('1 letter left out: it is resolved');
  expect(leftOutWords({ why: 'it is resolved', count: 300 })).toBe('300 letters left out, of each: it is resolved');
});

it('D8 a canary says its step and its size; one that is over says that the rest goes', () => {
  const running = { isCanary: true, state: 'running' } as const;
  expect(stepWords({ ...running, step: { size: 2, index: 1, of: 4 } })).toBe('canary step 2 of 4: 2 letters');
  expect(stepWords({ ...running, step: null })).toContain('the rest goes');
  expect(stepWords({ isCanary: true, state: 'done', step: null })).toBeUndefined();
  expect(stepWords({ isCanary: false, state: 'running', step: null })).toBeUndefined();
});

it('W5 the title says what is open; a group without a name says so', () => {
  const none = { open: 0, retrying: 0, resolved: 3, 'failed-again': 0, archived: 0 };
  expect(summaryWords({ counts: none, openGroupCount: 0 })).toBe('none is open');
  expect(summaryWords({ counts: { ...none, open: 4 }, openGroupCount: 1 })).toBe('4 open · 1 open cause');
  expect(waitingWords(undefined)).toBe('Reading the dead letters…');
  expect(waitingWords({ readCount: 350, streamCount: 950 })).toBe('Reading the dead letters: 350 of 950');
  expect(readingWords({ readCount: 3, streamCount: 3 })).toBeUndefined();
  expect(readingWords({ readCount: 1, streamCount: 3 })).toBe('read 1 of 3 letters');
  expect(groupTitle({ key: '', title: '' }, 'worker')).toBe('no worker is known');
  expect(groupTitle({ key: 'ddaddbbce0b3d4b2', title: '' }, 'cause')).toBe('No reason was given');
});
