import { describe, expect, it, vi } from 'vitest';
import { approvalReport } from '../../../../tests/support/approval-reports.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createApprovalWork } from './approval-work.ts';

function setUp() {
  const pending = ['r1', 'r2', 'r3'];
  const answer = vi.fn(async () => {});
  const notify = vi.fn();
  const work = createApprovalWork({ answer, notify, pendingIds: () => pending });
  return { work, pending, answer, notify, state: work.store.getState };
}

describe('W8 answering', () => {
  it('W8 answers the request that was asked about, whatever is selected or gone meanwhile', async () => {
    const { work, pending, answer } = setUp();
    work.select('pending', 'r2');
    work.ask(approvalReport('r2'), 'deny');
    pending.shift();
    work.select('pending', 'r3');
    await work.answer(' not at night ');
    expect(answer).toHaveBeenCalledExactlyOnceWith({ requestId: 'r2', decision: 'deny', reason: 'not at night' });
  });

  it('W8 goes on to the next one, and stays where another was chosen', async () => {
    const { work, state } = setUp();
    work.select('pending', 'r2');
    work.ask(approvalReport('r2'), 'approve');
    await work.answer('');
    expect(state().selected.pending).toBe('r3');
    work.ask(approvalReport('r1'), 'approve');
    await work.answer('');
    expect(state().selected.pending).toBe('r3');
  });

  it('W8 the last one leads to the one before, the only one to none', async () => {
    const { work, pending, state } = setUp();
    work.select('pending', 'r3');
    work.ask(approvalReport('r3'), 'approve');
    await work.answer('');
    expect(state().selected.pending).toBe('r2');
    pending.splice(0, 3, 'r2');
    work.ask(approvalReport('r2'), 'approve');
    await work.answer('');
    expect(state().selected.pending).toBeUndefined();
  });

  it('W8 says that it is signed and final, without a reason where none was given', async () => {
    const { work, answer, notify, state } = setUp();
    work.ask(approvalReport('r1', { title: 'Drop‮ it' }), 'approve');
    expect(await work.answer('  ')).toBe(true);
    expect(answer).toHaveBeenCalledWith({ requestId: 'r1', decision: 'approve' });
    expect(notify).toHaveBeenCalledWith('Approved: Drop‹U+202E› it. It is signed and cannot be taken back.');
    expect(state().answering).toBeUndefined();
  });

  it('W8 an answer that did not count keeps the question open with why, and says nothing else', async () => {
    const { work, answer, notify, state } = setUp();
    answer.mockRejectedValueOnce(new VakError('conflict', 'r1: the answer does not count, bob was first (deny)'));
    work.select('pending', 'r1');
    work.ask(approvalReport('r1'), 'approve');
    expect(await work.answer('')).toBe(false);
    expect(state().failure?.why).toContain('bob was first');
    expect([state().answering?.approval.requestId, state().selected.pending]).toEqual(['r1', 'r1']);
    expect(notify).not.toHaveBeenCalled();
    work.cancel();
    expect([state().answering, state().failure]).toEqual([undefined, undefined]);
  });

  it('W8 a second press while it is under way answers nothing more', async () => {
    const { work, answer } = setUp();
    work.ask(approvalReport('r1'), 'approve');
    await Promise.all([work.answer(''), work.answer('')]);
    expect(answer).toHaveBeenCalledOnce();
  });
});
