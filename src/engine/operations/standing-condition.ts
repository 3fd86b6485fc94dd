/**
 * Whether a condition stands, from readings that go up and down (protocol.md W9).
 * Law: it begins only after it was over its limit without a break, and ends only after it was well below it without one: no flapping.
 */

/** `over` the limit, well below it (`calm`), or in between: neither begins nor ends anything. */
export type Reading = 'over' | 'between' | 'calm';

/** When something was read: ms since the epoch for people, and monotonic ms for durations. */
export interface Moment {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export interface StandingCondition {
  /** `sinceMs`: since when it is over, if that is known better than by the readings (ms since the epoch). */
  note(reading: Reading, at: Moment, sinceMs?: number): void;
  /** Nothing could be read: what was read before proves no duration any more. */
  interrupt(): void;
  /** It is not looked at any more: it does not stand. */
  reset(): void;
  /** Since when it stands, ms since the epoch; undefined: it does not. */
  sinceMs(): number | undefined;
}

export interface StandingLimits {
  /** How long it must be over before it stands, ms. */
  readonly beginMs: number;
  /** How long it must be calm before it is over, ms. */
  readonly endMs: number;
}

/** Creates a condition that does not stand. `limits` is asked at each reading: settings change. */
export function createStandingCondition(limits: () => StandingLimits): StandingCondition {
  let standsSinceMs: number | undefined;
  let over: { readonly atMonotonicMs: number; readonly sinceMs: number } | undefined;
  let calmMonotonicMs: number | undefined;

  function noteOver({ nowMs, monotonicMs }: Moment, sinceMs: number): void {
    over ??= { atMonotonicMs: monotonicMs, sinceMs };
    // Whoever told us since when may have seen it before we did.
    const overMs = Math.max(monotonicMs - over.atMonotonicMs, nowMs - sinceMs);
    if (overMs >= limits().beginMs) standsSinceMs ??= over.sinceMs;
  }

  function interrupt(): void {
    over = undefined;
    calmMonotonicMs = undefined;
  }

  return {
    note(reading, at, sinceMs = over?.sinceMs ?? at.nowMs) {
      if (reading !== 'calm') calmMonotonicMs = undefined;
      if (reading !== 'over') over = undefined;
      if (reading === 'over') noteOver(at, sinceMs);
      if (reading !== 'calm') return;
      calmMonotonicMs ??= at.monotonicMs;
      if (at.monotonicMs - calmMonotonicMs >= limits().endMs) standsSinceMs = undefined;
    },
    interrupt,
    reset() {
      interrupt();
      standsSinceMs = undefined;
    },
    sinceMs: () => standsSinceMs,
  };
}
