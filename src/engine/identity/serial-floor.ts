/**
 * The highest serial of cards and grants that was ever seen, per workspace and peer, on disk (protocol.md I4).
 * Law: it only rises; a lower serial, or another record under the same one, is a replay, after a restart too.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { openRisingFile } from './rising-file.ts';

/** Whose serial. */
export interface SerialOwner {
  readonly kind: 'card' | 'grant';
  readonly ws: string;
  readonly peer: string;
}

/** A record that was verified. */
export interface SeenSerial extends SerialOwner {
  readonly serial: number;
  /** SHA-256 of what was signed, in hex: tells two records of one serial apart. */
  readonly digest: string;
}

export interface SerialFloor extends Disposable {
  /** The highest serial seen; 0 for none. Whoever signs the next record goes above it. */
  highest(owner: SerialOwner): number;
  /** `newer` than all seen, the one seen last (`known`), or a `replay`. */
  judge(seen: SeenSerial): 'newer' | 'known' | 'replay';
  /** Takes note, at once for this process, soon on disk; changes nothing unless the record is newer. Only of verified records. */
  raise(seen: SeenSerial): void;
  /** Resolves when all that was raised is on disk; throws what writing it threw. */
  settled(): Promise<void>;
}

const floorSchema = z.strictObject({
  kind: z.enum(['card', 'grant']),
  ws: z.string(),
  peer: z.string(),
  serial: z.int().min(1),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Tokens hold no space. */
const keyOf = ({ kind, ws, peer }: SerialOwner): string => `${kind} ${ws} ${peer}`;

/**
 * Opens the floors of a profile; throws as `openSharedJsonFile` does. A process judges by what it has seen itself since it opened
 * them: another process may already know a record that has not reached this one's directory.
 */
export async function openSerialFloor(options: {
  readonly path: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged while open, or cannot be written. */
  readonly report: (error: VakError) => void;
}): Promise<SerialFloor> {
  const heightOf = ({ serial }: SeenSerial): number => serial;
  const file = await openRisingFile<SeenSerial>({ ...options, schema: floorSchema, keyOf, heightOf });
  return {
    highest: (owner) => file.known(keyOf(owner))?.serial ?? 0,
    judge(seen) {
      const floor = file.known(keyOf(seen));
      if (floor === undefined || seen.serial > floor.serial) return 'newer';
      return seen.serial === floor.serial && seen.digest === floor.digest ? 'known' : 'replay';
    },
    // Whoever raises may hand over more than what is kept.
    raise: ({ kind, ws, peer, serial, digest }) => file.raise({ kind, ws, peer, serial, digest }),
    settled: file.settled,
    dispose: file.dispose,
  };
}
