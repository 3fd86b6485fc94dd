/**
 * Logs of rooms as the membership service has them at hand (docs/spec/rooms.md R24).
 * Law: of each room one use at a time; memory is bounded: what was used longest ago gives way, and is read from the stream again.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import { createSerialLane, type SerialLane } from '../serial-lane.ts';
import { createRoomReading, type RoomReading, type RoomReadingDeps } from './room-reading.ts';

export interface RoomShelf {
  /** Runs with the log of a room, read as it lies in the stream by then. Throws what reading throws, `locked`, and what `work` throws. */
  use<T>(room: string, work: (room: ShelvedRoom) => Promise<T> | T): Promise<T>;
}

export interface ShelvedRoom extends Pick<RoomReading, 'log' | 'lastSeq' | 'isUnproven'> {
  /** Reads on. Throws as `use` does. */
  readOn(): Promise<void>;
}

export interface RoomShelfOptions {
  /** 256 rooms unless told. */
  readonly maxRooms?: number;
  /** Entries of all of them together, 50 000 unless told; a longer log stays while it is used. */
  readonly maxEntries?: number;
}

/** A room at hand; `weight`: its entries when it was put there. */
interface Kept {
  readonly reading: RoomReading;
  readonly weight: number;
}

/** Creates an empty one. */
export function createRoomShelf(
  deps: Omit<RoomReadingDeps, 'room'>,
  { maxRooms = 256, maxEntries = 50_000 }: RoomShelfOptions = {},
): RoomShelf {
  const kept = createBoundedCache<Kept>(maxRooms, { maxWeight: maxEntries, weightOf: ({ weight }) => weight });
  /** Of rooms that are in use. */
  const lanes = new Map<string, { readonly lane: SerialLane; users: number }>();

  async function readOn(reading: RoomReading): Promise<void> {
    if (await reading.catchUp()) return;
    throw new VakError('locked', 'the service does not know yet who may write to the log; ask again later', {
      retryable: true,
    });
  }

  async function withReading<T>(room: string, work: (room: ShelvedRoom) => Promise<T> | T): Promise<T> {
    const reading = kept.get(room)?.reading ?? createRoomReading({ ...deps, room });
    try {
      await readOn(reading);
      return await work({ ...reading, readOn: () => readOn(reading) });
    } finally {
      const weight = reading.log().entries().length;
      // Whoever asks for rooms that are not there takes no place.
      if (weight > 0) kept.set(room, { reading, weight });
    }
  }

  return {
    async use(room, work) {
      const held = lanes.get(room) ?? { lane: createSerialLane(), users: 0 };
      lanes.set(room, held);
      held.users++;
      try {
        return await held.lane.run(() => withReading(room, work));
      } finally {
        held.users--;
        if (held.users === 0) lanes.delete(room);
      }
    },
  };
}
