/**
 * Whether queues are paused: a flag in the workspace's state that workers obey (protocol.md W9).
 * Law: only an operator's word pauses a queue or lets it go on; whatever else lies there is told, and changes nothing.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { DurablePlane, KeyValueEntry } from '../bus/durable.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { type StateReader, writeStateValue } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type RefusedValue,
  readSaidValue,
  type SaidReading,
  type SaidValue,
  stateBucketOf,
  watchStateValues,
} from './state-watch.ts';

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
  refusedOf(queue: string): RefusedValue | undefined;
}

export interface QueueFlagsDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly reader: StateReader;
  readonly clock: Clock;
  /** Told of each change, and of what is there at the beginning. */
  readonly onChange: (queue: string, flag: QueueFlag) => void;
  readonly onRefused: (key: string, why: string, flag: RefusedValue) => void;
  /** It was refused, and counts now. */
  readonly onTakenBack?: (flag: RefusedValue) => void;
}

const prefix = 'queue.';

/** Key of a queue's flag in the bucket of the workspace's state. */
export const flagKeyOf = (queue: string): string => `${prefix}${checkToken(queue, 'queue')}`;

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

function isPausedIn(value: unknown): boolean | undefined {
  const isPaused = typeof value === 'object' && value !== null ? (value as { isPaused?: unknown }).isPaused : undefined;
  return typeof isPaused === 'boolean' ? isPaused : undefined;
}

const form = { parse: isPausedIn, wrong: 'It does not say whether the queue is paused.' };
const flagOf = ({ value: isPaused, by, atMs }: SaidValue<boolean>): QueueFlag => ({ isPaused, by, atMs });

/** What an entry says of its queue, as far as is known now. */
export type FlagReading =
  | { readonly kind: 'flag'; readonly flag: QueueFlag }
  | Exclude<SaidReading<boolean>, { kind: 'said' }>;

/** Reads an entry of the bucket. */
export function readFlag(entry: KeyValueEntry, reader: StateReader): FlagReading {
  const reading = readSaidValue(entry, reader, form);
  return reading.kind === 'said' ? { kind: 'flag', flag: flagOf(reading.said) } : reading;
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
  const { onChange, onRefused, ...rest } = deps;
  const values = watchStateValues({
    ...{ ...rest, ...form, prefix },
    onChange: (queue, said) => onChange(queue, flagOf(said)),
    onRefused: (queue, refused) => onRefused(`${prefix}${queue}`, refused.why, refused),
  });
  return {
    of(queue) {
      const said = values.of(queue);
      return said === undefined ? undefined : flagOf(said);
    },
    refusedOf: values.refusedOf,
    dispose: values.dispose,
  };
}
