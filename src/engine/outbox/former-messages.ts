/**
 * What an earlier process left in an outbox, and what becomes of it (protocol.md B8).
 * Law: it counts from the opening on: an outbox sends what waits at once, and does not wait until somebody asks.
 */
import type { DurablePeer } from './durable-peer.ts';

/** What became of it. */
export interface FormerOutcome {
  readonly sentCount: number;
  readonly refusedCount: number;
  /** Those that still wait, void records that are owed among them. */
  readonly waitingCount: number;
}

export interface FormerMessages {
  /** Waits for it, so long at most, ms. Undefined: nothing was left. */
  finish(limitMs: number): Promise<FormerOutcome | undefined>;
}

/** Begins to count; call it as soon as the peer is open, and before anything of one's own is published. */
export function followFormer(
  peer: Pick<DurablePeer, 'waiting' | 'onDelivered' | 'onRefused' | 'drain'>,
): FormerMessages {
  const waitingCount = (): number => peer.waiting().count + peer.waiting().voidOwedCount;
  const hasAny = waitingCount() > 0;
  let [sentCount, refusedCount] = [0, 0];
  const listening = [peer.onDelivered(() => sentCount++), peer.onRefused(() => refusedCount++)];
  return {
    async finish(limitMs) {
      try {
        if (!hasAny) return undefined;
        await peer.drain(limitMs);
        return { sentCount, refusedCount, waitingCount: waitingCount() };
      } finally {
        for (const one of listening) one.dispose();
      }
    },
  };
}
