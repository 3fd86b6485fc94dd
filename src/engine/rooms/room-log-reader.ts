/**
 * A room's log as a member's peer follows it: history, what comes, and whether it may still be believed (docs/spec/rooms.md R21–R23).
 * Law: what was read once must be there for ever: a log that forks or was rolled back stops, and is told as such.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { RoomHead, RoomHeads } from './room-heads.ts';
import type { RoomLog } from './room-log.ts';
import { createRoomReading, type RoomReadingDeps, type SkippedEntry } from './room-reading.ts';
import { roomLogSubject } from './room-subjects.ts';

/** Why a room is over for good, as far as is seen here. `known`: the entry that was read before, and is not there any more. */
export type LogStop =
  | { readonly kind: 'fork'; readonly seq: number }
  | { readonly kind: 'rolled-back'; readonly known: Pick<RoomHead, 'n' | 'hash'> };

export interface LogStanding {
  readonly stop: LogStop | undefined;
  /** Not all of it could be read or judged yet: nothing may be sent meanwhile. */
  readonly isBehind: boolean;
  /** The newest 256 of what does not count, oldest first. */
  readonly skipped: readonly SkippedEntry[];
  readonly skippedCount: number;
}

export interface RoomLogReader extends Disposable {
  readonly room: string;
  /** As read so far; another object after the reading had to begin anew. */
  log(): RoomLog;
  standing(): LogStanding;
  /** Resolves when all that lay on the log at the call was read, or cannot be judged yet (`isBehind`). Throws what reading throws. */
  catchUp(): Promise<void>;
  /** Told after each reading that changed log or standing. */
  onChange(listener: () => void): Disposable;
}

export interface RoomLogReaderDeps extends Omit<RoomReadingDeps, 'clock'> {
  /** Says that something came; it is read from the stream. */
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly heads: Pick<RoomHeads, 'highest' | 'raise'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the bus does not tell, while nobody asks, is found so late, ms. */
const lookEveryMs = 30_000;
/** So much later a log that ends too soon is read once more: what answered may have been behind. */
const doubtMs = 2_000;

/** Runs one after the other; whoever asks before the next begins shares it. */
function createShared(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        last = run();
        return last;
      });
    return next;
  };
}

/** Creates a reader, which begins to read at once. */
export function createRoomLogReader(deps: RoomLogReaderDeps): RoomLogReader {
  const { workspace, room, bus, heads, clock, logger } = deps;
  const at = { ws: workspace, room };
  const held = createDisposer();
  const reading = createRoomReading(deps);
  const changed = createListenerSet<void>(logger, 'room-log.listener-threw');
  let stop: LogStop | undefined;
  let isBehind = true;
  /** Since when the log has seemed to end too soon, by `clock.monotonic`. */
  let doubtedMs: number | undefined;
  let again: Disposable | undefined;
  let told = '';

  /** What was read before and is missing; `isShort`: the log ends before it. */
  function missing(known: RoomHead): { readonly isShort: boolean } | undefined {
    const entry = reading.log().entryAt(known.n);
    if (entry === undefined) return { isShort: true };
    return entry.hash === known.hash ? undefined : { isShort: false };
  }

  function doubt(): void {
    doubtedMs ??= clock.monotonic();
    isBehind = true;
    // Whoever answered may have been behind itself: all of it is read once more.
    reading.restart();
    again?.dispose();
    again = clock.setTimer(doubtMs, look);
  }

  /** What was read before is not there. */
  function miss(known: RoomHead, { isShort, isWhole }: { isShort: boolean; isWhole: boolean }): void {
    isBehind = true;
    // What is not proven yet may be what is missing.
    if (isShort && (!isWhole || reading.isUnproven())) return;
    const isSure = !isShort || (doubtedMs !== undefined && clock.monotonic() - doubtedMs >= doubtMs);
    if (isSure) stop = { kind: 'rolled-back', known: { n: known.n, hash: known.hash } };
    else doubt();
  }

  function accept(isWhole: boolean): void {
    doubtedMs = undefined;
    isBehind = !isWhole;
    const log = reading.log();
    const [head, forkSeq] = [log.head(), log.forkAt()];
    if (forkSeq !== undefined) stop = { kind: 'fork', seq: forkSeq };
    else if (head !== undefined) heads.raise({ ...at, n: head.n, hash: head.hash });
  }

  function tell(): void {
    const log = reading.log();
    const now = [log.head()?.hash, stop?.kind, isBehind, reading.skippedCount()].join(' ');
    if (now === told) return;
    told = now;
    changed.tell();
  }

  const read = createShared(async () => {
    if (stop !== undefined || held.isDisposed) return;
    // Before the stream is looked at: whatever was noted by now lay in it.
    const known = heads.highest(at);
    const isWhole = await reading.catchUp();
    if (held.isDisposed) return;
    const lack = known && missing(known);
    if (known === undefined || lack === undefined) accept(isWhole);
    else miss(known, { ...lack, isWhole });
    tell();
  });

  function look(): void {
    if (held.isDisposed) return;
    read().catch((thrown: unknown) => {
      if (isVakError(thrown)) logger.warn('room-log.read', { room, code: thrown.code });
      else logger.bug('room-log.read', thrown);
    });
  }

  held.add(bus.subscribe(roomLogSubject(workspace, room), { kind: 'latest', capacity: 1, onBatch: look }));
  held.add(clock.setTicker(lookEveryMs, look));
  look();

  return {
    room,
    log: () => reading.log(),
    standing: () => ({ stop, isBehind, skipped: reading.skipped(), skippedCount: reading.skippedCount() }),
    catchUp: read,
    onChange: changed.add,
    dispose() {
      held.dispose();
      again?.dispose();
      changed.clear();
    },
  };
}
