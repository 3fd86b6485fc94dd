/**
 * Whether who asked for an approval lives still, by what its peer is heard to say (protocol.md W8).
 * Law: silence proves something only while everything else would have been heard; a peer that was never heard counts as alive.
 */
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Clock } from '../ports/clock.ts';
import { type SessionDirectory, staleAfterMs } from '../sessions/session-directory.ts';
import type { ApprovalRequest, AskerGone } from './approval-book.ts';

export interface AskerWatch {
  /** Looks now; what it gives says of requests whether their asker is gone. */
  look(): (request: Pick<ApprovalRequest, 'requestId' | 'peer'>) => AskerGone | undefined;
}

export interface AskerWatchDeps {
  readonly sessions: Pick<SessionDirectory, 'ofPeer'>;
  /** Whether the connection is there now. */
  readonly isConnected: () => boolean;
  readonly clock: Clock;
}

interface Judging {
  readonly askedMs: number;
  readonly canHear: boolean;
}

type Session = ReturnType<SessionDirectory['ofPeer']>[number];

const capacity = 10_000;
/** Who was not asked for so long may have slept, ms. */
const gapMs = 5_000;

/** Creates it; it is asked about once a second while somebody waits. */
export function createAskerWatch({ sessions, isConnected, clock }: AskerWatchDeps): AskerWatch {
  /** When a request was first asked about, ms since the epoch. */
  const firstMs = createBoundedCache<number>(capacity);
  let hearingSinceMs = Number.POSITIVE_INFINITY;
  let lookedMs = Number.NEGATIVE_INFINITY;

  function hear(): boolean {
    const nowMs = clock.monotonic();
    const isGap = nowMs - lookedMs > gapMs;
    lookedMs = nowMs;
    if (!isConnected()) hearingSinceMs = Number.POSITIVE_INFINITY;
    else if (isGap || hearingSinceMs > nowMs) hearingSinceMs = nowMs;
    return nowMs - hearingSinceMs >= staleAfterMs;
  }

  /** Undefined: this session may be the one of whoever asked. */
  function goneIn({ state, lastSeenMs, startedMs }: Session, askedMs: number, canHear: boolean): number | undefined {
    if (startedMs !== undefined && startedMs > askedMs) return startedMs;
    return state === 'ended' || (state === 'stale' && canHear) ? lastSeenMs : undefined;
  }

  function judge(peer: string, all: readonly Session[], judging: Judging): AskerGone | undefined {
    const { askedMs, canHear } = judging;
    const times = all.map((one) => goneIn(one, askedMs, canHear));
    if (times.length === 0 || times.includes(undefined)) return undefined;
    // The session that asked is among those that did not begin later.
    const own = all.filter(({ startedMs }) => startedMs === undefined || startedMs <= askedMs);
    if (own.length === 0) {
      return { why: `${peer} has been started anew since.`, atMs: Math.min(...times.map((one) => one ?? 0)) };
    }
    const why = own.some(({ state }) => state === 'stale')
      ? `${peer} has not been heard for more than ${staleAfterMs / 1_000} s.`
      : `The session of ${peer} has ended.`;
    return { why, atMs: Math.max(...own.map(({ lastSeenMs }) => lastSeenMs)) };
  }

  return {
    look() {
      const canHear = hear();
      const heard = new Map<string, readonly Session[]>();
      return ({ requestId, peer }) => {
        const askedMs = firstMs.get(requestId) ?? clock.now();
        firstMs.set(requestId, askedMs);
        const all = heard.get(peer) ?? sessions.ofPeer(peer);
        heard.set(peer, all);
        return judge(peer, all, { askedMs, canHear });
      };
    },
  };
}
