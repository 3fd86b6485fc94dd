/**
 * The highest serial of cards and grants that was ever seen, per workspace and peer, on disk (protocol.md I4).
 * Law: it only rises; a lower serial, or another record under the same one, is a replay, after a restart too.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { openSharedJsonFile } from './shared-json-file.ts';

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

const fileSchema = z.strictObject({
  v: z.literal(1),
  floors: z.array(
    z.strictObject({
      kind: z.enum(['card', 'grant']),
      ws: z.string(),
      peer: z.string(),
      serial: z.int().min(1),
      digest: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
type FloorFile = z.infer<typeof fileSchema>;

/** Tokens hold no space. */
const keyOf = ({ kind, ws, peer }: SerialOwner): string => `${kind} ${ws} ${peer}`;

/** What is on disk with what rose here: the higher of both, as other processes write it too. */
function merge(file: FloorFile, risen: readonly SeenSerial[]): FloorFile {
  const floors = new Map(file.floors.map((one) => [keyOf(one), one]));
  let isChanged = false;
  for (const { kind, ws, peer, serial, digest } of risen) {
    const key = keyOf({ kind, ws, peer });
    if (serial <= (floors.get(key)?.serial ?? 0)) continue;
    floors.set(key, { kind, ws, peer, serial, digest });
    isChanged = true;
  }
  return isChanged ? { ...file, floors: [...floors.values()] } : file;
}

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
  const file = await openSharedJsonFile<FloorFile>({ ...options, schema: fileSchema, empty: { v: 1, floors: [] } });
  const floors = new Map<string, SeenSerial>(file.read().floors.map((one) => [keyOf(one), one]));
  /** Not on disk yet. */
  const risen = new Map<string, SeenSerial>();
  let writing: Promise<void> | undefined;

  /** Writes until nothing is left that rose meanwhile. */
  async function drain(): Promise<void> {
    while (risen.size > 0) {
      const batch = [...risen.values()];
      await file.update((value) => merge(value, batch));
      for (const one of batch) if (risen.get(keyOf(one)) === one) risen.delete(keyOf(one));
    }
  }

  function settle(): Promise<void> {
    writing ??= drain().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  function judge(seen: SeenSerial): 'newer' | 'known' | 'replay' {
    const floor = floors.get(keyOf(seen));
    if (floor === undefined || seen.serial > floor.serial) return 'newer';
    return seen.serial === floor.serial && seen.digest === floor.digest ? 'known' : 'replay';
  }

  return {
    highest: (owner) => floors.get(keyOf(owner))?.serial ?? 0,
    judge,
    raise(seen) {
      if (judge(seen) !== 'newer') return;
      floors.set(keyOf(seen), seen);
      risen.set(keyOf(seen), seen);
      // A failure stands in `risen` and is tried with the next rise, and by `settled`, which throws it.
      settle().catch((error: unknown) => {
        if (!isVakError(error)) throw error;
        options.report(error);
      });
    },
    settled: settle,
    dispose: () => file.dispose(),
  };
}
