import { describe, expect, it } from 'vitest';
import type { Outage } from '../../../shared/contract/connections-contract.ts';
import { createNoticeStore } from '../../ui/notice-store.ts';
import { createOutageNotices } from './outage-notices.ts';

const at = (time: string): number => Date.parse(`2026-11-29T${time}Z`);
const lost: Outage = { fromMs: at('14:03:07'), toMs: null, afterSeq: 12 };
const back: Outage = { ...lost, toMs: at('14:03:19') };

function setUp() {
  const notices = createNoticeStore();
  const said: string[] = [];
  const outages = createOutageNotices({
    advise: (text) => {
      said.push(text);
      return notices.advise(text);
    },
    notify: (text) => {
      said.push(text);
      notices.notify(text);
    },
    zone: () => 'utc',
  });
  const standing = () =>
    notices.store.getState().map((notice) => [notice.kind, notice.kind !== 'error' && notice.text]);
  return { ...outages, said, standing };
}

describe('notices of an outage', () => {
  it('B8 one when it is lost and one when it is back, however often the state comes meanwhile', () => {
    const { take, said, standing } = setUp();
    take({ outages: [], current: 'prod' });
    for (let i = 0; i < 2400; i++) take({ outages: [{ ...lost }], current: 'prod' });
    expect(standing()).toEqual([
      ['advice', 'The connection to prod was lost at 14:03:07 UTC. What is shown is from before then.'],
    ]);
    for (let i = 0; i < 10; i++) take({ outages: [{ ...back }], current: 'prod' });
    expect(standing()).toEqual([['info', 'Connected to prod again after 12.0\u00a0s (14:03:07 – 14:03:19 UTC).']]);
    expect(said).toHaveLength(2);
  });

  it('B8 says nothing of what was over before, and what lasts then once', () => {
    const { take, said } = setUp();
    take({ outages: [{ fromMs: 1, toMs: 2, afterSeq: 0 }, lost], current: 'prod' });
    take({ outages: [{ fromMs: 1, toMs: 2, afterSeq: 0 }, lost], current: 'prod' });
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('was lost');
  });

  it('B8 an outage that was over between two states is told once', () => {
    const { take, said } = setUp();
    take({ outages: [], current: 'prod' });
    take({ outages: [back], current: 'prod' });
    take({ outages: [back], current: 'prod' });
    expect(said).toEqual([expect.stringContaining('again after')]);
  });

  it('B8 takes the notice away without a word when another connection is used', () => {
    const { take, said, standing } = setUp();
    take({ outages: [lost], current: 'prod' });
    take({ outages: [back], current: 'embedded' });
    expect([said.length, standing()]).toEqual([1, []]);
    take({ outages: [back, { ...lost, fromMs: lost.fromMs + 60_000 }], current: 'dev' });
    take({ outages: [], current: 'embedded' });
    expect([said.length, standing()]).toEqual([2, []]);
  });
});
