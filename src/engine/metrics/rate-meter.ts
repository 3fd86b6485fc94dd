/** Turns a rising count into a rate. Law: the rate is that of the last whole sample, in events per second. */
import type { Clock } from '../ports/clock.ts';

export interface RateMeter {
  /** Takes the count as it is now. */
  sample(count: number): void;
  readonly perSecond: number;
}

/** Creates a meter whose first sample is measured from 0 at its creation. */
export function createRateMeter(clock: Clock): RateMeter {
  let lastCount = 0;
  let lastMs = clock.monotonic();
  let perSecond = 0;
  return {
    sample(count) {
      const nowMs = clock.monotonic();
      if (nowMs <= lastMs) return;
      perSecond = ((count - lastCount) * 1000) / (nowMs - lastMs);
      lastCount = count;
      lastMs = nowMs;
    },
    get perSecond() {
      return perSecond;
    },
  };
}
