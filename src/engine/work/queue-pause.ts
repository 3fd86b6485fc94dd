/**
 * An operator pauses a queue or lets it go on, and hears whether workers obey (protocol.md W9, W9b).
 * Law: what is told as done is what every worker concludes from the bucket; a word that would not count is taken back.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { KeyValueBucket, KeyValueEntry } from '../bus/durable.ts';
import type { StateReader } from '../identity/state-values.ts';
import { type FlagReading, type FlagWriting, flagKeyOf, readFlag, setQueuePaused } from './queue-flags.ts';
import { stateBucketOf } from './state-watch.ts';

export interface QueuePausing extends FlagWriting {
  /** By what is known of grants here. */
  readonly reader: StateReader;
}

interface Place {
  readonly workspace: string;
  readonly queue: string;
  readonly peer: string;
}

/** The last one that counts; undefined: none does. */
interface Former {
  readonly entry: KeyValueEntry;
  readonly flag: Extract<FlagReading, { kind: 'flag' }>['flag'];
}

const minuteMs = 60_000;

function spanOf(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / minuteMs);
  return minutes < 1 ? `${Math.max(1, Math.round(Math.abs(ms) / 1_000))} s` : `${minutes} min`;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** Whoever has followed the bucket for long has seen all of its values: what counted of them is what a later one is compared with. */
async function readFormer(bucket: KeyValueBucket, key: string, reader: StateReader): Promise<Former | undefined> {
  let former: Former | undefined;
  for (const entry of await bucket.history(key)) {
    const reading = readFlag(entry, reader);
    if (reading.kind === 'flag') former = { entry, flag: reading.flag };
  }
  return former;
}

function clockBehind(doing: string, nowMs: number, { by, atMs }: Former['flag']): VakError {
  const who = `what ${visibleText(by)} said of the queue last is of ${timeOf(atMs)}`;
  const here = `the clock of this machine says ${timeOf(nowMs)}, ${spanOf(atMs - nowMs)} before`;
  return new VakError(
    'conflict',
    `${doing}: it would not count: ${who}, and ${here}; set its clock right and say it again`,
  );
}

function refusedWord(doing: string, nowMs: number, stored: { readonly entry: KeyValueEntry; readonly why: string }) {
  const { storedMs } = stored.entry;
  const ahead = nowMs - storedMs;
  const clock =
    Math.abs(ahead) < minuteMs
      ? ''
      : ` The clock of this machine is ${spanOf(ahead)} ${ahead > 0 ? 'ahead of' : 'behind'} the server's (${timeOf(nowMs)}, ${timeOf(storedMs)}); set it right and say it again.`;
  const what = 'workers do not obey it, and it was taken back';
  return new VakError('conflict', `${doing}: ${what}: ${stored.why}${clock}`.replace(/\.$/, ''));
}

/**
 * Pauses a queue, or lets it go on. Throws `conflict` if workers would not obey: the clock of this machine is ahead or behind, its peer is
 * no operator, another operator has said otherwise meanwhile; then what was said before stands. Throws `not-found` (the bucket was not
 * made), `locked`, and what storing throws.
 */
export async function pauseQueue(place: Place, isPaused: boolean, deps: QueuePausing): Promise<void> {
  const { durable, clock, reader } = deps;
  const { queue } = place;
  const doing = `${isPaused ? 'pause' : 'resume'} ${queue}`;
  const bucket = durable.keyValue(stateBucketOf(place.workspace));
  const key = flagKeyOf(queue);
  const former = await readFormer(bucket, key, reader);
  const nowMs = clock.now();
  if (former !== undefined && nowMs < former.flag.atMs) throw clockBehind(doing, nowMs, former.flag);
  const revision = await setQueuePaused(place, isPaused, deps);
  const entry = await bucket.get(key);
  const reading = entry && readFlag(entry, reader);
  if (entry === undefined || reading === undefined) return;
  if (entry.revision !== revision) {
    if (reading.kind !== 'flag' || reading.flag.isPaused === isPaused) return;
    throw new VakError(
      'conflict',
      `${doing}: ${visibleText(reading.flag.by)} has said otherwise since; look at the queue`,
    );
  }
  if (reading.kind !== 'refused') return;
  // Who begins now sees the last value alone: what counted before is put back for it.
  if (former === undefined) await bucket.delete(key);
  else await bucket.put(key, former.entry.value, { revision });
  throw refusedWord(doing, nowMs, { entry, why: reading.why });
}
