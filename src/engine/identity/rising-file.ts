/**
 * What was highest of each of many things, on disk, for all processes of a profile (protocol.md I4, docs/spec/rooms.md R22).
 * Law: it only rises, at once for this process and soon on disk; what another process wrote meanwhile is never lowered.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { openSharedJsonFile } from './shared-json-file.ts';

export interface RisingFile<T> extends Disposable {
  /** As this process knows it: what was on disk when it opened the file, and what rose here. */
  known(key: string): T | undefined;
  /** As it stands on disk, at most 100 ms behind. */
  written(key: string): T | undefined;
  /** Changes nothing unless it is higher than what is known. */
  raise(one: T): void;
  /** Resolves when all that was raised is on disk; throws what writing it threw. */
  settled(): Promise<void>;
}

export interface RisingFileOptions<T> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  readonly keyOf: (one: T) => string;
  readonly heightOf: (one: T) => number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged while open, or cannot be written. */
  readonly report: (error: VakError) => void;
}

/** Opens it; throws as `openSharedJsonFile` does. The file is `{v: 1, floors: […]}`. */
export async function openRisingFile<T>(options: RisingFileOptions<T>): Promise<RisingFile<T>> {
  const { keyOf, heightOf, report, schema: one, ...place } = options;
  const schema = z.strictObject({ v: z.literal(1), floors: z.array(one) });
  type Floors = z.infer<typeof schema>;
  const file = await openSharedJsonFile<Floors>({ ...place, report, schema, empty: { v: 1, floors: [] } });
  const byKey = (value: Floors): Map<string, T> => new Map(value.floors.map((floor) => [keyOf(floor), floor]));
  const known = byKey(file.read());
  let disk = { value: file.seen(), byKey: byKey(file.seen()) };
  /** Not on disk yet. */
  const risen = new Map<string, T>();
  let writing: Promise<void> | undefined;

  /** What is on disk with what rose here: the higher of both. */
  function merge(value: Floors, batch: readonly T[]): Floors {
    const floors = byKey(value);
    const higher = batch.filter((floor) => {
      const before = floors.get(keyOf(floor));
      return before === undefined || heightOf(floor) > heightOf(before);
    });
    for (const floor of higher) floors.set(keyOf(floor), floor);
    return higher.length === 0 ? value : { ...value, floors: [...floors.values()] };
  }

  /** Writes until nothing is left that rose meanwhile. */
  async function drain(): Promise<void> {
    while (risen.size > 0) {
      const batch = [...risen.values()];
      await file.update((value) => merge(value, batch));
      for (const floor of batch) if (risen.get(keyOf(floor)) === floor) risen.delete(keyOf(floor));
    }
  }

  function settled(): Promise<void> {
    writing ??= drain().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  return {
    known: (key) => known.get(key),
    written(key) {
      const value = file.read();
      if (value !== disk.value) disk = { value, byKey: byKey(value) };
      return disk.byKey.get(key);
    },
    raise(floor) {
      const before = known.get(keyOf(floor));
      if (before !== undefined && heightOf(floor) <= heightOf(before)) return;
      known.set(keyOf(floor), floor);
      risen.set(keyOf(floor), floor);
      // A failure stands in `risen` and is tried with the next rise, and by `settled`, which throws it.
      settled().catch((error: unknown) => {
        if (!isVakError(error)) throw error;
        report(error);
      });
    },
    settled,
    dispose: () => file.dispose(),
  };
}
