/**
 * Does something for keys, one after the other, and for none of them again before a while has passed.
 * Law: what was asked for is done, however often it is asked: the last word of each key gets its turn.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

export interface DueKeys extends Disposable {
  /** Asks for a turn of the key; the caller bounds how many keys there are. */
  add(key: string): void;
  /** Resolves when the turn that has begun is over: after `dispose` no other begins. */
  idle(): Promise<void>;
}

export interface DueKeysDeps {
  /** The least time between two turns of a key, ms. */
  readonly everyMs: number;
  readonly run: (key: string) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates it idle. */
export function createDueKeys({ everyMs, run, clock, logger }: DueKeysDeps): DueKeys {
  /** Who waits, and when its turn is, by `clock.monotonic`. */
  const waiting = new Map<string, number>();
  /** When each had its last turn. */
  const done = new Map<string, number>();
  let timer: Disposable | undefined;
  let busy: Promise<void> | undefined;
  let isOver = false;

  function forgetOld(): void {
    const nowMs = clock.monotonic();
    for (const [key, atMs] of done) if (nowMs - atMs >= everyMs) done.delete(key);
  }

  function nextDue(): string | undefined {
    const nowMs = clock.monotonic();
    for (const [key, dueMs] of waiting) if (dueMs <= nowMs) return key;
    return undefined;
  }

  async function work(): Promise<void> {
    for (let key = nextDue(); key !== undefined && !isOver; key = nextDue()) {
      waiting.delete(key);
      done.set(key, clock.monotonic());
      await run(key);
    }
    forgetOld();
  }

  function kick(): void {
    timer?.dispose();
    timer = undefined;
    if (busy !== undefined || isOver || waiting.size === 0) return;
    const waitMs = Math.min(...waiting.values()) - clock.monotonic();
    if (waitMs > 0) {
      timer = clock.setTimer(waitMs, kick);
      return;
    }
    busy = work()
      .catch((thrown: unknown) => void logger.bug('directory.due', thrown))
      .finally(() => {
        busy = undefined;
        kick();
      });
  }

  return {
    add(key) {
      if (waiting.has(key)) return;
      const lastMs = done.get(key);
      waiting.set(key, lastMs === undefined ? clock.monotonic() : lastMs + everyMs);
      kick();
    },
    idle: async () => await busy,
    dispose() {
      isOver = true;
      timer?.dispose();
    },
  };
}
