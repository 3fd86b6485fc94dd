/**
 * How far the clocks of peers must be off from that of the streams (docs/spec/trace.md T4).
 * Law: the least correction that makes what is known possible; a peer is never corrected for what may as well have been a delay.
 */
import type { TraceSkew } from '../../shared/contract/trace-contract.ts';

/** Below it is rounding and the time of one machine's own turns, ms. */
const leastMs = 50;

/** True time is a peer's time plus an offset from `atLeastMs` to `atMostMs`. */
interface Bounds {
  atLeastMs: number;
  atMostMs: number;
}

export interface ClockSkews {
  /** The peer said a time, and the streams one that was not before it: what is stored was written already. */
  notAfter(peer: string, saidMs: number, streamMs: number): void;
  /** The peer said a time, and the streams one that was not after it: whoever begins a task had it stored before. */
  notBefore(peer: string, saidMs: number, streamMs: number): void;
  /** To be added to a time of that peer, ms. */
  offsetMs(peer: string | null): number;
  /** Those that are off, by name. */
  all(): readonly TraceSkew[];
}

function offsetIn({ atLeastMs, atMostMs }: Bounds): number {
  if (atMostMs < 0) return atMostMs <= -leastMs ? atMostMs : 0;
  return atLeastMs >= leastMs ? Math.min(atLeastMs, atMostMs) : 0;
}

/** Creates it, without knowing anybody. */
export function createClockSkews(): ClockSkews {
  const peers = new Map<string, Bounds>();
  function boundsOf(peer: string): Bounds {
    const known = peers.get(peer) ?? { atLeastMs: Number.NEGATIVE_INFINITY, atMostMs: Number.POSITIVE_INFINITY };
    peers.set(peer, known);
    return known;
  }
  return {
    notAfter(peer, saidMs, streamMs) {
      const bounds = boundsOf(peer);
      bounds.atMostMs = Math.min(bounds.atMostMs, streamMs - saidMs);
    },
    notBefore(peer, saidMs, streamMs) {
      const bounds = boundsOf(peer);
      bounds.atLeastMs = Math.max(bounds.atLeastMs, streamMs - saidMs);
    },
    offsetMs(peer) {
      const bounds = peer === null ? undefined : peers.get(peer);
      return bounds === undefined ? 0 : offsetIn(bounds);
    },
    all: () =>
      [...peers]
        .map(([peer, bounds]) => ({
          ...{ peer, offsetMs: offsetIn(bounds) },
          isContradictory: bounds.atLeastMs > bounds.atMostMs + leastMs,
        }))
        .filter(({ offsetMs, isContradictory }) => offsetMs !== 0 || isContradictory)
        .sort((a, b) => (a.peer < b.peer ? -1 : 1)),
  };
}
