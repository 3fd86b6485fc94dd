/**
 * Whether the key store is open in this process, and for how long.
 * Law: what began before a lock never opens it again; locking erases at once, whatever is under way.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type IdleLock, startIdleLock } from './idle-lock.ts';
import { createOpenStore, type OpenStore } from './open-store.ts';
import type { StoreDisk } from './store-disk.ts';
import type { FoundStore } from './store-opening.ts';

export interface StoreSession {
  /** The open store; undefined while locked. Locks first if it is time. */
  current(): OpenStore | undefined;
  /** The open store. Throws `locked`. */
  require(): OpenStore;
  /** How often it was locked so far. */
  lockCount(): number;
  /**
   * Opens, or takes over what is new if that very store is open already: what it gave out stays good then.
   * Throws `locked`, and erases the key, if it was locked since `lockCount`.
   */
  enter(found: FoundStore, lockCount: number): OpenStore;
  /** Erases everything; true if it was open. */
  lock(): boolean;
  touch(): void;
  idleMinutes(): number;
  setIdleMinutes(minutes: number): void;
}

/** What it needs. */
export interface StoreSessionOptions {
  readonly disk: StoreDisk;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly idleMinutes: number;
  /** Runs after nobody has used it for so long, and it has been locked. */
  readonly onIdleLock: () => void;
}

const locked = (): VakError => new VakError('locked', 'the key store is locked');

/** Creates a session that is locked. */
export function createStoreSession(options: StoreSessionOptions): StoreSession {
  const { disk, clock, randomness, onIdleLock } = options;
  let idleMinutes = options.idleMinutes;
  let open: OpenStore | undefined;
  let idle: IdleLock | undefined;
  let lockCount = 0;

  function close(): boolean {
    const wasOpen = open !== undefined;
    idle?.dispose();
    idle = undefined;
    open?.close();
    open = undefined;
    return wasOpen;
  }

  function lock(): boolean {
    lockCount++;
    return close();
  }

  function startIdle(): void {
    idle?.dispose();
    idle = startIdleLock({
      ...{ clock, idleMinutes },
      onIdle() {
        if (lock()) onIdleLock();
      },
    });
  }

  function current(): OpenStore | undefined {
    idle?.check();
    return open;
  }

  return {
    current,
    require() {
      const store = current();
      if (store === undefined) throw locked();
      return store;
    },
    lockCount: () => lockCount,
    enter(found, countBefore) {
      if (lockCount !== countBefore) {
        found.masterKey.fill(0);
        throw locked();
      }
      if (open?.hasKey(found.masterKey)) {
        found.masterKey.fill(0);
        open.refresh();
      } else {
        close();
        open = createOpenStore({ disk, randomness, found });
      }
      startIdle();
      return open;
    },
    lock,
    touch: () => idle?.touch(),
    idleMinutes: () => idleMinutes,
    setIdleMinutes(minutes) {
      idleMinutes = minutes;
      if (open !== undefined) startIdle();
    },
  };
}
