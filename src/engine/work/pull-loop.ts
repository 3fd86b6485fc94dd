/**
 * Pulls from a consumer for as long as it is wanted (protocol.md W1, B8).
 * Law: whatever becomes of connection, stream and consumer it goes on; one time of trouble is told once.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Consumer, Delivery } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { pause } from '../wait.ts';

export interface PullLoopDeps {
  /** Makes or finds the consumer; called again after each trouble. */
  readonly ensure: () => Promise<Consumer>;
  /** Resolves with how many may come now, 1–256, as soon as some may; with 0 only when the signal is aborted. */
  readonly room: (signal: AbortSignal) => Promise<number> | number;
  /** Takes what came; the next pull waits for it. It must not reject. */
  readonly take: (deliveries: readonly Delivery[]) => Promise<void> | void;
  /** Told once of each time during which nothing can be pulled. */
  readonly onTrouble: (code: string, message: string) => void;
  /** Told when pulling works again after that. */
  readonly onBack?: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PullLoop {
  /** Ends the pull that waits now; `room` is asked again before the next one. */
  interrupt(): void;
  /** Pulls no more; resolves when what came was taken. */
  close(): Promise<void>;
}

/** How long a pull waits at most, ms. */
const waitMs = 30_000;
/** After a failure, ms. */
const againMs = 2_000;

/** Begins to pull, from `consumer` if it was made before. */
export function startPullLoop(deps: PullLoopDeps, first?: Consumer): PullLoop {
  const { ensure, room, take, onTrouble, onBack, clock, logger } = deps;
  const closing = new AbortController();
  /** Of the pull that is under way. */
  let current = new AbortController();
  /** Counts interruptions. */
  let turn = 0;
  let isTold = false;
  /** Undefined: it has to be found again. */
  let consumer = first;

  async function pull(): Promise<void> {
    consumer ??= await ensure();
    const before = turn;
    const batch = await room(closing.signal);
    if (closing.signal.aborted || turn !== before) return;
    current = new AbortController();
    const deliveries = await consumer.pull({ batch, waitMs, signal: current.signal });
    if (isTold) onBack?.();
    isTold = false;
    await take(deliveries);
  }

  async function recover(error: unknown): Promise<void> {
    if (!isVakError(error)) logger.bug('pull', error);
    else if (!isTold) onTrouble(error.code, error.message);
    isTold = true;
    consumer = undefined;
    await pause(clock, againMs, closing.signal);
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await pull();
      } catch (error) {
        const isOwn = current.signal.aborted && isVakError(error, 'aborted');
        if (!isOwn && !closing.signal.aborted) await recover(error);
      }
    }
  }

  const running = run();
  return {
    interrupt() {
      turn++;
      current.abort();
    },
    async close() {
      closing.abort();
      current.abort();
      await running;
    },
  };
}
