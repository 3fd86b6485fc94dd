/**
 * What every operation of a key store stands on: its turn, its session, and what is told to others.
 * Law: one operation at a time, in the order of the calls; listeners hear of each change after it is done.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { KeyStoreState } from '../../shared/contract/identity-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Vault } from '../ports/vault.ts';
import { readClosedState, slotKinds } from './closed-state.ts';
import { isReplaced, type OpenStore } from './open-store.ts';
import { createStoreDisk, type StoreDisk } from './store-disk.ts';
import { createStoreSession, type StoreSession } from './store-session.ts';

/** What a key store in a file needs. */
export interface FileKeyStoreOptions {
  /** Path of the store; its copy, lock and what is set aside stand beside it. Its folder is made (mode 0700) if it is absent. */
  readonly file: string;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Minutes without `touch` after which it locks; 0: never. */
  readonly idleLockMinutes: number;
  /** The longest wait for another process's write, ms; 5 000 unless given. */
  readonly lockWaitMs?: number;
}

const defaultLockWaitMs = 5000;
const maxNotices = 8;

/** What is told of the store beside whether it is open. */
export interface StoreNews {
  notify(): void;
  onChange(listener: () => void): Disposable;
  notices(): readonly string[];
  /** Says something for people. */
  notice(text: string): void;
  noticeSetAside(paths: readonly string[]): void;
  /** Why the last opening failed, as far as that outlasts it. */
  readonly failure: { readonly refusal?: string; readonly corruption?: string };
  /** Remembers a failure of opening; a wrong passphrase tells nothing new of the keychain. */
  recordFailure(error: unknown): void;
  /** It opened: what was said before is over. */
  clear(): void;
}

/** Creates news without any. */
function createStoreNews(): StoreNews & Disposable {
  const listeners = new Set<() => void>();
  let notices: readonly string[] = [];
  let failure: StoreNews['failure'] = {};
  const news: StoreNews & Disposable = {
    notify() {
      for (const listener of [...listeners]) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    notices: () => notices,
    notice(text) {
      if (!notices.includes(text)) notices = [...notices, text].slice(-maxNotices);
    },
    noticeSetAside(paths) {
      for (const path of paths)
        news.notice(`A copy of the key store was damaged; the good one was opened. It was set aside as ${path}.`);
    },
    get failure() {
      return failure;
    },
    recordFailure(error) {
      const { corruption: _, ...rest } = failure;
      failure = rest;
      if (isVakError(error, 'recovery-needed')) failure = { refusal: error.message };
      if (isVakError(error, 'corrupt')) failure = { ...rest, corruption: error.message };
    },
    clear() {
      failure = {};
      notices = [];
    },
    dispose: () => listeners.clear(),
  };
  return news;
}

export interface StoreCore extends Disposable {
  readonly disk: StoreDisk;
  readonly session: StoreSession;
  readonly news: StoreNews;
  state(): KeyStoreState;
  lock(): void;
  /** Runs work after all that was asked for before; it learns how often the store was locked when it was asked for. Throws `closed`. */
  inTurn<T>(work: (lockCount: number) => Promise<T>): Promise<T>;
  /** Runs, in turn, what works on the open store, and locks it if another one has taken its place. Throws `locked`. */
  onOpen<T>(work: (open: OpenStore) => Promise<T> | T): Promise<T>;
}

/** Runs one piece of work after the other. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => {});
    return run;
  };
}

/** Creates the core of a store that is locked. */
export function createStoreCore(options: FileKeyStoreOptions): StoreCore {
  const { vault, idleLockMinutes: idleMinutes, lockWaitMs = defaultLockWaitMs, ...rest } = options;
  const news = createStoreNews();
  const disk = createStoreDisk({ ...rest, lockWaitMs });
  const session = createStoreSession({ ...rest, disk, idleMinutes, onIdleLock: news.notify });
  const queue = createQueue();
  let isDisposed = false;

  function lock(): void {
    if (session.lock()) news.notify();
  }

  function inTurn<T>(work: (lockCount: number) => Promise<T>): Promise<T> {
    const lockCount = session.lockCount();
    return queue(async () => {
      if (isDisposed) throw new VakError('closed', 'the key store is closed');
      return await work(lockCount);
    });
  }

  return {
    ...{ disk, session, news, lock, inTurn },
    state() {
      const open = session.current();
      const common = {
        ...{ keychain: vault.backend(), notices: news.notices(), idleLockMinutes: session.idleMinutes() },
      };
      if (open !== undefined) return { kind: 'unlocked', slots: slotKinds(open.header()), reason: null, ...common };
      const closed = readClosedState(disk, vault, news.failure.refusal);
      const { corruption } = news.failure;
      if (corruption === undefined || closed.kind === 'absent') return { ...closed, ...common };
      return { ...closed, kind: 'corrupt', reason: corruption, ...common };
    },
    onOpen: (work) =>
      inTurn(async () => {
        try {
          return await work(session.require());
        } catch (error) {
          if (isReplaced(error)) lock();
          throw error;
        }
      }),
    dispose() {
      isDisposed = true;
      lock();
      news.dispose();
    },
  };
}
