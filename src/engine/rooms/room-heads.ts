/**
 * The newest entry that was ever read of each room's log, on disk (docs/spec/rooms.md R22).
 * Law: it only rises; a log that does not hold it any more was rolled back, after a restart and for another process too.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import { openRisingFile } from '../identity/rising-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';

/** `hash`: base64url. */
export interface RoomHead {
  readonly ws: string;
  readonly room: string;
  readonly n: number;
  readonly hash: string;
}

export interface RoomHeads extends Disposable {
  /** The highest that any process of the profile has noted. */
  highest(at: Pick<RoomHead, 'ws' | 'room'>): RoomHead | undefined;
  /** Takes note, at once for this process, soon on disk. */
  raise(head: RoomHead): void;
  /** Resolves when all that was raised is on disk; throws what writing it threw. */
  settled(): Promise<void>;
}

const headSchema = z.strictObject({
  ws: z.string().max(64),
  room: z.string().max(64),
  n: z.int().nonnegative(),
  hash: z.string().length(43),
});
const keyOf = ({ ws, room }: Pick<RoomHead, 'ws' | 'room'>): string => `${ws} ${room}`;

/** Opens those of a profile; throws as `openSharedJsonFile` does. */
export async function openRoomHeads(options: {
  readonly path: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged while open, or cannot be written. */
  readonly report: (error: VakError) => void;
}): Promise<RoomHeads> {
  const file = await openRisingFile<RoomHead>({ ...options, schema: headSchema, keyOf, heightOf: ({ n }) => n });
  return {
    highest(at) {
      const [known, written] = [file.known(keyOf(at)), file.written(keyOf(at))];
      return (written?.n ?? -1) > (known?.n ?? -1) ? written : known;
    },
    raise: file.raise,
    settled: file.settled,
    dispose: file.dispose,
  };
}
