/**
 * What people say of groups of dead letters: acknowledged, whose it is, a note (docs/spec/triage.md D4).
 * Law: only an operator's word counts; a letter that came after it opens the group again.
 */
import { z } from 'zod';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { type GroupState, groupStates } from '../../shared/contract/dlq-contract.ts';
import type { DurablePlane, KeyValueEntry } from '../bus/durable.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { type StateReader, writeStateValue } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';
import {
  readSaidValue,
  type SaidValue,
  type StateWatch,
  stateBucketOf,
  watchStateValues,
} from '../work/state-watch.ts';

const groupWord = z.object({
  state: z.enum(groupStates),
  assignee: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .nullable(),
  note: z.string().max(2048).nullable(),
  /** The state holds for letters up to this place. */
  uptoSeq: z.int().nonnegative(),
});

/** D4's value. */
export type GroupWord = z.infer<typeof groupWord>;

const prefix = 'incident.';
const form = {
  parse: (value: unknown): GroupWord | undefined => groupWord.safeParse(value).data,
  wrong: 'It is not what is said of a group of dead letters.',
};
const nothing: GroupWord = { state: 'open', assignee: null, note: null, uptoSeq: 0 };
/** Others who say something of the same group at the same time. */
const maxTries = 4;

/** Whether what is said is of a fingerprint. */
const isFingerprint = (name: string): boolean => /^[0-9a-f]{16}$/.test(name);

export interface GroupStatesDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly reader: StateReader;
  readonly clock: Clock;
  readonly onChange: () => void;
  readonly onRefused: (fingerprint: string, why: string) => void;
}

/** Watches what is said of groups. Throws what watching throws: `not-found` (the bucket was not made) … */
export function watchGroupStates(deps: GroupStatesDeps): StateWatch<GroupWord> {
  return watchStateValues({
    ...{ ...deps, ...form, prefix },
    onRefused(name, { why }) {
      if (isFingerprint(name)) deps.onRefused(name, why);
    },
  });
}

/**
 * What was said of groups last, as far as it counts now, by their fingerprints. Throws what reading throws; a workspace whose bucket was
 * not made has none.
 */
export async function readGroupStates({
  workspace,
  durable,
  reader,
}: Pick<GroupStatesDeps, 'workspace' | 'durable' | 'reader'>): Promise<ReadonlyMap<string, SaidValue<GroupWord>>> {
  const found = new Map<string, SaidValue<GroupWord>>();
  try {
    const bucket = durable.keyValue(stateBucketOf(workspace));
    for (const key of await bucket.keys()) {
      const entry = key.startsWith(prefix) ? await bucket.get(key) : undefined;
      const said = wordIn(entry, reader);
      if (said !== undefined) found.set(key.slice(prefix.length), said);
    }
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
  }
  return found;
}

/** What a group is now: what was said, unless a letter came after it. */
export function groupStateOf(said: SaidValue<GroupWord> | undefined, newestSeq: number): GroupState {
  if (said === undefined || newestSeq > said.value.uptoSeq) return 'open';
  return said.value.state;
}

/** What is to be said anew; what is not given stays. */
export interface GroupChange {
  readonly fingerprint: string;
  readonly state?: GroupState | undefined;
  readonly assignee?: string | null | undefined;
  readonly note?: string | null | undefined;
  /** Up to which place a new state holds. */
  readonly uptoSeq: number;
}

export interface GroupSpeaker {
  readonly workspace: string;
  readonly peer: string;
  readonly durable: DurablePlane;
  readonly signer: NkeySigner;
  readonly reader: StateReader;
  readonly clock: Clock;
}

function wordAfter(before: GroupWord, { state, assignee, note, uptoSeq }: GroupChange): GroupWord {
  return {
    state: state ?? before.state,
    assignee: assignee === undefined ? before.assignee : assignee,
    note: note === undefined ? before.note : note,
    uptoSeq: state === undefined ? before.uptoSeq : uptoSeq,
  };
}

function wordIn(entry: KeyValueEntry | undefined, reader: StateReader): SaidValue<GroupWord> | undefined {
  const reading = entry === undefined ? undefined : readSaidValue(entry, reader, form);
  return reading?.kind === 'said' ? reading.said : undefined;
}

/**
 * Says something of a group. Throws `not-found` (the bucket was not made), `conflict` (others keep saying something of it), `locked`, and
 * what storing throws.
 */
export async function sayOfGroup(change: GroupChange, speaker: GroupSpeaker): Promise<GroupWord> {
  const { workspace: ws, peer, durable, signer, reader, clock } = speaker;
  const key = `${prefix}${change.fingerprint}`;
  const bucket = durable.keyValue(stateBucketOf(ws));
  for (let tries = 0; tries < maxTries; tries++) {
    const entry = await bucket.get(key);
    const before = wordIn(entry, reader);
    const word = wordAfter(before?.value ?? nothing, change);
    // Where clocks differ: a word that seems older than the one before it would not count.
    const at = Math.max(clock.now(), (before?.atMs ?? 0) + 1);
    const value = writeStateValue({ ws, key, value: JSON.stringify(word), at, peer }, signer);
    try {
      await bucket.put(key, value, { revision: entry?.revision ?? 0 });
      return word;
    } catch (error) {
      if (!isVakError(error, 'conflict')) throw error;
    }
  }
  throw new VakError('conflict', 'group: others say something of it at the same time; look at it, and say it again', {
    retryable: true,
  });
}
