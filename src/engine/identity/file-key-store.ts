/**
 * The key store in a file that app and command line share (protocol.md I3).
 * Law: no failure makes it anew or overwrites what might still be wanted; while it is locked, this process holds no key of it.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { type KeyStoreState, startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Vault } from '../ports/vault.ts';
import { keyBytes } from './body-cipher.ts';
import { readClosedState, slotKinds } from './closed-state.ts';
import { emptyContents, type StoreBody, toBody } from './contents-codec.ts';
import type { KeyStore, KeyStoreContents } from './key-store.ts';
import { isReplaced, type OpenStore } from './open-store.ts';
import { checkNewPassphrase, makePassphraseSlot } from './passphrase-slot.ts';
import type { Secret } from './secret.ts';
import { openBackup, sealBackup } from './store-backup.ts';
import { createStoreDisk } from './store-disk.ts';
import { type StoreHeader, slotLabel } from './store-format.ts';
import { makeHeader, settleHeader, withPassphraseSlot } from './store-header.ts';
import { type FoundStore, openByKeychain, openByPassphrase } from './store-opening.ts';
import { sealStore } from './store-seal.ts';
import { createStoreSession } from './store-session.ts';

/** What it needs. */
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

/** The key store with what only a file has. */
export interface FileKeyStore extends KeyStore {
  /** Takes over what other processes have written. Throws `locked`, `corrupt`. */
  refresh(): Promise<void>;
  /** Another idle time, from now on; 0: never. */
  setIdleLockMinutes(minutes: number): void;
}

const defaultLockWaitMs = 5000;
const maxNotices = 8;

/** Runs one piece of work after the other. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work);
    last = run.catch(() => {});
    return run;
  };
}

/** Creates the access to the store in `file`; nothing is read or asked before it is used. */
export function createFileKeyStore(options: FileKeyStoreOptions): FileKeyStore {
  const { file, vault, clock, randomness, logger, lockWaitMs = defaultLockWaitMs } = options;
  const disk = createStoreDisk({ file, clock, randomness, logger, lockWaitMs });
  const session = createStoreSession({
    ...{ disk, clock, randomness, idleMinutes: options.idleLockMinutes },
    onIdleLock: notify,
  });
  const queue = createQueue();
  const listeners = new Set<() => void>();
  let notices: readonly string[] = [];
  /** What the last unlock found. */
  let refusal: string | undefined;
  let corruption: string | undefined;
  let isDisposed = false;

  function notify(): void {
    for (const listener of [...listeners]) listener();
  }

  function notice(text: string): void {
    if (!notices.includes(text)) notices = [...notices, text].slice(-maxNotices);
  }

  function lock(): void {
    if (session.lock()) notify();
  }

  /** Runs work after all that was asked for before; it learns how often the store was locked when it was asked for. */
  function inTurn<T>(work: (lockCount: number) => Promise<T>): Promise<T> {
    const lockCount = session.lockCount();
    return queue(async () => {
      if (isDisposed) throw new VakError('closed', 'the key store is closed');
      return await work(lockCount);
    });
  }

  /** Runs what works on the open store, and locks it if another one has taken its place. */
  function onOpen<T>(work: (open: OpenStore) => Promise<T> | T): Promise<T> {
    return inTurn(async () => {
      try {
        return await work(session.require());
      } catch (error) {
        if (isReplaced(error)) lock();
        throw error;
      }
    });
  }

  function noticeSetAside(paths: readonly string[]): void {
    for (const path of paths)
      notice(`A copy of the key store was damaged; the good one was opened. It was set aside as ${path}.`);
  }

  /** After opening: both copies whole, damaged ones set aside, slots settled. What fails here costs a notice, no more. */
  async function mend(open: OpenStore, found: FoundStore, settle: () => Promise<StoreHeader | undefined>) {
    try {
      const settled = await settle();
      if (settled === undefined && found.isWhole) return;
      const setAside = await open.rewrite(({ header, contents }, now) =>
        settled === undefined && now.isWhole ? undefined : { header: settled ?? header, contents },
      );
      noticeSetAside(setAside);
    } catch (error) {
      if (!isVakError(error)) throw error;
      if (isReplaced(error)) lock();
      logger.warn('key-store.not-mended', { code: error.code });
      if (!found.isWhole) notice(`A copy of the key store is missing or damaged and was not mended: ${error.message}`);
    }
  }

  async function find(passphrase: Secret | undefined): Promise<FoundStore> {
    corruption = undefined;
    try {
      const copies = disk.read();
      return passphrase === undefined
        ? await openByKeychain(copies, vault)
        : await openByPassphrase(copies, passphrase);
    } catch (error) {
      if (isVakError(error, 'recovery-needed')) refusal = error.message;
      if (isVakError(error, 'corrupt')) corruption = error.message;
      notify();
      throw error;
    }
  }

  async function unlock(passphrase: Secret | undefined, lockCount: number): Promise<void> {
    const wasRefused = refusal !== undefined;
    const found = await find(passphrase);
    const open = session.enter(found, lockCount);
    refusal = undefined;
    notices = [];
    await mend(
      open,
      found,
      async () => passphrase && settleHeader({ header: found.header, masterKey: open.masterKey(), vault, wasRefused }),
    );
    notify();
  }

  function assertAbsent(): void {
    if (disk.isThere()) throw new VakError('exists', 'there is a key store already');
  }

  /** Writes a store under a new master key; nothing on disk changes before all of it is ready. */
  async function write(body: StoreBody, passphrase: Secret | undefined, prepare: () => void): Promise<FoundStore> {
    const masterKey = randomness.bytes(keyBytes);
    try {
      const header = await makeHeader({ format: 'vak-keys', masterKey, passphrase, vault, randomness });
      const bytes = sealStore({ header, masterKey, body, randomness });
      await disk.withLock(async (held) => {
        held.assertHeld();
        prepare();
        await disk.write(bytes);
      });
      return { header, body, masterKey, damaged: [], isWhole: true };
    } catch (error) {
      masterKey.fill(0);
      throw error;
    }
  }

  /** Opens what was written. It stays locked, and that is no failure, if it was locked meanwhile. */
  function begin(found: FoundStore, lockCount: number): void {
    refusal = undefined;
    corruption = undefined;
    notices = [];
    if (session.lockCount() === lockCount) session.enter(found, lockCount);
    else found.masterKey.fill(0);
    notify();
  }

  async function replace(body: StoreBody, passphrase: Secret | undefined, lockCount: number): Promise<void> {
    begin(await write(body, passphrase, () => disk.setAllAside('replaced')), lockCount);
  }

  function readState(): KeyStoreState {
    const open = session.current();
    const common = { keychain: vault.backend(), notices, idleLockMinutes: session.idleMinutes() };
    if (open !== undefined) return { kind: 'unlocked', slots: slotKinds(open.header()), reason: null, ...common };
    const closed = readClosedState(disk, vault, refusal);
    if (corruption === undefined || closed.kind === 'absent') return { ...closed, ...common };
    return { ...closed, kind: 'corrupt', reason: corruption, ...common };
  }

  async function update(open: OpenStore, change: (contents: KeyStoreContents) => KeyStoreContents): Promise<void> {
    noticeSetAside(await open.rewrite(({ header, contents }) => ({ header, contents: change(contents) })));
    notify();
  }

  async function setPassphrase(open: OpenStore, passphrase: Secret): Promise<void> {
    checkNewPassphrase(passphrase);
    const parts = { masterKey: open.masterKey(), label: slotLabel(open.header()), randomness };
    const slot = await makePassphraseSlot({ passphrase, ...parts });
    noticeSetAside(
      await open.rewrite(({ header, contents }) => ({ header: withPassphraseSlot(header, slot), contents })),
    );
    notify();
  }

  function refreshIfSound(open: OpenStore): void {
    try {
      open.refresh();
    } catch (error) {
      // A file that is gone or damaged is what backups are for: what is in memory is sealed.
      if (!isVakError(error, 'corrupt')) throw error;
    }
  }

  return {
    state: readState,
    onChange(listener): Disposable {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    create: ({ passphrase }) =>
      inTurn(async (lockCount) => {
        assertAbsent();
        begin(await write(toBody(emptyContents, 1), passphrase, assertAbsent), lockCount);
      }),
    unlock: ({ passphrase }) => inTurn((lockCount) => unlock(passphrase, lockCount)),
    lock,
    touch: session.touch,
    read: () => session.require().contents(),
    refresh: () =>
      onOpen((open) => {
        open.refresh();
        notify();
      }),
    update: (change) => onOpen((open) => update(open, change)),
    setPassphrase: (passphrase) => onOpen((open) => setPassphrase(open, passphrase)),
    backup: (passphrase) =>
      onOpen(async (open) => {
        refreshIfSound(open);
        return await sealBackup(open, passphrase, randomness);
      }),
    restore: (backup, { backupPassphrase, passphrase }) =>
      inTurn(async (lockCount) => {
        const body = await openBackup(backup, backupPassphrase);
        await replace({ ...body, revision: 1 }, passphrase, lockCount);
      }),
    startAnew: ({ confirmation, passphrase }) =>
      inTurn(async (lockCount) => {
        if (confirmation !== startAnewPhrase)
          throw new VakError('invalid-input', `confirmation: type “${startAnewPhrase}”`);
        await replace(toBody(emptyContents, 1), passphrase, lockCount);
      }),
    setIdleLockMinutes(minutes) {
      session.setIdleMinutes(minutes);
      notify();
    },
    dispose() {
      isDisposed = true;
      lock();
      listeners.clear();
    },
  };
}
