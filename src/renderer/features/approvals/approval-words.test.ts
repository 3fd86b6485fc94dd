import { describe, expect, it } from 'vitest';
import { approvalReport } from '../../../../tests/support/approval-reports.ts';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import { unitSpace } from '../../ui/format.ts';
import { authorWords, expiryWords, findApproval, standingOf, summaryWords, whyNotAnswer } from './approval-words.ts';

const connection = connectionsState({ contexts: [{ ...prod, isReadOnly: false }] });
const nowMs = 2000;

describe('words for approvals', () => {
  it('W8 what is over is expired, told or not; what was answered stays so', () => {
    expect(standingOf(approvalReport('r1'), 601_000)).toBe('pending');
    expect(standingOf(approvalReport('r1'), 601_001)).toBe('expired');
    expect(standingOf(approvalReport('r1', { state: 'approved' }), 999_999)).toBe('approved');
  });

  it('W8 who wrote what does not count is a claim until it was proven', () => {
    const author = { peer: 'olga', session: null, signer: null, isProven: true };
    expect([authorWords(author), authorWords({ ...author, isProven: false }), authorWords(null)]).toEqual([
      ...['olga', 'says it is of olga', 'nobody is named'],
    ]);
  });

  it('W8 says how long is left', () => {
    expect(expiryWords(601_000, nowMs)).toBe(`expires in 9${unitSpace}min 59${unitSpace}s`);
    expect(expiryWords(1000, nowMs)).toBe('expired');
  });

  it('the summary counts what waits and says since when', () => {
    expect(summaryWords({ pending: [], leftOutCount: 0 }, nowMs)).toBe('nothing waits');
    const pending = [approvalReport('r1'), approvalReport('r2')];
    expect(summaryWords({ pending, leftOutCount: 0 }, 5000)).toBe(`2 wait · the oldest was asked 4${unitSpace}s ago`);
    expect(summaryWords({ pending: [approvalReport('r1')], leftOutCount: 0 }, 5000)).toBe(
      `1 waits · asked 4${unitSpace}s ago`,
    );
    expect(summaryWords({ pending, leftOutCount: 7 }, 5000)).toMatch(/^9 wait/);
  });

  it('finds a request where it stands', () => {
    const state = { pending: [approvalReport('r1')], past: [approvalReport('r2', { state: 'denied' })] };
    expect(findApproval(state, 'r2')?.state).toBe('denied');
    expect([findApproval(state, 'r9'), findApproval(state, undefined), findApproval(undefined, 'r1')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['none is selected', undefined, connection, 'select a request that waits first'],
    ['it is over', approvalReport('r1', { expiresMs: 1999 }), connection, 'its time is over'],
    ['it was answered', approvalReport('r1', { state: 'denied' }), connection, 'it is denied already'],
    [
      'the connection is read-only',
      approvalReport('r1'),
      connectionsState(),
      'the connection prod is read-only; use another one or change it in Settings, Connections',
    ],
    ['it can be answered', approvalReport('r1'), connection, undefined],
  ])('W8 why not: %s', (_case, approval, connected, why) => {
    expect(whyNotAnswer({ approval, connection: connected, nowMs })).toBe(why);
  });
});
