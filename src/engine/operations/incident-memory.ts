/**
 * What outlives a start of the app about incidents: which were acknowledged, and which tasks were lost (product.md "Operations Center").
 * Law: no word of a payload reaches the disk, what is kept for one engine is never taken for another's, and a damaged file is set
 * aside and said.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { VakError } from '../../shared/base/vak-error.ts';
import { openOrBeginJsonFile } from '../identity/shared-json-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Acknowledgement } from './incident-book.ts';

/** A task that was found lost: nothing in any stream says so afterwards (W7). */
export interface LostTask {
  readonly leaf: string;
  readonly queue: string;
  /** Its place in the stream of tasks. */
  readonly seq: number;
  /** When it was found gone, ms since the epoch. */
  readonly atMs: number;
}

/** What is kept of one workspace on one engine. Changes hold at once; their promises say when they are on disk, and throw why not. */
export interface PlaceMemory {
  acknowledged(id: string): Acknowledgement | undefined;
  acknowledge(id: string, acknowledgement: Acknowledgement): Promise<void>;
  takeBack(ids: readonly string[]): Promise<void>;
  lost(): readonly LostTask[];
  /** Some were lost; of others (by leaf) it turned out that they were not. */
  changeLost(lost: readonly LostTask[], found: readonly string[]): Promise<void>;
}

export interface IncidentMemory {
  of(workspace: string, destination: string): PlaceMemory;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

export interface IncidentMemoryOptions {
  /** `incidents.json` of the profile. */
  readonly path: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged; then it was set aside. */
  readonly report: (error: VakError) => void;
}

/** Entries of each sort that are kept; the oldest give way. */
const maxEntries = 1_000;

const timeMs = z.number().int().min(0);
const place = z.string().regex(/^[0-9a-f]{32}$/);
const fileSchema = z.strictObject({
  v: z.literal(1),
  acknowledged: z.record(
    place,
    z.strictObject({ atMs: timeMs, mark: z.strictObject({ atMs: timeMs, seq: z.int().min(0) }) }),
  ),
  lost: z.array(
    z.strictObject({
      place,
      leaf: z.string().regex(/^[0-9a-f]{64}$/),
      queue: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      seq: z.int().min(0),
      atMs: timeMs,
    }),
  ),
});
type IncidentFile = z.infer<typeof fileSchema>;

const keyOf = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);

function bounded({ v, acknowledged, lost }: IncidentFile): IncidentFile {
  const newest = Object.entries(acknowledged).sort((a, b) => b[1].atMs - a[1].atMs);
  return { v, acknowledged: Object.fromEntries(newest.slice(0, maxEntries)), lost: lost.slice(-maxEntries) };
}

/** Opens it. Throws `unsupported` if a later version wrote the file, `forbidden` if it cannot be read. */
export async function openIncidentMemory(options: IncidentMemoryOptions): Promise<IncidentMemory> {
  const file = await openOrBeginJsonFile({
    ...options,
    schema: fileSchema,
    empty: { v: 1, acknowledged: {}, lost: [] },
  });
  /** As it is to be: the file may lag behind, or not be writable. */
  let value = file.read();
  let writing: Promise<void> = Promise.resolve();

  /** Changes what is held at once, and then the file, as others may have left it. */
  function change(edit: (value: IncidentFile) => IncidentFile): Promise<void> {
    value = bounded(edit(value));
    const done = file.update((onDisk) => bounded(edit(onDisk)));
    writing = Promise.allSettled([writing, done]).then(() => undefined);
    return done;
  }

  return {
    of(workspace, destination) {
      const here = keyOf(workspace, destination);
      const at = (id: string): string => keyOf(workspace, destination, id);
      return {
        acknowledged: (id) => value.acknowledged[at(id)],
        acknowledge: (id, acknowledgement) =>
          change((held) => ({ ...held, acknowledged: { ...held.acknowledged, [at(id)]: acknowledgement } })),
        takeBack(ids) {
          const keys = new Set(ids.map(at));
          const without = ({ acknowledged }: IncidentFile) =>
            Object.fromEntries(Object.entries(acknowledged).filter(([key]) => !keys.has(key)));
          return change((held) => ({ ...held, acknowledged: without(held) }));
        },
        lost: () => value.lost.filter((one) => one.place === here).map(({ place: _here, ...task }) => task),
        changeLost(lost, found) {
          const gone = new Set([...found, ...lost.map(({ leaf }) => leaf)]);
          const kept = lost.map((task) => ({ ...task, place: here }));
          return change((held) => ({
            ...held,
            lost: [...held.lost.filter((one) => one.place !== here || !gone.has(one.leaf)), ...kept],
          }));
        },
      };
    },
    async close() {
      await writing;
      file.dispose();
    },
  };
}
