/**
 * Follows a bucket of signed records: what lies there now, verified, in batches (protocol.md B5, I1, I4).
 * Law: bounded keys and bytes whatever is written there; a record that vanishes is nobody's word, and changes nothing that was taken.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, KeyValueEntry } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { maxEntryBytes, type ReadEntry } from './bus-entry.ts';

/** What lies under a key. `record` undefined: something that does not count. */
export interface HeldEntry<T> {
  readonly revision: number;
  readonly record: T | undefined;
}

/** A record as it came, verified. */
export interface ArrivedRecord<T> {
  readonly key: string;
  readonly record: T;
  /** When the bucket stored it, ms since the epoch. */
  readonly storedMs: number;
}

export interface BucketReading<T> extends Disposable {
  held(key: string): HeldEntry<T> | undefined;
  /** This process has put it there itself: known before it is told. */
  note(key: string, entry: HeldEntry<T>): void;
  /** Whether all that lay there at the beginning was taken; stays true. */
  isReady(): boolean;
  /** Why it cannot be read; undefined: it can, or nobody knows yet. */
  problem(): VakError | undefined;
  /** Resolves when what is being taken is taken: after `dispose` nothing more is. */
  idle(): Promise<void>;
}

export interface BucketReadingDeps<T> {
  readonly durable: DurablePlane;
  readonly bucket: string;
  /** A key to ask for first: a bucket that is not there says so. */
  readonly probe: string;
  readonly read: ReadEntry<T>;
  /** Takes what came, one batch after the other; must not reject. */
  readonly take: (batch: readonly ArrivedRecord<T>[]) => Promise<void>;
  readonly onRefused: (key: string, why: string) => void;
  /** Told when what lies there, or whether it can be read, is something else. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keys of a bucket that are followed: beyond the peers of a large workspace. */
const maxFollowedKeys = 8_192;
const batchSize = 64;
/** Signatures are checked for so long in one turn, ms. */
const turnMs = 4;
/** A bucket that is not there, or may not be read, is asked for again so often, ms. */
const againMs = 5_000;

/** Begins to follow it; what cannot be read is tried again until disposed. */
export function createBucketReading<T>(deps: BucketReadingDeps<T>): BucketReading<T> {
  const { durable, bucket, probe, read, take, onRefused, onChange, clock, logger } = deps;
  const disposer = createDisposer();
  let again: Disposable | undefined;
  disposer.defer(() => again?.dispose());
  const held = new Map<string, HeldEntry<T>>();
  /** What came and was not verified yet, newest of each key. */
  const waiting = new Map<string, KeyValueEntry>();
  let problem: VakError | undefined;
  let isTold = false;
  let isReady = false;
  let busy: Promise<void> | undefined;

  const isOver = (): boolean => disposer.isDisposed;
  const isKnown = (key: string): boolean => held.has(key) || waiting.has(key);

  function hold(key: string, entry: HeldEntry<T>): boolean {
    if ((held.get(key)?.revision ?? 0) > entry.revision) return false;
    held.set(key, entry);
    return true;
  }

  /** Verifies one; undefined if it does not count. */
  function verified({ key, value, revision, storedMs }: KeyValueEntry): ArrivedRecord<T> | undefined {
    const reading = read({ key, value });
    const record = reading.kind === 'record' ? reading.record : undefined;
    hold(key, { revision, record });
    if (reading.kind === 'refused') onRefused(key, reading.why);
    return record === undefined ? undefined : { key, record, storedMs };
  }

  async function verifyBatch(entries: readonly KeyValueEntry[]): Promise<readonly ArrivedRecord<T>[]> {
    const batch: ArrivedRecord<T>[] = [];
    let fromMs = clock.monotonic();
    for (const entry of entries) {
      const found = verified(entry);
      if (found !== undefined) batch.push(found);
      if (clock.monotonic() - fromMs < turnMs) continue;
      await new Promise<void>((resolve) => clock.defer(resolve));
      fromMs = clock.monotonic();
    }
    return batch;
  }

  async function drain(): Promise<void> {
    while (waiting.size > 0 && !isOver()) {
      const entries = [...waiting.values()].slice(0, batchSize);
      for (const { key } of entries) waiting.delete(key);
      const batch = await verifyBatch(entries);
      if (batch.length > 0 && !isOver()) await take(batch);
    }
    isReady ||= isTold && !isOver();
    if (!isOver()) onChange();
  }

  function kick(): void {
    if (busy !== undefined || isOver()) return;
    busy = drain()
      .catch((thrown: unknown) => void logger.bug('directory.reading', thrown))
      .finally(() => {
        busy = undefined;
        if (waiting.size > 0 || isTold !== isReady) kick();
      });
  }

  function onGone(key: string): void {
    waiting.delete(key);
    held.delete(key);
    onChange();
  }

  function onEntry(entry: KeyValueEntry): void {
    const { key, value } = entry;
    if (!isKnown(key) && held.size + waiting.size >= maxFollowedKeys) {
      onRefused('', `More than ${maxFollowedKeys} keys lie there; the rest are not looked at.`);
      return;
    }
    waiting.delete(key);
    // What is too large is not kept until its turn comes.
    if (value.length > maxEntryBytes) verified(entry);
    else waiting.set(key, entry);
    kick();
  }

  function onAllTold(): void {
    isTold = true;
    kick();
  }

  /** Throws what reading throws: `not-found` (the bucket was not made), `forbidden` … */
  async function begin(): Promise<void> {
    const values = durable.keyValue(bucket);
    await values.get(probe);
    if (isOver()) return;
    disposer.add(values.watch(({ key, entry }) => (entry === undefined ? onGone(key) : onEntry(entry)), onAllTold));
    problem = undefined;
  }

  function failed(error: unknown): void {
    if (isOver()) return;
    if (!isVakError(error)) {
      logger.bug('directory.reading', error);
      return;
    }
    if (problem?.code !== error.code) logger.info('directory.not-readable', { bucket, code: error.code });
    problem = error;
    again = clock.setTimer(againMs, tryToBegin);
    onChange();
  }

  function tryToBegin(): void {
    begin().catch(failed);
  }

  tryToBegin();
  return {
    held: (key) => held.get(key),
    note: (key, entry) => void hold(key, entry),
    isReady: () => isReady,
    problem: () => problem,
    idle: async () => await busy,
    dispose: () => disposer.dispose(),
  };
}
