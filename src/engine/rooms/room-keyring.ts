/**
 * The keys of rooms that this profile holds (protocol.md R4, docs/spec/rooms.md R31).
 * Law: kept is what was given or made, in the key store alone; what follows from it by steps is worked out, and erased with the lock.
 */
import { timingSafeEqual } from 'node:crypto';
import { fromBase64Url } from '../../shared/base/base64url.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import { commitRoomKey, stepRoomKey } from './room-keys.ts';
import type { EpochStart, RoomLog } from './room-log.ts';

/** What a key is for. `commit`: what the log says of it, or is to say; absent after a JOIN. */
export interface KeptKeyPlace {
  readonly room: string;
  readonly epoch: number;
  readonly commit: string | undefined;
}

export interface RoomKeyring extends Disposable {
  /** The key of an epoch, the ring's own: not to be kept. Undefined: there is none here, or the key store is locked. */
  keyOf(log: RoomLog, epoch: number): Secret | undefined;
  /** The epoch from whose key that one's follows by steps: what has to be asked for (R28). */
  baseOf(log: RoomLog, epoch: number): EpochStart | undefined;
  /** Whether a key is kept there, whatever the log says of it. */
  has(place: KeptKeyPlace): boolean;
  /** Keeps a key; the ring owns it from now on. Resolves when it is on disk. Throws `locked`, and what the key store throws. */
  keep(place: KeptKeyPlace, key: Secret): Promise<void>;
  /** Forgets keys that were made for entries that others forestalled; while the key store is locked it does nothing. Throws as `keep`. */
  tidy(log: RoomLog): Promise<void>;
  /** Forgets what was worked out: the key store was locked. */
  erase(): void;
}

/** Keys that were worked out and are kept at once; more are worked out again. */
const maxDerived = 4_096;

/** Keys of a room that are kept, those of the newest epochs: a member that rotates without end fills nobody's key store. */
const maxKept = 2_000;

const nameOf = (room: string, epoch: number): string => `${room}.${epoch}`;
/** Two keys that are made for one epoch at a time do not overwrite each other: which of them counts only the log says. */
const keptName = ({ room, epoch, commit }: KeptKeyPlace): string =>
  commit === undefined ? nameOf(room, epoch) : `${nameOf(room, epoch)}.${commit}`;
const epochIn = (name: string): number => Number(name.split('.')[1]);

/** Names of a room's keys, of the newest epochs first. */
function namesOf(roomKeys: ReadonlyMap<string, Secret>, room: string): string[] {
  const names = [...roomKeys.keys()].filter((name) => name.startsWith(`${room}.`));
  return names.sort((left, right) => epochIn(right) - epochIn(left));
}

function fits(key: Secret, commit: string): boolean {
  return timingSafeEqual(commitRoomKey(key), fromBase64Url(commit, 'commit'));
}

/** Creates the ring of the peer with that key (`U…`) over its key store. */
export function createRoomKeyring(keyStore: Pick<KeyStore, 'state' | 'read' | 'update'>, self: string): RoomKeyring {
  const derived = new Map<string, Secret>();
  /** Kept keys that were found to be what the log says, by name and hash of the entry. */
  const proven = new Set<string>();

  function erase(): void {
    for (const key of derived.values()) key.dispose();
    derived.clear();
    proven.clear();
  }

  /** A key that was made for an entry that another one forestalled is none (R24). */
  function isProven(room: string, start: EpochStart, key: Secret): boolean {
    const name = `${nameOf(room, start.epoch)} ${start.hash}`;
    if (start.commit === undefined || proven.has(name)) return true;
    if (!fits(key, start.commit)) return false;
    proven.add(name);
    return true;
  }

  function kept(room: string, start: EpochStart): Secret | undefined {
    if (keyStore.state().kind !== 'unlocked') return undefined;
    const { epoch, commit } = start;
    const key = keyStore.read().roomKeys.get(keptName({ room, epoch, commit }));
    return key !== undefined && isProven(room, start, key) ? key : undefined;
  }

  function known(room: string, start: EpochStart): Secret | undefined {
    return derived.get(`${nameOf(room, start.epoch)} ${start.hash}`) ?? kept(room, start);
  }

  function remember(room: string, start: EpochStart, key: Secret): Secret {
    if (derived.size >= maxDerived) {
      const [oldest] = derived.keys();
      if (oldest !== undefined) {
        derived.get(oldest)?.dispose();
        derived.delete(oldest);
      }
    }
    derived.set(`${nameOf(room, start.epoch)} ${start.hash}`, key);
    return key;
  }

  /** Epochs from one that is known, or that no step leads this peer to, up to the wanted one. */
  function pathTo(log: RoomLog, epoch: number): EpochStart[] {
    const path: EpochStart[] = [];
    for (let at = epoch; ; at--) {
      const start = log.epochs()[at];
      if (start === undefined) return path.reverse();
      path.push(start);
      if (start.kind !== 'JOIN' || start.author === self || known(log.room, start) !== undefined) return path.reverse();
    }
  }

  /** Changes what is kept; `edit` says what goes. */
  async function change(edit: (roomKeys: Map<string, Secret>) => readonly string[]): Promise<void> {
    await keyStore.update((contents) => {
      const roomKeys = new Map(contents.roomKeys);
      for (const name of edit(roomKeys)) roomKeys.delete(name);
      return { ...contents, roomKeys };
    });
  }

  return {
    keyOf(log, epoch) {
      if (keyStore.state().kind !== 'unlocked') return undefined;
      const [first, ...steps] = pathTo(log, epoch);
      let key = first === undefined ? undefined : known(log.room, first);
      for (const start of steps) {
        if (key === undefined) return undefined;
        key = remember(log.room, start, stepRoomKey(key, fromBase64Url(start.hash, 'hash')));
      }
      return key;
    },
    baseOf: (log, epoch) => pathTo(log, epoch)[0],
    has: (place) => keyStore.state().kind === 'unlocked' && keyStore.read().roomKeys.has(keptName(place)),
    async keep(place, key) {
      // The store keeps a copy of its own.
      const copy = createSecret(key.reveal().slice());
      try {
        await change((roomKeys) => {
          roomKeys.set(keptName(place), copy);
          return namesOf(roomKeys, place.room).slice(maxKept);
        });
      } finally {
        copy.dispose();
        key.dispose();
      }
    },
    async tidy(log) {
      if (keyStore.state().kind !== 'unlocked') return;
      const isMoot = (name: string): boolean => {
        const start = log.epochs()[epochIn(name)];
        return start !== undefined && name !== keptName({ room: log.room, epoch: start.epoch, commit: start.commit });
      };
      if (namesOf(keyStore.read().roomKeys, log.room).some(isMoot))
        await change((roomKeys) => namesOf(roomKeys, log.room).filter(isMoot));
    },
    erase,
    dispose: erase,
  };
}
