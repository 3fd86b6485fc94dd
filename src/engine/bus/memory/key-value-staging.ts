/**
 * What a run of writes comes to in a bucket (protocol.md B5): which rows change, and how each write ends.
 * Law: decides and keeps nothing; each write sees those before it as if they were stored.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { JournalChange } from './journal.ts';
import { endRevision, revisionRows } from './key-value-rows.ts';

/** A key's kept revisions, rising; of the newest whether it is a marker. */
export interface KeyState {
  readonly revisions: readonly number[];
  readonly isDeleted: boolean;
}

/** What is known of a bucket without reading its values. */
export interface BucketIndex {
  readonly name: string;
  history: number;
  /** The bucket's last revision. */
  revision: number;
  readonly keys: Map<string, KeyState>;
}

/** `value` undefined: delete it. `expected`: the revision that it must have now, 0 for none. */
export interface KeyValueWrite {
  readonly key: string;
  readonly value: Uint8Array | undefined;
  readonly expected: number | undefined;
}

/** How a write ends when the rows are kept: with a revision (of a delete that found nothing undefined), or refused. */
export interface WriteOutcome {
  readonly revision: number | undefined;
  readonly refused: VakError | undefined;
}

export interface StagedWrites {
  readonly changes: readonly JournalChange[];
  readonly keys: ReadonlyMap<string, KeyState>;
  readonly revision: number;
  readonly outcomes: readonly WriteOutcome[];
}

/** The newest revision of a key that has a value, else 0. */
export function presentRevision(state: KeyState | undefined): number {
  return state === undefined || state.isDeleted ? 0 : (state.revisions.at(-1) ?? 0);
}

function conflict(bucket: string, expected: number, found: number): VakError {
  const now = found === 0 ? 'there is none' : `it is ${found}`;
  return new VakError('conflict', `key-value ${bucket}: revision ${expected} was expected and ${now}; read it again`, {
    details: { expectedRevision: expected, revision: found },
  });
}

/** Stages writes, in their order. */
export function stageWrites(index: BucketIndex, writes: readonly KeyValueWrite[], storedMs: number): StagedWrites {
  const keys = new Map<string, KeyState>();
  const changes: JournalChange[] = [];
  let revision = index.revision;
  const stage = ({ key, value, expected }: KeyValueWrite): WriteOutcome => {
    const before = keys.get(key) ?? index.keys.get(key);
    const found = presentRevision(before);
    if (expected !== undefined && expected !== found) {
      return { revision: undefined, refused: conflict(index.name, expected, found) };
    }
    if (value === undefined && found === 0) return { revision: undefined, refused: undefined };
    revision++;
    const all = [...(before?.revisions ?? []), revision];
    const kept = all.slice(-index.history);
    changes.push(...revisionRows({ bucket: index.name, key, revision }, value, storedMs));
    for (const gone of all.slice(0, -index.history)) {
      changes.push(...endRevision({ bucket: index.name, key, revision: gone }));
    }
    keys.set(key, { revisions: kept, isDeleted: value === undefined });
    return { revision, refused: undefined };
  };
  const outcomes = writes.map(stage);
  return { changes, keys, revision, outcomes };
}

/** What keeping fewer values of each key comes to. */
export function stageHistory(index: BucketIndex, history: number): Pick<StagedWrites, 'changes' | 'keys'> {
  const keys = new Map<string, KeyState>();
  const changes: JournalChange[] = [];
  for (const [key, state] of index.keys) {
    const gone = state.revisions.slice(0, -history);
    if (gone.length === 0) continue;
    for (const revision of gone) changes.push(...endRevision({ bucket: index.name, key, revision }));
    keys.set(key, { ...state, revisions: state.revisions.slice(-history) });
  }
  return { changes, keys };
}
