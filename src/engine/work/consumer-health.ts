/**
 * Whether somebody works on a queue, told from the counts of its consumer as they change (protocol.md W3, W9).
 * Law: nothing is asked to find out; a queue that nobody claims from is an alert, and never an end of its tasks.
 */
import type { QueueHealth } from '../../shared/contract/queues-contract.ts';

/** Counts of a queue's consumer at one time. */
export interface ConsumerLook {
  readonly pendingCount: number;
  readonly inFlightCount: number;
  readonly redeliveredCount: number;
  readonly waitingCount: number;
}

export interface ConsumerHealth {
  /** When a task was last seen to be claimed, ms since the epoch; null: not seen. */
  readonly lastClaimMs: number | null;
  readonly state: QueueHealth;
  /** Since when it is so, ms since the epoch. */
  readonly sinceMs: number;
}

/** What is remembered between two looks. */
export interface HealthMemory extends ConsumerHealth {
  readonly look: ConsumerLook;
  /** When any of the counts changed last. */
  readonly movedMs: number;
}

/** Tasks may wait so long before nobody seems to claim them, ms. */
const noConsumerAfterMs = 10_000;
/** Claims may stand still so long while others wait, ms: twice the ack wait, so that a death shows as a redelivery first. */
const stuckAfterMs = 60_000;

const isSame = (one: ConsumerLook, other: ConsumerLook): boolean =>
  one.pendingCount === other.pendingCount &&
  one.inFlightCount === other.inFlightCount &&
  one.redeliveredCount === other.redeliveredCount;

const isClaim = (before: ConsumerLook, now: ConsumerLook): boolean =>
  now.inFlightCount > before.inFlightCount ||
  now.redeliveredCount > before.redeliveredCount ||
  now.pendingCount < before.pendingCount;

function stateOf(look: ConsumerLook, stillMs: number): QueueHealth {
  const { pendingCount, inFlightCount, waitingCount } = look;
  if (pendingCount + inFlightCount === 0) return 'idle';
  if (pendingCount === 0) return 'ok';
  if (inFlightCount > 0) return stillMs >= stuckAfterMs ? 'stuck' : 'ok';
  return waitingCount === 0 && stillMs >= noConsumerAfterMs ? 'no-consumer' : 'ok';
}

/** The health after a look; `before`: undefined at the first one. */
export function nextHealth(
  before: HealthMemory | undefined,
  look: ConsumerLook,
  { isPaused, nowMs }: { readonly isPaused: boolean; readonly nowMs: number },
): HealthMemory {
  const isMoved = before === undefined || !isSame(before.look, look);
  const movedMs = isMoved ? nowMs : before.movedMs;
  const hasClaimed = before !== undefined && isClaim(before.look, look);
  const state = isPaused ? 'paused' : stateOf(look, nowMs - movedMs);
  return {
    ...{ look, movedMs, state },
    lastClaimMs: hasClaimed ? nowMs : (before?.lastClaimMs ?? null),
    sinceMs: before?.state === state ? before.sinceMs : nowMs,
  };
}
