/**
 * Keeps something open for the place that is wanted now: an engine, a destination (protocol.md B8).
 * Law: what was opened for one place is shut before anything is opened for the next; what cannot be opened is tried again, ever later,
 * however often it is asked to follow.
 */
import type { Disposable } from '../shared/base/disposer.ts';
import { type ErrorShape, isVakError, type VakError } from '../shared/base/vak-error.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import { createSerialLane } from './serial-lane.ts';

/** `off`: no place is wanted. `failed`: it could not be opened, and is tried again. */
export type FollowerState =
  | { readonly kind: 'off' | 'running' }
  | { readonly kind: 'failed'; readonly error: ErrorShape };

export interface PlaceFollower<T> {
  /** Call it when another place may be wanted; resolves when it was opened, or could not be. Never rejects. */
  follow(): Promise<void>;
  /** What is open now. */
  opened(): T | undefined;
  state(): FollowerState;
  /** Shuts what is open, for good. */
  close(): Promise<void>;
}

export interface PlaceFollowerDeps<P extends object, T> {
  /** The place that is wanted now; the same object as long as it is the same place. */
  readonly wanted: () => P | undefined;
  /** `lost`: to be called when what was opened is of no use any more; it is shut, and opened anew after a while. */
  readonly open: (place: P, lost: (cause: VakError) => void) => Promise<T>;
  readonly shut: (opened: T, place: P) => Promise<void>;
  /** Told when the state is another one. */
  readonly onChange: (state: FollowerState) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Its name in the log. */
  readonly event: string;
  /** Longest time between two tries, ms; 30 s if left out. */
  readonly lastRetryMs?: number;
}

const firstRetryMs = 2_000;
const slowestRetryMs = 30_000;

/** Creates it with nothing open. */
export function createPlaceFollower<P extends object, T>(deps: PlaceFollowerDeps<P, T>): PlaceFollower<T> {
  const { wanted, open, shut, onChange, clock, logger, event, lastRetryMs = slowestRetryMs } = deps;
  const lane = createSerialLane();
  let held: { readonly place: P; readonly opened: T } | undefined;
  let state: FollowerState = { kind: 'off' };
  let retry: Disposable | undefined;
  /** The place that could not be opened last, and when it is tried again, by `clock.monotonic`. */
  let failed: { readonly place: P; againMs: number } | undefined;
  let failedCount = 0;
  let openings = 0;
  let isClosed = false;

  function become(next: FollowerState): void {
    const isSame = next.kind === state.kind && next.kind !== 'failed';
    state = next;
    if (!isSame) onChange(next);
  }

  async function shutHeld(): Promise<void> {
    const former = held;
    held = undefined;
    if (former === undefined) return;
    try {
      await shut(former.opened, former.place);
    } catch (thrown) {
      if (isVakError(thrown)) logger.warn(event, { code: thrown.code, message: thrown.message });
      else logger.bug(event, thrown);
    }
  }

  function fail(place: P, thrown: unknown): void {
    const error = isVakError(thrown)
      ? thrown.toShape()
      : ({ code: 'internal', message: `see the log: ${logger.bug(event, thrown)}`, retryable: false } as const);
    logger.warn(event, { code: error.code, message: error.message });
    const waitMs = Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(failedCount, 10));
    const now = { place, againMs: clock.monotonic() + waitMs };
    failed = now;
    retry = clock.setTimer(waitMs, () => {
      // A timer may be a little early, and there is no other.
      now.againMs = Number.NEGATIVE_INFINITY;
      void follow();
    });
    failedCount++;
    become({ kind: 'failed', error });
  }

  /** What was opened as number `opening` is of no use any more. */
  async function lose(opening: number, cause: VakError): Promise<void> {
    if (held === undefined || opening !== openings) return;
    const { place } = held;
    await shutHeld();
    fail(place, cause);
  }

  async function settle(): Promise<void> {
    const place = isClosed ? undefined : wanted();
    if (place !== undefined && place === failed?.place && clock.monotonic() < failed.againMs) return;
    retry?.dispose();
    if (held?.place !== place) await shutHeld();
    if (place !== failed?.place) failedCount = 0;
    failed = undefined;
    if (place === undefined) return become({ kind: 'off' });
    if (held !== undefined) return;
    const opening = ++openings;
    const lost = (cause: VakError): void => void lane.run(() => lose(opening, cause));
    try {
      held = { place, opened: await open(place, lost) };
      failedCount = 0;
      become({ kind: 'running' });
    } catch (thrown) {
      fail(place, thrown);
    }
  }

  const follow = (): Promise<void> => lane.run(settle);

  return {
    follow,
    opened: () => held?.opened,
    state: () => state,
    async close() {
      isClosed = true;
      await follow();
    },
  };
}
