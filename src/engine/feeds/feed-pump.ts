/**
 * Carries one feed's frames from the buffer to its window (architecture.md §5, third hop).
 * Law: never more frames under way than credits; what left the buffer unseen is counted in the next frame.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeldMessage, MessageBuffer } from './message-buffer.ts';

/** Frames that may be under way without having been painted. */
export const initialCredits = 2;
const frameIntervalMs = 16;
/** Messages that one turn may examine. */
const scanLimit = 8192;
/** How long a turn may fill a frame, ms: the rest of what waits goes into the next one. */
const fillMs = 6;
/** Messages after which the time is looked at. */
const timedMessages = 16;
/** How far those that wait are counted. */
const countLimit = 256;
/** Messages judged anew that wait to be sent again; beyond it the oldest stay shown as they were. */
const maxRevised = 4096;

/** What a message was that has been judged anew. */
export interface Revision {
  readonly wasRefused: boolean;
}

/** Collects messages into one frame. */
export interface FrameBuilder {
  readonly isEmpty: boolean;
  /**
   * Takes a message; false: the frame is full, and the message belongs to the next one. `before`: an earlier frame had it, and what
   * it was then.
   */
  add(message: HeldMessage, before?: Revision): boolean;
  /** The frame as JSON text. `dropped`: messages lost before it; `scannedSeq`: the last one examined. */
  build(dropped: number, scannedSeq: number): string;
}

/** What one feed shows. */
export interface FeedSource {
  /** Whether messages of a subject belong to it. */
  accepts(subject: string): boolean;
  /** Of those, whether one is to be sent; absent: each. What was sent stays its own, whatever is found out about it later. */
  readonly wants?: ((message: HeldMessage) => boolean) | undefined;
  /** `waitingCount`: messages of its subjects that wait, counted up to 256. */
  createFrame(waitingCount: number): FrameBuilder;
}

export interface FeedPump extends Disposable {
  /** The window has painted this many frames. */
  credit(frames: number): void;
  /** Messages that left the buffer before this feed saw them. */
  readonly droppedCount: number;
  /** Messages that were sent. */
  readonly sentCount: number;
}

/** What a pump is made of. `send` posts one frame. */
export interface FeedPumpOptions {
  readonly buffer: MessageBuffer;
  readonly source: FeedSource;
  readonly clock: Clock;
  /** First seq to show; lower than the oldest held begins there, without a drop. */
  readonly fromSeq: number;
  readonly send: (frame: string) => void;
}

/** Starts a pump. */
export function createFeedPump({ buffer, source, clock, fromSeq, send }: FeedPumpOptions): FeedPump {
  const held = createDisposer();
  const revised = new Map<number, Revision>();
  let cursor = Math.max(fromSeq, buffer.oldestSeq);
  let credits = initialCredits;
  let droppedCount = 0;
  let sentCount = 0;
  let unreportedDrops = 0;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  /** The window has been told of everything that was there when the feed was opened. */
  let hasCaughtUp = cursor > buffer.newestSeq;
  let timer: Disposable | undefined;

  const hasMore = (): boolean => revised.size > 0 || cursor <= buffer.newestSeq;

  function skipLost(): void {
    const lost = buffer.oldestSeq - cursor;
    if (lost <= 0) return;
    cursor = buffer.oldestSeq;
    droppedCount += lost;
    unreportedDrops += lost;
  }

  function note(seq: number, wasRefused: boolean): void {
    // What was not sent yet goes out as it is now.
    if (seq >= cursor) return;
    revised.set(seq, { wasRefused });
    for (const oldest of revised.keys()) {
      if (revised.size <= maxRevised) break;
      revised.delete(oldest);
    }
    schedule();
  }

  /** Sends again what was judged anew, in a frame of its own; returns whether it was sent. */
  function pumpRevised(): boolean {
    const frame = source.createFrame(Math.min(revised.size, countLimit));
    for (const [seq, before] of revised) {
      const message = buffer.get(seq);
      if (message !== undefined && source.accepts(message.subject) && !frame.add(message, before)) break;
      revised.delete(seq);
    }
    if (frame.isEmpty) return false;
    post(frame.build(0, cursor - 1));
    return true;
  }

  function post(frame: string): void {
    send(frame);
    credits--;
    lastSentMs = clock.monotonic();
  }

  function countWaiting(scanEnd: number): number {
    let count = 0;
    for (let seq = cursor; seq <= scanEnd && count < countLimit; seq++) {
      if (source.accepts((buffer.get(seq) as HeldMessage).subject)) count++;
    }
    return count;
  }

  /** Puts what waits into a frame until it is full or the turn is spent; how many, and whether it is. */
  function fill(frame: FrameBuilder, scanEnd: number): { readonly added: number; readonly isSpent: boolean } {
    const endsMs = clock.monotonic() + fillMs;
    let added = 0;
    let examined = 0;
    let isSpent = false;
    for (; cursor <= scanEnd && !isSpent; cursor++) {
      const message = buffer.get(cursor) as HeldMessage;
      if (!source.accepts(message.subject)) continue;
      if (source.wants?.(message) !== false) {
        if (!frame.add(message)) break;
        added++;
      }
      examined++;
      isSpent = examined % timedMessages === 0 && clock.monotonic() >= endsMs;
    }
    return { added, isSpent };
  }

  /** Sends one frame if there is something for it; returns whether it did, and the turn has time for another. */
  function pumpFrame(): boolean {
    skipLost();
    if (revised.size > 0 && pumpRevised()) return true;
    const scanEnd = Math.min(buffer.newestSeq, cursor + scanLimit - 1);
    const frame = source.createFrame(countWaiting(scanEnd));
    const { added, isSpent } = fill(frame, scanEnd);
    const isLive = cursor > buffer.newestSeq;
    // The end of the backlog is told once, also where nothing of it belongs to this feed.
    if (frame.isEmpty && unreportedDrops === 0 && (hasCaughtUp || !isLive)) return false;
    hasCaughtUp ||= isLive;
    post(frame.build(unreportedDrops, cursor - 1));
    unreportedDrops = 0;
    sentCount += added;
    return !isSpent;
  }

  function flush(): void {
    isScheduled = false;
    if (held.isDisposed) return;
    for (let isSent = true; isSent && credits > 0 && hasMore(); ) isSent = pumpFrame();
    if (hasMore()) schedule();
  }

  function schedule(): void {
    if (isScheduled || credits === 0 || held.isDisposed) return;
    isScheduled = true;
    const waitMs = frameIntervalMs - (clock.monotonic() - lastSentMs);
    if (waitMs <= 0) clock.defer(flush);
    else timer = clock.setTimer(waitMs, flush);
  }

  held.add(buffer.onAppend(schedule));
  held.add(buffer.onRevise(note));
  held.defer(() => timer?.dispose());
  if (cursor <= buffer.newestSeq) schedule();

  return {
    credit(frames) {
      credits = Math.min(initialCredits, credits + Math.max(0, frames));
      skipLost();
      if (hasMore()) schedule();
    },
    get droppedCount() {
      return droppedCount + Math.max(0, buffer.oldestSeq - cursor);
    },
    get sentCount() {
      return sentCount;
    },
    dispose: () => held.dispose(),
  };
}
