/**
 * Whether the workers of a queue get on, from successive looks at its figures (protocol.md W9).
 * Law: pure; nothing is asked to find out, and a queue that nobody claims from is an alert, never an end of its tasks.
 */
import type { QueueHealth } from '../../shared/contract/queues-contract.ts';
import type { QueueFigures } from './queue-figures.ts';

/** What is looked at. */
export interface ConsumerLook
  extends Pick<QueueFigures, 'pendingCount' | 'inFlightCount' | 'redeliveredCount' | 'waitingCount'> {
  readonly isPaused: boolean;
  /** Of the look, ms since the epoch. */
  readonly atMs: number;
}

/** Times in ms since the epoch. */
export interface ConsumerHealth {
  /** When a task was seen to be claimed last; null: not seen. */
  readonly lastClaimMs: number | null;
  readonly state: QueueHealth;
  readonly sinceMs: number;
  /** What the next look is compared with. */
  readonly trail: { readonly look: ConsumerLook; readonly movedMs: number };
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
  const { pendingCount, inFlightCount, waitingCount, isPaused } = look;
  if (isPaused) return 'paused';
  if (pendingCount + inFlightCount === 0) return 'idle';
  if (pendingCount === 0) return 'ok';
  if (inFlightCount > 0) return stillMs >= stuckAfterMs ? 'stuck' : 'ok';
  return waitingCount === 0 && stillMs >= noConsumerAfterMs ? 'no-consumer' : 'ok';
}

/** Judges a look; `before`: what the look before came to, undefined for the first one. */
export function judgeConsumer(look: ConsumerLook, before: ConsumerHealth | undefined): ConsumerHealth {
  const { atMs } = look;
  const trail = before?.trail;
  const movedMs = trail !== undefined && isSame(trail.look, look) ? trail.movedMs : atMs;
  const state = stateOf(look, atMs - movedMs);
  return {
    lastClaimMs: trail !== undefined && isClaim(trail.look, look) ? atMs : (before?.lastClaimMs ?? null),
    ...{ state, sinceMs: before?.state === state ? before.sinceMs : atMs, trail: { look, movedMs } },
  };
}
