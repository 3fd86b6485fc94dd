/**
 * Keeps an eye on the work of the workspace, whichever engine is behind the app (product.md "Queues", "Approvals").
 * Law: it looks once a second, and sooner when something was heard; never twice at a time, and not while nobody can judge or the
 * connection is away. What is known of one engine is never shown as another's.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import type { LiveFabric } from '../connections/live-fabric.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { ApprovalReading } from './approval-reading.ts';
import { auditSubject } from './purge-records.ts';
import type { TaskRecord, TaskState } from './task-book.ts';
import { createWatchedWork, type WatchedWork, type WatchedWorkDeps } from './watched-work.ts';

/** Something new about a task; `before`: undefined for one that was not known. */
export interface TaskChange {
  readonly record: TaskRecord;
  readonly before: TaskState | undefined;
}

export interface WorkWatch extends Disposable {
  /** What is known on the engine in use; undefined before the first look. */
  work(): WatchedWork | undefined;
  /** The approvals on the engine in use, read as far as they are asked to; undefined while they cannot be. */
  readApprovals(): ApprovalReading | undefined;
  /** Why the last look failed; null: it did not. */
  problem(): ErrorShape | null;
  /** Keys or connection have changed. */
  follow(): void;
  /** Called with each task of which something new is known, on whichever engine. */
  onTask(listener: (change: TaskChange) => void): Disposable;
}

export interface WorkWatchDeps extends Pick<WatchedWorkDeps, 'workspace' | 'judge' | 'reader' | 'state' | 'basis'> {
  readonly live: Pick<LiveFabric, 'bus' | 'durable' | 'status'>;
  readonly engine: () => Pick<EngineInUse, 'destination'> | undefined;
  /** Whether signatures and seals can be judged now. */
  readonly isOpen: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told after each look, whatever came of it, and when a flag has changed; the caller bounds its rate. */
  readonly onChange: () => void;
}

const everyMs = 1_000;
/** What is heard makes the next look come after so long, ms, and after a few times as long as the last look took. */
const hintMs = 100;
const restShare = 4;
const maxWaitMs = 30_000;

/** What says that something has come of a task, or of an approval. */
const hintsOf = (ws: string): readonly string[] => [
  ...['work', 'receipts', 'dlq', 'approvals'].map((plane) => `vak.${plane}.${ws}.>`),
  auditSubject(ws),
];

const away = new VakError('disconnected', 'the connection is away: what is shown was read before', { retryable: true });

/** Creates it at rest; `follow` begins. */
export function createWorkWatch(deps: WorkWatchDeps): WorkWatch {
  const { workspace, live, engine, isOpen, clock, logger, onChange } = deps;
  const held = createDisposer();
  const listeners = createListenerSet<TaskChange>(logger, 'work.task');
  let watched: { readonly destination: string; readonly work: WatchedWork } | undefined;
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
    watched?.work.dispose();
    watched = undefined;
    problem = null;
    failedCount = 0;
  }

  function workOn(destination: string): WatchedWork {
    if (watched?.destination === destination) return watched.work;
    forget();
    const { judge, reader, state, basis } = deps;
    const work = createWatchedWork({
      ...{ workspace, durable: live.durable, judge, reader, state, basis, clock, onChange, isOpen },
      onTask: (record, before) => listeners.tell({ record, before }),
    });
    watched = { destination, work };
    return work;
  }

  function shapeOf(error: unknown): ErrorShape {
    if (isVakError(error)) return error.toShape();
    const message = `the work could not be looked at, see the log: ${logger.bug('work.look', error)}`;
    return { code: 'internal', message, retryable: true };
  }

  async function look(): Promise<void> {
    const destination = engine()?.destination;
    if (destination === undefined || !canLook()) return;
    const work = workOn(destination);
    const startMs = clock.monotonic();
    isHeard = false;
    try {
      await work.look();
      problem = null;
      failedCount = 0;
    } catch (error) {
      const shape = shapeOf(error);
      // Another engine may be there by now: what failed is nothing of it.
      if (watched?.work === work && canLook()) {
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
  for (const pattern of hintsOf(workspace)) held.add(live.bus.subscribe(pattern, { kind: 'inline', onMessage }));
  held.defer(() => {
    isEnded = true;
    forget();
    listeners.clear();
  });

  return {
    work: () => watched?.work,
    readApprovals() {
      const destination = engine()?.destination;
      return destination === undefined || !canLook() ? undefined : workOn(destination).approvals;
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
    onTask: listeners.add,
    dispose: () => held.dispose(),
  };
}
