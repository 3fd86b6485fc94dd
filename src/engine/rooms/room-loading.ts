/**
 * Brings older messages of rooms into memory: for a page, for what is unread, for a search (product.md "Rooms").
 * Law: one stretch of a room at a time, in the background one room after the other; what does not fit into memory stays in the stream.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane, type SerialLane } from '../serial-lane.ts';
import type { RoomDesk } from './room-desk.ts';

/** How far the messages of a room were gone through. */
export interface LoadingProgress {
  readonly doneCount: number;
  readonly count: number;
}

export interface RoomLoading {
  /** Loads so many more messages of a room, if there are. Throws what reading throws. */
  older(desk: RoomDesk, count: number, signal?: AbortSignal): Promise<void>;
  /** Loads, in its own time, until `isEnough`, or until there is no more, or memory is full. */
  inBackground(desk: RoomDesk, isEnough: () => boolean): void;
  /** Of a room that is being loaded in the background; undefined: it is not. */
  progress(desk: RoomDesk): LoadingProgress | undefined;
  /** Whether there is no more to be had of a room: all of it, or as much as memory takes, was loaded. */
  isDone(desk: RoomDesk): boolean;
  /** Ends what runs in the background: other rooms are open, or none. */
  begin(): void;
}

export interface RoomLoadingDeps {
  /** How many messages of a room lie in the stream. */
  readonly countOf: (room: string) => Promise<number>;
  readonly logger: Logger;
  readonly onChange: () => void;
}

const stretch = 500;

/** Creates it at rest. */
export function createRoomLoading({ countOf, logger, onChange }: RoomLoadingDeps): RoomLoading {
  const lanes = new Map<string, SerialLane>();
  const background = createSerialLane();
  const wanted = new Map<string, () => boolean>();
  const counts = new Map<string, number>();
  const full = new Set<string>();
  /** Rises when other rooms are open. */
  let opening = 0;

  function laneOf(room: string): SerialLane {
    const lane = lanes.get(room) ?? createSerialLane();
    lanes.set(room, lane);
    return lane;
  }

  async function load(desk: RoomDesk, count: number, signal: AbortSignal | undefined): Promise<void> {
    if (isDone(desk)) return;
    const before = desk.reader.timeline().all().length;
    try {
      await desk.reader.loadOlder(count, signal);
    } catch (error) {
      if (!isVakError(error, 'limit-exceeded')) throw error;
      full.add(desk.room);
    }
    // What is trimmed again as it is loaded would be loaded for ever.
    if (desk.reader.hasOlder() && desk.reader.timeline().all().length <= before) full.add(desk.room);
  }

  const older: RoomLoading['older'] = (desk, count, signal) => laneOf(desk.room).run(() => load(desk, count, signal));
  const isDone = (desk: RoomDesk): boolean => full.has(desk.room) || !desk.reader.hasOlder();

  async function loadAll(desk: RoomDesk, since: number): Promise<void> {
    const isOver = (): boolean => since !== opening || isDone(desk) || (wanted.get(desk.room)?.() ?? true);
    try {
      if (isOver()) return;
      counts.set(desk.room, await countOf(desk.room));
      while (!isOver()) {
        await older(desk, stretch);
        onChange();
      }
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('rooms.loading', { room: desk.room, code: error.code });
    } finally {
      if (since === opening) {
        wanted.delete(desk.room);
        counts.delete(desk.room);
        onChange();
      }
    }
  }

  return {
    ...{ older, isDone },
    inBackground(desk, isEnough) {
      if (isDone(desk) || isEnough()) return;
      const isQueued = wanted.has(desk.room);
      wanted.set(desk.room, isEnough);
      if (isQueued) return;
      const since = opening;
      background.run(() => loadAll(desk, since)).catch((error: unknown) => logger.bug('rooms.loading', error));
    },
    progress(desk) {
      const count = counts.get(desk.room);
      const doneCount = desk.reader.timeline().all().length;
      return count === undefined ? undefined : { doneCount, count: Math.max(count, doneCount) };
    },
    begin() {
      opening++;
      for (const one of [lanes, wanted, counts, full]) one.clear();
    },
  };
}
