import { expect, it } from 'vitest';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import type { CampaignState } from '../../../shared/contract/dlq-contract.ts';
import { needsTyping, whyNotAct, whyNotEdit, whyNotOpen, whyNotSay, whyNotStop } from './letter-reasons.ts';

const writable = connectionsState({ contexts: [{ ...prod, isReadOnly: false }] });
const letter = { kind: 'letter', seqs: [7] } as const;
const matching = { kind: 'matching', filter: '', isWhole: true } as const;
const running = { state: 'running' } as CampaignState;

it('W5 on a read-only connection every action says so, whatever is selected', () => {
  const situation = { connection: connectionsState(), scope: letter, cause: 'f' };
  const reasons = [
    ...[whyNotAct(situation), whyNotEdit(situation, null), whyNotOpen(situation, null), whyNotSay(situation)],
    whyNotStop(situation, running),
  ];
  expect(reasons).toEqual(new Array(5).fill('the connection prod is read-only'));
});

it('W5 an action says what is to be selected first, and does what it can', () => {
  const situation = { connection: writable, scope: undefined, cause: null };
  expect(whyNotAct(situation)).toContain('select a group or a letter');
  expect(whyNotSay(situation)).toContain('select a cause');
  expect(whyNotEdit({ ...situation, scope: matching }, null)).toContain('one letter');
  expect(whyNotEdit({ ...situation, scope: { kind: 'picked', seqs: [1, 2] } }, null)).toContain('only one');
  expect(whyNotEdit({ ...situation, scope: letter }, 'its key is gone')).toBe('its key is gone');
  expect(whyNotEdit({ ...situation, scope: letter }, null)).toBeUndefined();
  expect(whyNotAct({ ...situation, scope: matching })).toBeUndefined();
  expect(whyNotStop(situation, { ...running, state: 'done' })).toBe('it is over');
});

const retry = (count: number) => ({ action: 'retry', count }) as const;

it('W5 an export touches no letter, so no name is typed for it, however many it takes', () => {
  expect(needsTyping({ action: 'export', count: 5000 }, writable)).toBe(false);
  expect(needsTyping({ action: 'restore', count: 6 }, writable)).toBe(true);
});

it('W5 more than a few letters on a server of others are confirmed by its name; in the app itself they are not', () => {
  expect([needsTyping(retry(5), writable), needsTyping(retry(6), writable)]).toEqual([false, true]);
  const of = (more: Partial<typeof prod>) => connectionsState({ contexts: [{ ...prod, isReadOnly: false, ...more }] });
  expect(needsTyping(retry(6), of({ kind: 'embedded' }))).toBe(false);
  expect(needsTyping(retry(6), of({ kind: 'managed', colour: 'grey' }))).toBe(false);
  expect(needsTyping(retry(6), of({ kind: 'managed', colour: 'red' }))).toBe(true);
});
