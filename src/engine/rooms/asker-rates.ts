/**
 * How much each asker may ask: of the membership service, and of a member for keys (docs/spec/rooms.md R24, R28, R37).
 * Law: one that asks too much is told so, and keeps nobody else from asking; memory is bounded.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Clock } from '../ports/clock.ts';

export interface AskerRates {
  /** Takes so much of what a peer may still ask. Throws `limit-exceeded`. */
  take(peer: string, cost: number): void;
}

/** What a peer may ask at once, and what comes back a second. */
export interface AskerLimits {
  readonly burst: number;
  readonly perSecond: number;
}
const serviceLimits: AskerLimits = { burst: 200, perSecond: 50 };
/** Peers that are remembered; whoever is forgotten may ask anew. */
const remembered = 4_096;

/** Creates it; without limits those of the service hold. */
export function createAskerRates(clock: Pick<Clock, 'monotonic'>, limits = serviceLimits): AskerRates {
  const { burst, perSecond } = limits;
  const left = createBoundedCache<{ readonly count: number; readonly atMs: number }>(remembered);
  return {
    take(peer, cost) {
      const nowMs = clock.monotonic();
      const before = left.get(peer) ?? { count: burst, atMs: nowMs };
      const count = Math.min(burst, before.count + ((nowMs - before.atMs) / 1_000) * perSecond);
      if (count < cost) {
        const message = `${peer} asks too much: ${perSecond} requests a second are taken; ask again later`;
        throw new VakError('limit-exceeded', message, { retryable: true });
      }
      left.set(peer, { count: count - cost, atMs: nowMs });
    },
  };
}
