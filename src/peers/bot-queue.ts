/** Questions to a bot, in bounds: so many at once, so many waiting, so many of one sender in a minute (docs/spec/rooms.md R72). */
import type { Clock } from '../engine/ports/clock.ts';

export type QueueRefusal = 'busy' | 'rate' | 'stopping';

export interface BotQueue {
  /** Takes a question, or says why not; `work` never rejects. */
  take(sender: string, work: () => Promise<void>): QueueRefusal | undefined;
  /** Takes no more; what waits is dropped. */
  stop(): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  runningCount(): number;
}

export interface BotQueueBounds {
  readonly concurrency: number;
  readonly maxWaiting: number;
  readonly maxPerMinute: number;
}

const minuteMs = 60_000;
const maxSenders = 4_096;

/** Creates it idle. */
export function createBotQueue({ concurrency, maxWaiting, maxPerMinute }: BotQueueBounds, clock: Clock): BotQueue {
  const waiting: (() => Promise<void>)[] = [];
  const lately = new Map<string, number[]>();
  const idlers = new Set<() => void>();
  let running = 0;
  let isStopped = false;

  function isTooOften(sender: string): boolean {
    const nowMs = clock.monotonic();
    const times = (lately.get(sender) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
    lately.delete(sender);
    lately.set(sender, times);
    if (times.length >= maxPerMinute) return true;
    times.push(nowMs);
    if (lately.size > maxSenders) {
      const [oldest] = lately.keys();
      if (oldest !== undefined) lately.delete(oldest);
    }
    return false;
  }

  async function run(work: () => Promise<void>): Promise<void> {
    running++;
    try {
      await work();
    } finally {
      running--;
      pump();
      if (running === 0) for (const tell of [...idlers]) tell();
    }
  }

  function pump(): void {
    while (running < concurrency) {
      const next = waiting.shift();
      if (next === undefined) return;
      void run(next);
    }
  }

  return {
    take(sender, work) {
      if (isStopped) return 'stopping';
      if (running >= concurrency && waiting.length >= maxWaiting) return 'busy';
      if (isTooOften(sender)) return 'rate';
      waiting.push(work);
      pump();
      return undefined;
    },
    stop() {
      isStopped = true;
      waiting.length = 0;
    },
    async idle() {
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        idlers.add(resolve);
      });
    },
    runningCount: () => running,
  };
}
