/** How long work takes: repeated for a while, and how many of its units were done a second. */
import { p95Of } from './rounds.ts';

const defaultMs = 200;

/** Repeats `work`, which does `unitsEach` units, for at least `forMs`; gives units a second. */
export function rateOf(work: () => void, unitsEach: number, forMs = defaultMs): number {
  const startedAt = performance.now();
  let repeats = 0;
  let elapsedMs: number;
  do {
    work();
    repeats++;
    elapsedMs = performance.now() - startedAt;
  } while (elapsedMs < forMs);
  return (repeats * unitsEach * 1_000) / elapsedMs;
}

/** As `rateOf`, of work that is done when its promise settles. */
export async function asyncRateOf(work: () => Promise<void>, unitsEach: number, forMs = defaultMs): Promise<number> {
  const startedAt = performance.now();
  let repeats = 0;
  let elapsedMs: number;
  do {
    await work();
    repeats++;
    elapsedMs = performance.now() - startedAt;
  } while (elapsedMs < forMs);
  return (repeats * unitsEach * 1_000) / elapsedMs;
}

/** Does `work`, of so many units, once; gives units a second. */
export async function rateOnce(work: () => Promise<void>, units: number): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (units * 1_000) / (performance.now() - startedAt);
}

/** The p95 of calls that follow each other, ms. */
export async function p95OfCalls(call: () => Promise<unknown>, calls: number): Promise<number> {
  const tookMs: number[] = [];
  for (let at = 0; at < calls; at++) {
    const startedAt = performance.now();
    await call();
    tookMs.push(performance.now() - startedAt);
  }
  return p95Of(tookMs);
}

/** Counts what arrives, and wakes who waits for a number of it. */
export interface Arrivals {
  count(many?: number): void;
  /** Resolves when `more` others have arrived since the last call; rejects after 10 s: something was lost. */
  next(more: number): Promise<void>;
}

export function createArrivals(what: string): Arrivals {
  let arrived = 0;
  let expected = 0;
  let wake: (() => void) | undefined;
  return {
    count(many = 1) {
      arrived += many;
      if (arrived >= expected) wake?.();
    },
    next(more) {
      expected += more;
      if (arrived >= expected) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${what}: ${arrived} of ${expected} arrived within 10 s`)),
          10_000,
        );
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          resolve();
        };
      });
    },
  };
}
