import { describe, expect, it, vi } from 'vitest';
import { createPresenceReporter, reportIntervalMs } from './presence-reporter.ts';

function setUp() {
  const timers = new Map<number, () => void>();
  let lastId = 0;
  const report = vi.fn();
  const reporter = createPresenceReporter({
    report,
    intervalMs: 60_000,
    setTimer: (run) => {
      timers.set(++lastId, run);
      return lastId;
    },
    clearTimer: (id) => timers.delete(id),
  });
  const elapse = (): void => {
    const due = [...timers.values()];
    timers.clear();
    for (const run of due) run();
  };
  return { report, reporter, timers, elapse };
}

describe('report of use', () => {
  it('is given at once, and then once an interval, however much is typed', () => {
    const { report, reporter, elapse } = setUp();
    for (let i = 0; i < 500; i++) reporter.used();
    expect(report).toHaveBeenCalledTimes(1);
    elapse();
    expect(report).toHaveBeenCalledTimes(2);
  });

  it('stops when nobody is there, and begins at once when somebody is', () => {
    const { report, reporter, timers, elapse } = setUp();
    reporter.used();
    elapse();
    expect(timers.size).toBe(0);
    reporter.used();
    expect(report).toHaveBeenCalledTimes(2);
  });

  it('reports nothing after it was disposed', () => {
    const { report, reporter, elapse } = setUp();
    reporter.used();
    reporter.used();
    reporter.dispose();
    elapse();
    expect(report).toHaveBeenCalledTimes(1);
  });

  it.each([
    [15, 60_000],
    [4, 60_000],
    [1, 15_000],
  ])('with an idle limit of %d min comes every %d ms', (minutes, expected) => {
    expect(reportIntervalMs(minutes)).toBe(expected);
  });
});
