/**
 * Whether the workers of a queue get on, from successive looks at its figures (protocol.md W9, W10).
 * Law: pure; nobody is blamed before the time in which an honest worker gives a sign of life has passed six times, and what the engine
 * says of its own clock counts only within the time between two looks.
 */
import type { QueueFigures } from './queue-figures.ts';

/**
 * `idle`: no task is there. `paused`: an operator said so. `stuck`: tasks wait and some are claimed, but for two ack waits nothing was
 * claimed, ended, or said to be under way. `no-consumer`: tasks wait, none is claimed and nobody asks for one; or what was claimed is
 * left alone, and nobody asks. `waiting`: as `no-consumer`, for less than 10 s, and nobody has given a sign of life or asked for 10 s. `ok`:
 * everything else.
 */
export const consumerConditions = ['ok', 'idle', 'paused', 'stuck', 'waiting', 'no-consumer'] as const;
export type ConsumerCondition = (typeof consumerConditions)[number];

type Figures = Pick<QueueFigures, 'pendingCount' | 'inFlightCount' | 'waitingCount' | 'oldestMs' | 'ackWaitMs'>;
type Signs = Pick<QueueFigures, 'deliveredCount' | 'lastActiveMs' | 'lastEndedMs'>;

export interface ConsumerLook extends Figures, Signs {
  readonly isPaused: boolean;
  /** Of the look, ms since the epoch. */
  readonly atMs: number;
}

/** Times in ms since the epoch. */
export interface ConsumerHealth {
  /** When a task was claimed last, as far as can be told; null: not since the engine began. */
  readonly lastClaimMs: number | null;
  readonly state: ConsumerCondition;
  /** Since when it is so: of `stuck` and `no-consumer` the last sign of life, else the first look that found it so. */
  readonly sinceMs: number;
  /** What the next look is compared with. */
  readonly trail: Trail;
}

interface Trail extends Signs {
  readonly atMs: number;
  /** The last sign of life; where the engine tells of none, the first look. */
  readonly signMs: number;
  /** When somebody gave one, or asked for a task; −Infinity: the engine tells of none. */
  readonly livelyMs: number;
  /** Since when tasks wait and nobody does; null: it is not so. */
  readonly unclaimedMs: number | null;
}

/** Between two pulls of a worker nobody waits, for a moment. */
const unclaimedAlarmMs = 10_000;
/** A worker says three times in an ack wait that it is at it (W1). */
const silentAckWaits = 2;

/** The engine's newest sign of life; −Infinity: it tells of none. */
const newestSign = ({ lastActiveMs, lastEndedMs }: Signs): number =>
  Math.max(lastActiveMs ?? Number.NEGATIVE_INFINITY, lastEndedMs ?? Number.NEGATIVE_INFINITY);

const hasMoved = (now: Signs, before: Signs): boolean =>
  now.deliveredCount !== before.deliveredCount ||
  now.lastActiveMs !== before.lastActiveMs ||
  now.lastEndedMs !== before.lastEndedMs;

/** At a first look the engine's clock is believed; later a sign lies between the looks. */
function signOf(look: ConsumerLook, before: Trail | undefined): number {
  const { atMs } = look;
  const newest = newestSign(look);
  if (before === undefined) return Number.isFinite(newest) ? Math.min(newest, atMs) : atMs;
  if (!hasMoved(look, before)) return Math.min(before.signMs, atMs);
  return Math.min(Math.max(newest, before.atMs), atMs);
}

function livelyOf(look: ConsumerLook, before: Trail | undefined, signMs: number): number {
  if (look.waitingCount > 0) return look.atMs;
  if (before === undefined) return newestSign(look);
  return hasMoved(look, before) ? signMs : before.livelyMs;
}

function unclaimedSince(look: ConsumerLook, before: Trail | undefined): number | null {
  const { pendingCount, inFlightCount, waitingCount, isPaused, oldestMs, atMs } = look;
  if (isPaused || pendingCount === 0 || inFlightCount > 0 || waitingCount > 0) return null;
  // A task that has stood there since was claimed by nobody.
  if (before === undefined) return Math.min(atMs, Math.max(oldestMs ?? atMs, newestSign(look)));
  if (before.unclaimedMs === null || hasMoved(look, before)) return atMs;
  return Math.min(before.unclaimedMs, atMs);
}

/** An alarm, and since when; undefined: there is none. */
function alarmOf(
  look: ConsumerLook,
  { signMs, unclaimedMs }: Trail,
): Pick<ConsumerHealth, 'state' | 'sinceMs'> | undefined {
  const { atMs, pendingCount, inFlightCount, waitingCount, ackWaitMs } = look;
  if (unclaimedMs !== null && atMs - unclaimedMs >= unclaimedAlarmMs)
    return { state: 'no-consumer', sinceMs: unclaimedMs };
  if (inFlightCount === 0 || atMs - signMs <= silentAckWaits * ackWaitMs) return undefined;
  if (pendingCount > 0) return { state: 'stuck', sinceMs: signMs };
  return waitingCount === 0 ? { state: 'no-consumer', sinceMs: signMs } : undefined;
}

function calmState(
  { isPaused, pendingCount, inFlightCount, atMs }: ConsumerLook,
  { unclaimedMs, livelyMs }: Trail,
): ConsumerCondition {
  if (isPaused) return 'paused';
  if (pendingCount + inFlightCount === 0) return 'idle';
  return unclaimedMs !== null && atMs - livelyMs > unclaimedAlarmMs ? 'waiting' : 'ok';
}

function claimOf(look: ConsumerLook, before: ConsumerHealth | undefined): number | null {
  if (before === undefined) return look.lastActiveMs;
  return look.deliveredCount === before.trail.deliveredCount
    ? before.lastClaimMs
    : (look.lastActiveMs ?? before.lastClaimMs);
}

/** Judges a look; `before`: what the look before came to, undefined for the first one. */
export function judgeConsumer(look: ConsumerLook, before: ConsumerHealth | undefined): ConsumerHealth {
  const { atMs, deliveredCount, lastActiveMs, lastEndedMs, isPaused } = look;
  const signMs = signOf(look, before?.trail);
  const trail: Trail = {
    ...{ atMs, deliveredCount, lastActiveMs, lastEndedMs, signMs },
    livelyMs: livelyOf(look, before?.trail, signMs),
    unclaimedMs: unclaimedSince(look, before?.trail),
  };
  const lastClaimMs = claimOf(look, before);
  const alarm = isPaused ? undefined : alarmOf(look, trail);
  if (alarm !== undefined) return { lastClaimMs, ...alarm, trail };
  const state = calmState(look, trail);
  return { lastClaimMs, state, sinceMs: before?.state === state ? Math.min(before.sinceMs, atMs) : atMs, trail };
}
