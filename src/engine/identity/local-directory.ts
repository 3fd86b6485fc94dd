/**
 * The directory of a workspace in one file of the profile: its memory of the workspace's buckets, and all there is without a bus.
 * Law: it judges nothing but form: a grant that was once stored stays, and who reads a record verifies it.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { type Card, cardRecord, type Grant, grantRecord } from '../../shared/protocol/identity-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, Stored } from '../ports/directory.ts';
import type { Randomness } from '../ports/randomness.ts';
import { mergeGrants } from './merged-grants.ts';
import { openSharedJsonFile } from './shared-json-file.ts';
import { parseRecord } from './signed-record.ts';

const storedMs = z.int().min(0);
const fileSchema = z.strictObject({
  v: z.literal(1),
  workspace: z.string(),
  /** The present one of each peer. */
  cards: z.array(z.strictObject({ record: cardRecord, storedMs })),
  /** All that were ever stored, oldest first. */
  grants: z.array(z.strictObject({ record: grantRecord, storedMs })),
});
type DirectoryFile = z.infer<typeof fileSchema>;

interface DirectoryIndex {
  readonly of: DirectoryFile;
  readonly cards: ReadonlyMap<string, Stored<Card>>;
  readonly grants: ReadonlyMap<string, readonly Stored<Grant>[]>;
}

/** What a local directory needs. */
export interface LocalDirectoryOptions {
  readonly path: string;
  readonly workspace: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged while it is open. */
  readonly report: (error: VakError) => void;
}

export interface LocalDirectory extends Directory, Disposable {}

function indexOf(file: DirectoryFile): DirectoryIndex {
  const grants = new Map<string, Stored<Grant>[]>();
  for (const stored of file.grants) {
    const ofPeer = grants.get(stored.record.peer);
    if (ofPeer === undefined) grants.set(stored.record.peer, [stored]);
    else ofPeer.push(stored);
  }
  return { of: file, cards: new Map(file.cards.map((one) => [one.record.peer, one])), grants };
}

/** Records of one schema come with their keys in one order: equal text means equal records. */
function isSameRecord(left: Card | Grant, right: Card | Grant): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function withCard(file: DirectoryFile, card: Card, nowMs: number): DirectoryFile {
  const present = file.cards.find(({ record }) => record.peer === card.peer);
  if (present !== undefined && isSameRecord(present.record, card)) return file;
  const others = file.cards.filter((one) => one !== present);
  return { ...file, cards: [...others, { record: card, storedMs: nowMs }] };
}

/** A clock that was set back does not make a later grant look older than the one before it. */
function withGrant(file: DirectoryFile, grant: Grant, nowMs: number): DirectoryFile {
  const before = file.grants.filter(({ record }) => record.peer === grant.peer).at(-1);
  if (before !== undefined && isSameRecord(before.record, grant)) return file;
  return { ...file, grants: [...file.grants, { record: grant, storedMs: Math.max(nowMs, before?.storedMs ?? 0) }] };
}

function withCards(file: DirectoryFile, cards: readonly Stored<Card>[]): DirectoryFile {
  return cards.reduce((value, { record, storedMs }) => withCard(value, record, storedMs), file);
}

/** Each to its place; peers that nothing came of keep theirs as it is. */
function withGrants(
  { of: file, grants: known }: DirectoryIndex,
  arrived: readonly Stored<Grant>[],
  counts: (grant: Grant) => boolean,
): DirectoryFile {
  const byPeer = new Map<string, readonly Stored<Grant>[]>();
  for (const peer of new Set(arrived.map(({ record }) => record.peer))) {
    const before = known.get(peer) ?? [];
    const own = arrived.filter(({ record }) => record.peer === peer);
    const after = mergeGrants(before, own, counts);
    if (after !== before) byPeer.set(peer, after);
  }
  if (byPeer.size === 0) return file;
  const others = file.grants.filter(({ record }) => !byPeer.has(record.peer));
  return { ...file, grants: [...others, ...[...byPeer.values()].flat()] };
}

/**
 * Opens the directory of one workspace. Throws `corrupt` if the file is damaged (it was set aside; opening again begins
 * empty), `unsupported` if a later version wrote it, `invalid-input` if it is another workspace's.
 */
export async function openLocalDirectory(options: LocalDirectoryOptions): Promise<LocalDirectory> {
  const { workspace, clock } = options;
  const empty: DirectoryFile = { v: 1, workspace, cards: [], grants: [] };
  const file = await openSharedJsonFile({ ...options, schema: fileSchema, empty });
  if (file.read().workspace !== workspace) {
    file.dispose();
    throw new VakError('invalid-input', `${options.path} is the directory of another workspace`);
  }
  let index = indexOf(file.read());

  function indexed(value: DirectoryFile): DirectoryIndex {
    if (index.of !== value) index = indexOf(value);
    return index;
  }
  const current = (): DirectoryIndex => indexed(file.read());
  const seen = (): DirectoryIndex => indexed(file.seen());

  function checked<T extends Card | Grant>(schema: z.ZodType<T>, record: T, what: string): T {
    const sound = parseRecord(schema, record, what);
    if (sound.ws === workspace) return sound;
    throw new VakError('invalid-input', `${what}: it is of another workspace`, { details: { field: 'ws' } });
  }

  return {
    card: (peer) => current().cards.get(peer),
    cards: () => [...current().cards.values()],
    grants: (peer) => current().grants.get(peer) ?? [],
    grantedPeers: () => [...current().grants.keys()],
    seen: {
      grants: (peer) => seen().grants.get(peer) ?? [],
      grantedPeers: () => [...seen().grants.keys()],
    },
    async putCard(card) {
      const sound = checked(cardRecord, card, 'card');
      await file.update((value) => withCard(value, sound, clock.now()));
    },
    async putGrant(grant) {
      const sound = checked(grantRecord, grant, 'grant');
      await file.update((value) => withGrant(value, sound, clock.now()));
    },
    async takeCards(cards) {
      const sound = cards.map(({ record, storedMs }) => ({ record: checked(cardRecord, record, 'card'), storedMs }));
      if (sound.length > 0) await file.update((value) => withCards(value, sound));
    },
    async takeGrants(grants, counts) {
      const sound = grants.map(({ record, storedMs }) => ({ record: checked(grantRecord, record, 'grant'), storedMs }));
      if (sound.length > 0) await file.update((value) => withGrants(indexOf(value), sound, counts));
    },
    look: () => void file.read(),
    refresh: () => file.refresh(),
    onChange: (listener) => file.onChange(listener),
    dispose: () => file.dispose(),
  };
}
