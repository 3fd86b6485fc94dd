/**
 * Keeps looking at something on whichever engine is behind the app (protocol.md W9, docs/spec/work.md W9e).
 * Law: it looks once a second, and sooner when something was heard; never twice at a time, and not while nobody can judge or the
 * connection is away. What is known of one engine is never shown as another's.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import type { LiveFabric } from '../connections/live-fabric.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

/** What is looked at on one engine. */
export interface Looked extends Disposable {
  /** Looks now. Throws what reading throws. */
  look(): Promise<void>;
}

export interface EngineWatch<T> extends Disposable {
  /** What is known on the engine in use; undefined before the first look. */
  current(): T | undefined;
  /** The same, begun now if it can be looked at; undefined while it cannot. */
  reachable(): T | undefined;
  /** Why the last look failed; null: it did not. */
  problem(): ErrorShape | null;
  /** Keys or connection have changed. */
  follow(): void;
}

export interface EngineWatchDeps<T extends Looked> {
  readonly live: Pick<LiveFabric, 'bus' | 'status'>;
  readonly engine: () => Pick<EngineInUse, 'destination'> | undefined;
  /** Whether signatures and seals can be judged now. */
  readonly isOpen: () => boolean;
  /** Patterns of what says that there is something new. */
  readonly hints: readonly string[];
  /** What is watched, for the log and for people: `work`. */
  readonly name: string;
  /** Begins on an engine; nothing is read before the first look. */
  readonly open: () => T;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told after each look, whatever came of it; the caller bounds its rate. */
  readonly onChange: () => void;
}

const everyMs = 1_000;
/** What is heard makes the next look come after so long, ms, and after a few times as long as the last look took. */
const hintMs = 100;
const restShare = 4;
const maxWaitMs = 30_000;

const away = new VakError('disconnected', 'the connection is away: what is shown was read before', { retryable: true });

/** Creates it at rest; `follow` begins. */
export function createEngineWatch<T extends Looked>(deps: EngineWatchDeps<T>): EngineWatch<T> {
  const { live, engine, isOpen, hints, name, open, clock, logger, onChange } = deps;
  const held = createDisposer();
  let watched: { readonly destination: string; readonly known: T } | undefined;
  let problem: ErrorShape | null = null;
  let timer: { readonly dueMs: number; readonly timer: Disposable } | undefined;
  let failedCount = 0;
  let isLooking = false;
  /** Something was heard since the last look began. */
  let isHeard = false;
  let tookMs = 0;
  let isEnded = false;

  const canLook = (): boolean => !isEnded && isOpen() && engine() !== undefined && live.status().kind === 'connected';

  function forget(): void {
    watched?.known.dispose();
    watched = undefined;
    problem = null;
    failedCount = 0;
  }

  function knownOn(destination: string): T {
    if (watched?.destination === destination) return watched.known;
    forget();
    const known = open();
    watched = { destination, known };
    return known;
  }

  function shapeOf(error: unknown): ErrorShape {
    if (isVakError(error)) return error.toShape();
    const message = `the ${name} could not be looked at, see the log: ${logger.bug(`${name}.look`, error)}`;
    return { code: 'internal', message, retryable: true };
  }

  async function look(): Promise<void> {
    const destination = engine()?.destination;
    if (destination === undefined || !canLook()) return;
    const known = knownOn(destination);
    const startMs = clock.monotonic();
    isHeard = false;
    try {
      await known.look();
      problem = null;
      failedCount = 0;
    } catch (error) {
      const shape = shapeOf(error);
      // Another engine may be there by now: what failed is nothing of it.
      if (watched?.known === known && canLook()) {
        failedCount++;
        problem = shape;
      }
    }
    tookMs = clock.monotonic() - startMs;
  }

  function stopTimer(): void {
    timer?.timer.dispose();
    timer = undefined;
  }

  /** A look that is due sooner stands. */
  function lookIn(waitMs: number): void {
    if (isLooking || !canLook()) return;
    const dueMs = clock.monotonic() + waitMs;
    if (timer !== undefined && timer.dueMs <= dueMs) return;
    stopTimer();
    timer = { dueMs, timer: clock.setTimer(waitMs, run) };
  }

  function lookSoon(): void {
    isHeard = true;
    if (failedCount === 0) lookIn(Math.min(everyMs, Math.max(hintMs, restShare * tookMs)));
  }

  async function lookAndGoOn(): Promise<void> {
    isLooking = true;
    await look();
    isLooking = false;
    onChange();
    lookIn(Math.min(maxWaitMs, everyMs * 2 ** failedCount));
    if (isHeard) lookSoon();
  }

  function run(): void {
    stopTimer();
    void lookAndGoOn();
  }

  held.defer(stopTimer);
  const onMessage = lookSoon;
  for (const pattern of hints) held.add(live.bus.subscribe(pattern, { kind: 'inline', onMessage }));
  held.defer(() => {
    isEnded = true;
    forget();
  });

  return {
    current: () => watched?.known,
    reachable() {
      const destination = engine()?.destination;
      return destination === undefined || !canLook() ? undefined : knownOn(destination);
    },
    problem: () => problem,
    follow() {
      const inUse = engine();
      if (watched !== undefined && inUse !== undefined && inUse.destination !== watched.destination) forget();
      if (canLook()) {
        failedCount = 0;
        lookIn(0);
      } else {
        stopTimer();
        if (watched !== undefined && live.status().kind !== 'connected') problem = away.toShape();
      }
      onChange();
    },
    dispose: () => held.dispose(),
  };
}
