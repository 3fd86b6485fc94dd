/**
 * Follows the end of one stream for one window (docs/spec/streams.md V3).
 * Law: nothing is left out and nothing waits in memory: what the window has no credit for is read from the stream later.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import { type FeedPump, initialCredits } from './feed-pump.ts';
import { frameOf, type StoredPages, type StoredReading } from './stored-pages.ts';

/** How often it is asked whether there is more, ms. */
const lookMs = 250;

export interface StoredTailOptions {
  readonly pages: Pick<StoredPages, 'forward'>;
  readonly reading: Omit<StoredReading, 'signal'>;
  readonly fromSeq: number;
  readonly clock: Clock;
  readonly send: (frame: string) => void;
  /** A bug while reading: the tail goes on. */
  readonly onBug: (error: unknown) => void;
}

/** Starts to follow. What cannot be read now is read when it can be. */
export function createStoredTail({ pages, reading, fromSeq, clock, send, onBug }: StoredTailOptions): FeedPump {
  const held = createDisposer();
  const calls = new AbortController();
  let cursor = fromSeq;
  let credits = initialCredits;
  let sentCount = 0;
  let isReading = false;
  let timer: Disposable | undefined;

  /** Sends what there is; false: the end is reached. */
  async function step(): Promise<boolean> {
    const { lastSeq } = await reading.stream.state();
    if (lastSeq < cursor) return false;
    const { rows, nextSeq } = await pages.forward({ seq: cursor, lastSeq }, { ...reading, signal: calls.signal });
    if (held.isDisposed) return false;
    cursor = nextSeq;
    if (rows.length > 0) {
      credits--;
      sentCount += rows.length;
      send(JSON.stringify(frameOf(rows, cursor - 1)));
    }
    return true;
  }

  async function run(): Promise<void> {
    if (isReading || held.isDisposed) return;
    isReading = true;
    try {
      while (credits > 0 && !held.isDisposed && (await step())) {
        // Goes on until the end or until nothing more may be under way.
      }
    } catch (error) {
      if (!isVakError(error) && !held.isDisposed) onBug(error);
    } finally {
      isReading = false;
      schedule();
    }
  }

  function schedule(): void {
    if (held.isDisposed || credits === 0 || timer !== undefined) return;
    timer = clock.setTimer(lookMs, () => {
      timer = undefined;
      void run();
    });
  }

  held.defer(() => {
    timer?.dispose();
    calls.abort();
  });
  void run();

  return {
    credit(frames) {
      credits = Math.min(initialCredits, credits + Math.max(0, frames));
      void run();
    },
    droppedCount: 0,
    get sentCount() {
      return sentCount;
    },
    dispose: () => held.dispose(),
  };
}
