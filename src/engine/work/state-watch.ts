/**
 * Watches values of one sort in the workspace's state (protocol.md W9): flags of queues, what is said of groups of dead letters.
 * Law: only what an operator signed counts; whatever else lies there is told once, and changes nothing.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { DurablePlane, KeyValueEntry } from '../bus/durable.ts';
import type { StateReader, StateReading } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';

/** What was said, by whom, and when (ms since the epoch). */
export interface SaidValue<T> {
  readonly value: T;
  readonly by: string;
  readonly atMs: number;
}

/** How values of a sort look. */
export interface ValueForm<T> {
  /** Undefined: it is none. */
  readonly parse: (value: unknown) => T | undefined;
  /** What is said of one that is none. */
  readonly wrong: string;
}

export type SaidReading<T> =
  | { readonly kind: 'said'; readonly said: SaidValue<T> }
  | Exclude<StateReading, { kind: 'value' }>;

/** Name of the bucket of a workspace's state (§1). */
export function stateBucketOf(workspace: string): string {
  return `VAK_STATE_${checkToken(workspace, 'workspace')}`;
}

/** Reads one entry as a value of the sort. */
export function readSaidValue<T>(entry: KeyValueEntry, reader: StateReader, form: ValueForm<T>): SaidReading<T> {
  const reading = reader.read(entry);
  if (reading.kind !== 'value') return reading;
  const value = form.parse(reading.value);
  if (value === undefined) return { kind: 'refused', why: form.wrong, isFinal: true, by: reading.by };
  return { kind: 'said', said: { value, by: reading.by, atMs: reading.atMs } };
}

/** A value that does not count. */
export interface RefusedValue {
  readonly why: string;
  /** Who signed it; null: nobody can tell. */
  readonly by: string | null;
  readonly revision: number;
  /** When it was stored, ms since the epoch. */
  readonly atMs: number;
}

export interface StateWatchDeps<T> extends ValueForm<T> {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly reader: StateReader;
  readonly clock: Clock;
  /** Of the keys; what follows it is the name. */
  readonly prefix: string;
  /** Told of each change, and of what is there at the beginning. */
  readonly onChange: (name: string, said: SaidValue<T>) => void;
  readonly onRefused: (name: string, refused: RefusedValue) => void;
  /** It was refused, and counts now. */
  readonly onTakenBack?: (refused: RefusedValue) => void;
}

export interface StateWatch<T> extends Disposable {
  /** Undefined: nobody ever said anything that counts. */
  of(name: string): SaidValue<T> | undefined;
  /** What lies there now and does not count; undefined: it counts, or there is nothing. */
  refusedOf(name: string): RefusedValue | undefined;
}

/** What nobody could judge is judged anew so often, ms. */
const againMs = 5_000;

/** Begins to watch. Throws what watching throws: `not-found` (the bucket was not made) … */
export function watchStateValues<T>(deps: StateWatchDeps<T>): StateWatch<T> {
  const { workspace, durable, reader, clock, prefix, onChange, onRefused } = deps;
  const values = new Map<string, SaidValue<T>>();
  /** What may count later, by name, and whether it was told that it does not yet. */
  const undecided = new Map<string, { readonly entry: KeyValueEntry; readonly isTold: boolean }>();
  const refused = new Map<string, RefusedValue>();
  const held = createDisposer();

  function take(name: string, entry: KeyValueEntry, isTold: boolean): void {
    const reading = readSaidValue(entry, reader, deps);
    const before = refused.get(name);
    undecided.delete(name);
    refused.delete(name);
    if (reading.kind === 'said') {
      if (isTold && before !== undefined) deps.onTakenBack?.(before);
      values.set(name, reading.said);
      onChange(name, reading.said);
      return;
    }
    if (reading.kind === 'refused') {
      const { why, by = null } = reading;
      const one = { why, by, revision: entry.revision, atMs: entry.storedMs };
      refused.set(name, one);
      if (!isTold) onRefused(name, one);
    }
    if (reading.kind === 'unknown' || !reading.isFinal) {
      undecided.set(name, { entry, isTold: isTold || reading.kind === 'refused' });
    }
  }

  held.add(
    durable.keyValue(stateBucketOf(workspace)).watch(({ key, entry }) => {
      // Deleting is nobody's word: what was said stands.
      if (key.startsWith(prefix) && entry !== undefined) take(key.slice(prefix.length), entry, false);
    }),
  );
  held.add(
    clock.setTicker(againMs, () => {
      for (const [name, { entry, isTold }] of [...undecided]) take(name, entry, isTold);
    }),
  );
  return { of: (name) => values.get(name), refusedOf: (name) => refused.get(name), dispose: () => held.dispose() };
}
