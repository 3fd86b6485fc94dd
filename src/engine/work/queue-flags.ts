/**
 * Whether queues are paused: a flag in the workspace's state that workers obey (protocol.md W9).
 * Law: only an operator's word pauses a queue or lets it go on; whatever else lies there is told, and changes nothing.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { DurablePlane, KeyValueEntry } from '../bus/durable.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { type StateReader, type StateReading, writeStateValue } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';

/** Who paused a queue, or let it go on, and when (ms since the epoch). */
export interface QueueFlag {
  readonly isPaused: boolean;
  readonly by: string;
  readonly atMs: number;
}

export interface QueueFlags extends Disposable {
  /** Undefined: nobody ever said anything. */
  of(queue: string): QueueFlag | undefined;
  /** What lies there now, if it does not count. */
  refusedOf(queue: string): RefusedFlag | undefined;
}

export interface QueueFlagsDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly reader: StateReader;
  readonly clock: Clock;
  /** Told of each change, and of what is there at the beginning. */
  readonly onChange: (queue: string, flag: QueueFlag) => void;
  readonly onRefused: (key: string, why: string, flag: RefusedFlag) => void;
  /** It was refused, and counts now. */
  readonly onTakenBack?: (flag: RefusedFlag) => void;
}

/** A flag that does not count. */
export interface RefusedFlag {
  readonly why: string;
  /** Who signed it; null: nobody can tell. */
  readonly by: string | null;
  readonly revision: number;
  /** When it was stored, ms since the epoch. */
  readonly atMs: number;
}

/** What nobody could judge is judged anew so often, ms. */
const againMs = 5_000;

/** Name of the bucket of a workspace's state (§1). */
export function stateBucketOf(workspace: string): string {
  return `VAK_STATE_${checkToken(workspace, 'workspace')}`;
}

/** Key of a queue's flag in that bucket. */
export const flagKeyOf = (queue: string): string => `queue.${checkToken(queue, 'queue')}`;
const queueOf = (key: string): string | undefined =>
  key.startsWith('queue.') ? key.slice('queue.'.length) : undefined;

export interface FlagWriting {
  readonly durable: DurablePlane;
  readonly signer: NkeySigner;
  readonly clock: Clock;
}

/** Stores the word of a peer, whether it counts or not; gives its revision. Throws `not-found` (the bucket was not made), `locked`, and what storing throws. */
export async function setQueuePaused(
  place: { readonly workspace: string; readonly queue: string; readonly peer: string },
  isPaused: boolean,
  { durable, signer, clock }: FlagWriting,
): Promise<number> {
  const { workspace: ws, queue, peer } = place;
  const key = flagKeyOf(queue);
  const value = JSON.stringify({ isPaused });
  return await durable
    .keyValue(stateBucketOf(ws))
    .put(key, writeStateValue({ ws, key, value, at: clock.now(), peer }, signer));
}

/** What an entry says of its queue, as far as is known now. */
export type FlagReading =
  | { readonly kind: 'flag'; readonly flag: QueueFlag }
  | Exclude<StateReading, { kind: 'value' }>;

/** Reads an entry of the bucket. */
export function readFlag(entry: KeyValueEntry, reader: StateReader): FlagReading {
  const reading = reader.read(entry);
  if (reading.kind !== 'value') return reading;
  const isPaused = isPausedIn(reading.value);
  if (isPaused === undefined) {
    return { kind: 'refused', why: 'It does not say whether the queue is paused.', isFinal: true, by: reading.by };
  }
  return { kind: 'flag', flag: { isPaused, by: reading.by, atMs: reading.atMs } };
}

function isPausedIn(value: unknown): boolean | undefined {
  const isPaused = typeof value === 'object' && value !== null ? (value as { isPaused?: unknown }).isPaused : undefined;
  return typeof isPaused === 'boolean' ? isPaused : undefined;
}

/**
 * What was said of a queue last, if it counts as far as is known now; undefined: nothing does. Throws what reading throws; a workspace
 * whose bucket was not made has no flags.
 */
export async function readQueueFlag(
  { workspace, queue }: { readonly workspace: string; readonly queue: string },
  { durable, reader }: Pick<QueueFlagsDeps, 'durable' | 'reader'>,
): Promise<QueueFlag | undefined> {
  try {
    const entry = await durable.keyValue(stateBucketOf(workspace)).get(flagKeyOf(queue));
    const reading = entry === undefined ? undefined : readFlag(entry, reader);
    return reading?.kind === 'flag' ? reading.flag : undefined;
  } catch (error) {
    if (isVakError(error, 'not-found')) return undefined;
    throw error;
  }
}

/** Watches the flags of a workspace. */
export function watchQueueFlags(deps: QueueFlagsDeps): QueueFlags {
  const { workspace, durable, reader, clock, onChange, onRefused } = deps;
  const flags = new Map<string, QueueFlag>();
  /** What may count later, by queue, and whether it was told that it does not yet. */
  const undecided = new Map<string, { readonly entry: KeyValueEntry; readonly isTold: boolean }>();
  const refused = new Map<string, RefusedFlag>();
  const held = createDisposer();

  function raise(queue: string, flag: QueueFlag): void {
    flags.set(queue, flag);
    onChange(queue, flag);
  }

  function take(queue: string, entry: KeyValueEntry, isTold: boolean): void {
    const reading = readFlag(entry, reader);
    const before = refused.get(queue);
    undecided.delete(queue);
    refused.delete(queue);
    if (reading.kind === 'flag') {
      if (isTold && before !== undefined) deps.onTakenBack?.(before);
      raise(queue, reading.flag);
      return;
    }
    if (reading.kind === 'refused') {
      const { why, by = null } = reading;
      const flag = { why, by, revision: entry.revision, atMs: entry.storedMs };
      refused.set(queue, flag);
      if (!isTold) onRefused(entry.key, why, flag);
    }
    if (reading.kind === 'unknown' || !reading.isFinal) {
      undecided.set(queue, { entry, isTold: isTold || reading.kind === 'refused' });
    }
  }

  held.add(
    durable.keyValue(stateBucketOf(workspace)).watch(({ key, entry }) => {
      const queue = queueOf(key);
      // Deleting is nobody's word: what was said stands.
      if (queue !== undefined && entry !== undefined) take(queue, entry, false);
    }),
  );
  held.add(
    clock.setTicker(againMs, () => {
      for (const [queue, { entry, isTold }] of [...undecided]) take(queue, entry, isTold);
    }),
  );
  return { of: (queue) => flags.get(queue), refusedOf: (queue) => refused.get(queue), dispose: () => held.dispose() };
}
