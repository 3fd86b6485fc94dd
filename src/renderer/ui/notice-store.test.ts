import { describe, expect, it } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import { createNoticeStore, maxNotices } from './notice-store.ts';

describe('notices', () => {
  it('the same failure again counts up instead of piling up', () => {
    const notices = createNoticeStore();
    for (let i = 0; i < 2400; i++) notices.reportError('Connect', new VakError('closed', 'the bus is closed'));
    notices.reportError('Connect', new VakError('timeout', 'no answer in 5 s'));
    expect(notices.store.getState().map(({ count }) => count)).toEqual([2400, 1]);
  });

  it('says what, why and what next, and keeps code and details to copy', () => {
    const notices = createNoticeStore();
    notices.reportError(
      'Run a command',
      new VakError('spawn-failed', 'no such folder', { details: { cwdLength: 12 } }),
    );
    const [notice] = notices.store.getState();
    expect(notice).toMatchObject({
      kind: 'error',
      report: { doing: 'Run a command', why: 'no such folder', next: expect.stringContaining('folder') },
    });
    expect(notice?.kind === 'error' && notice.report.details).toMatch(/code: spawn-failed[\s\S]*cwdLength: 12/);
  });

  it('what was refused is no news of something done', () => {
    const notices = createNoticeStore();
    notices.refuse('Stop it: it does not run');
    notices.notify('Stop it: it does not run', { label: 'Show it', run: () => {}, whyNot: null });
    expect(notices.store.getState()).toMatchObject([
      { kind: 'refusal' },
      { kind: 'info', offer: { label: 'Show it' } },
    ]);
  });

  it('advice stands until it is taken away, whoever does it', () => {
    const notices = createNoticeStore();
    const takeAway = notices.advise('The last good copy was opened.');
    notices.notify('The last good copy was opened.');
    expect(notices.store.getState().map(({ kind }) => kind)).toEqual(['advice', 'info']);
    takeAway();
    takeAway();
    expect(notices.store.getState().map(({ kind }) => kind)).toEqual(['info']);
  });

  it('calls a foreign error a defect, and accepts anything that was thrown', () => {
    const notices = createNoticeStore();
    notices.reportError('Draw', new TypeError('x is undefined'));
    notices.reportError('Draw', 'a string');
    const reports = notices.store.getState().map((notice) => (notice.kind === 'error' ? notice.report : undefined));
    expect(reports[0]?.next).toContain('defect');
    expect(reports[1]?.why).toBe('a string');
  });

  it('is bounded, oldest first, and dismissing takes one', () => {
    const notices = createNoticeStore();
    for (let i = 0; i < maxNotices + 2; i++) notices.notify(`done ${i}`);
    const ids = notices.store.getState().map(({ id }) => id);
    expect(ids).toHaveLength(maxNotices);
    notices.dismiss(ids[1] ?? 0);
    expect(notices.store.getState().map(({ id }) => id)).toEqual(ids.filter((_, index) => index !== 1));
  });
});
