/**
 * One lane a source: who may go next (protocol.md B8).
 * Law: in a lane one item at a time, in the order of adding, and none before the one ahead of it is done; lanes do not wait for each
 * other, and at most `window` items are under way.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';

export interface LaneItem {
  readonly source: string;
  /** Whether it may go. */
  isReady: boolean;
  /** It is passed over. */
  isGone: boolean;
}

export interface LanesDeps<T extends LaneItem> {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Items under way at most. */
  readonly window: number;
  /** Whether anything may go now. */
  readonly isOpen: () => boolean;
  /** Gives whether the item is done; else it is tried again after a while. Never rejects. */
  readonly run: (item: T) => Promise<boolean>;
}

export interface Lanes<T extends LaneItem> extends Disposable {
  add(item: T): void;
  /** The item behind the first one of a source. */
  second(source: string): T | undefined;
  /** The first item of each source. */
  heads(): readonly T[];
  /** Lets go what may; call it when an item became ready. */
  pump(): void;
  /** Tries again at once what waits for its next try. */
  wake(): void;
}

interface Lane<T> {
  items: T[];
  /** Where the first item stands. */
  at: number;
  isBusy: boolean;
  /** Tries of the first item that failed since it was woken. */
  attempts: number;
  /** Waits for the next try. */
  timer: Disposable | undefined;
}

const firstDelayMs = 250;
const maxDelayMs = 30_000;
/** While nothing may go it is looked again so often, should a change be missed. */
const lookAgainMs = 30_000;
/** Items in front that have gone, before an array is copied. */
const maxGoneItems = 1024;

/** Creates lanes; after `dispose` nothing more goes. */
export function createLanes<T extends LaneItem>(deps: LanesDeps<T>): Lanes<T> {
  const { clock, randomness, window, isOpen, run } = deps;
  const lanes = new Map<string, Lane<T>>();
  let runningCount = 0;
  let lookAgain: Disposable | undefined;
  let isDisposed = false;

  function shift(lane: Lane<T>): void {
    lane.at++;
    if (lane.at < maxGoneItems || lane.at * 2 < lane.items.length) return;
    lane.items = lane.items.slice(lane.at);
    lane.at = 0;
  }

  function headOf(lane: Lane<T>): T | undefined {
    while (lane.items[lane.at]?.isGone) shift(lane);
    return lane.items[lane.at];
  }

  /** 250 ms × 2^n, at most 30 s, and of that a random half, so that sources do not all come at once. */
  function delayOf(attempts: number): number {
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(attempts, 16));
    return delayMs * (0.5 + (randomness.bytes(1)[0] ?? 0) / 512);
  }

  function pause(lane: Lane<T>): void {
    if (isDisposed) return;
    lane.timer = clock.setTimer(delayOf(lane.attempts++), () => {
      lane.timer = undefined;
      pump();
    });
  }

  async function go(lane: Lane<T>, item: T): Promise<void> {
    lane.isBusy = true;
    const isDone = await run(item);
    lane.isBusy = false;
    if (!isDone) return pause(lane);
    item.isGone = true;
    lane.attempts = 0;
  }

  function start(lane: Lane<T>, item: T): void {
    runningCount++;
    void go(lane, item).finally(() => {
      runningCount--;
      pump();
    });
  }

  function lookLater(): void {
    if (lanes.size === 0) return;
    lookAgain ??= clock.setTimer(lookAgainMs, () => {
      lookAgain = undefined;
      pump();
    });
  }

  /** Starts the lane's first item if it may go; the lane goes behind the others, so that all get their turn. */
  function advance(source: string, lane: Lane<T>): void {
    if (lane.isBusy || lane.timer !== undefined) return;
    const item = headOf(lane);
    if (item !== undefined && !item.isReady) return;
    lanes.delete(source);
    if (item === undefined) return;
    lanes.set(source, lane);
    start(lane, item);
  }

  function pump(): void {
    if (isDisposed) return;
    if (!isOpen()) {
      lookLater();
      return;
    }
    for (const [source, lane] of [...lanes]) {
      if (runningCount >= window) return;
      advance(source, lane);
    }
  }

  function dropTimers(): void {
    for (const lane of lanes.values()) {
      lane.timer?.dispose();
      lane.timer = undefined;
    }
    lookAgain?.dispose();
    lookAgain = undefined;
  }

  return {
    add(item) {
      const lane = lanes.get(item.source) ?? { items: [], at: 0, isBusy: false, attempts: 0, timer: undefined };
      lane.items.push(item);
      lanes.set(item.source, lane);
    },
    second(source) {
      const lane = lanes.get(source);
      return lane === undefined || headOf(lane) === undefined ? undefined : lane.items[lane.at + 1];
    },
    heads: () => [...lanes.values()].flatMap((lane) => headOf(lane) ?? []),
    pump,
    wake() {
      dropTimers();
      for (const lane of lanes.values()) lane.attempts = 0;
      pump();
    },
    dispose() {
      isDisposed = true;
      dropTimers();
    },
  };
}
