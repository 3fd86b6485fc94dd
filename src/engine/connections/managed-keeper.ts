/**
 * Keeps the managed server running (product.md "Engines and headless peers").
 * Law: one that dies comes back on the same port, at a slowing pace and not for ever; what becomes of it is told once each.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { pause } from '../wait.ts';
import type { ManagedProcess } from './managed-process.ts';
import { createManagedStates, type ManagedState } from './managed-state.ts';

export interface KeeperDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts another process. Throws what starting throws. */
  readonly launch: () => Promise<ManagedProcess>;
  /** A process runs, or (null) none will any more. */
  readonly onProcess: (process: ManagedProcess | null) => Promise<void>;
}

export interface ManagedKeeper {
  state(): ManagedState;
  /** Called at each change, with the new one. */
  onState(listener: (state: ManagedState) => void): Disposable;
  /** Ends it, and starts it no more. */
  stop(): Promise<void>;
}

/** Deaths in a row after which it is given up; one that ran for a while begins a new row. */
const maxAttempts = 6;
const steadyMs = 60_000;
const firstDelayMs = 200;

/** Looks after a first process, which it owns from then on. */
export function createManagedKeeper(first: ManagedProcess, deps: KeeperDeps): ManagedKeeper {
  const { clock, logger, launch, onProcess } = deps;
  const states = createManagedStates(clock, logger);
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: ManagedProcess | undefined = first;
  let stopped: Promise<void> | undefined;

  /** The next process; undefined when it is to stop. Throws when it has been tried too often. */
  async function restart(
    from: number,
  ): Promise<{ readonly process: ManagedProcess; readonly attempts: number } | undefined> {
    const sinceMs = clock.now();
    for (let attempt = from; attempt <= maxAttempts; attempt++) {
      states.change({ kind: 'restarting', sinceMs, attempt });
      await pause(clock, firstDelayMs * 2 ** (attempt - 1), signal);
      if (signal.aborted) return undefined;
      try {
        return { process: await launch(), attempts: attempt };
      } catch (error) {
        if (!isVakError(error)) throw error;
        logger.warn('managed-server.not-started', { code: error.code, attempt });
      }
    }
    throw new VakError(
      'spawn-failed',
      `nats-server: ended ${maxAttempts} times in a row; its server.log says why; choose the context again to start it`,
    );
  }

  async function look(): Promise<void> {
    let attempts = 0;
    while (running !== undefined) {
      const sinceMs = clock.monotonic();
      await running.ended;
      running = undefined;
      if (signal.aborted) return;
      logger.warn('managed-server.died', { ranMs: Math.round(clock.monotonic() - sinceMs) });
      if (clock.monotonic() - sinceMs >= steadyMs) attempts = 0;
      const next = await restart(attempts + 1);
      if (next === undefined) return;
      ({ attempts } = next);
      running = next.process;
      // Asked to stop while it started.
      if (signal.aborted) return await running.end();
      await onProcess(running);
      states.change({ kind: 'running', sinceMs: clock.now() });
    }
  }

  async function fail(thrown: unknown): Promise<void> {
    if (!isVakError(thrown)) logger.bug('managed-server.keeper', thrown);
    await running?.end();
    running = undefined;
    const error = isVakError(thrown) ? thrown : new VakError('internal', 'managed server: see the log');
    logger.error('managed-server.failed', { code: error.code });
    await onProcess(null).catch((problem: unknown) => logger.bug('managed-server.record', problem));
    states.change({ kind: 'failed', sinceMs: clock.now(), error: error.toShape() });
  }

  const looking = look().catch(fail);

  async function stop(): Promise<void> {
    stopping.abort();
    await running?.end();
    await looking;
    // Of one that had failed this was noted; by now another one may run in its place.
    if (states.now().kind !== 'failed') await onProcess(null);
    states.change({ kind: 'stopped', sinceMs: clock.now() });
    states.clear();
  }

  return {
    state: states.now,
    onState: states.add,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
