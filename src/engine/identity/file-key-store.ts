/**
 * The key store in a file that app and command line share (protocol.md I3).
 * Law: no failure makes it anew or overwrites what might still be wanted; while it is locked, this process holds no key of it but in a way
 * back that was asked for.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import { keyBytes } from './body-cipher.ts';
import { emptyContents, type StoreBody, toBody } from './contents-codec.ts';
import type { KeyStore, KeyStoreContents } from './key-store.ts';
import { isReplaced, type OpenStore } from './open-store.ts';
import { checkNewPassphrase, makePassphraseSlot } from './passphrase-slot.ts';
import { createSecret, type Secret } from './secret.ts';
import { openBackup, sealBackup } from './store-backup.ts';
import { createStoreCore, type FileKeyStoreOptions } from './store-core.ts';
import { type StoreHeader, slotLabel } from './store-format.ts';
import { makeHeader, settleHeader, withPassphraseSlot } from './store-header.ts';
import { type FoundStore, openByKey, openByKeychain, openByPassphrase } from './store-opening.ts';
import { sealStore } from './store-seal.ts';

/** A way back into a key store that was locked, for who runs on when nobody can be asked. It holds the store's key until it is disposed. */
export interface KeyStoreWayBack extends Disposable {
  /** Opens that very store, also behind another passphrase. Throws `locked` (another one stands there, or disposed), `not-found`, `corrupt`. */
  unlock(): Promise<void>;
}

/** The key store with what only a file has. */
export interface FileKeyStore extends KeyStore {
  /** Takes over what other processes have written. Throws `locked`, `corrupt`. */
  refresh(): Promise<void>;
  /** Keeps what opens the open store again. Throws `locked`. */
  keepWayBack(): KeyStoreWayBack;
  /** Another idle time, from now on; 0: never. */
  setIdleLockMinutes(minutes: number): void;
}

/** Reads what is on disk if it is sound; one that is gone or damaged is what backups are for: what is in memory is sealed then. */
function refreshIfSound(open: OpenStore): void {
  try {
    open.refresh();
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
  }
}

/** Creates the access to the store in `file`; nothing is read or asked before it is used. */
export function createFileKeyStore(options: FileKeyStoreOptions): FileKeyStore {
  const { vault, randomness, logger } = options;
  const core = createStoreCore(options);
  const { disk, session, news, inTurn, onOpen } = core;

  /** After opening: both copies whole, damaged ones set aside, slots settled. What fails here costs a notice, no more. */
  async function mend(open: OpenStore, found: FoundStore, settle: () => Promise<StoreHeader | undefined>) {
    try {
      const settled = await settle();
      if (settled === undefined && found.isWhole) return;
      const setAside = await open.rewrite(({ header, contents }, now) =>
        settled === undefined && now.isWhole ? undefined : { header: settled ?? header, contents },
      );
      news.noticeSetAside(setAside);
    } catch (error) {
      if (!isVakError(error)) throw error;
      if (isReplaced(error)) core.lock();
      logger.warn('key-store.not-mended', { code: error.code });
      if (!found.isWhole)
        news.notice(`A copy of the key store is missing or damaged and was not mended: ${error.message}`);
    }
  }

  async function find(passphrase: Secret | undefined): Promise<FoundStore> {
    try {
      const copies = disk.read();
      return passphrase === undefined
        ? await openByKeychain(copies, vault)
        : await openByPassphrase(copies, passphrase);
    } catch (error) {
      news.recordFailure(error);
      news.notify();
      throw error;
    }
  }

  async function unlock(passphrase: Secret | undefined, lockCount: number): Promise<void> {
    const wasRefused = news.failure.refusal !== undefined;
    const found = await find(passphrase);
    const open = session.enter(found, lockCount);
    news.clear();
    await mend(open, found, async () =>
      passphrase === undefined
        ? undefined
        : await settleHeader({ header: found.header, masterKey: open.masterKey(), vault, wasRefused }),
    );
    news.notify();
  }

  /** Nothing is settled or mended: whoever comes back only reads. */
  function keepWayBack(): KeyStoreWayBack {
    const open = session.require();
    const { id } = open.header();
    const key = createSecret(Uint8Array.from(open.masterKey()));
    return {
      unlock: () =>
        inTurn(async (lockCount) => {
          session.enter(openByKey(disk.read(), { id, masterKey: key.reveal() }), lockCount);
          news.clear();
          news.notify();
        }),
      dispose: () => key.dispose(),
    };
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
    news.clear();
    if (session.lockCount() === lockCount) session.enter(found, lockCount);
    else found.masterKey.fill(0);
    news.notify();
  }

  async function replace(body: StoreBody, passphrase: Secret | undefined, lockCount: number): Promise<void> {
    begin(await write(body, passphrase, () => disk.setAllAside('replaced')), lockCount);
  }

  async function update(open: OpenStore, change: (contents: KeyStoreContents) => KeyStoreContents): Promise<void> {
    news.noticeSetAside(await open.rewrite(({ header, contents }) => ({ header, contents: change(contents) })));
    news.notify();
  }

  async function setPassphrase(open: OpenStore, passphrase: Secret): Promise<void> {
    checkNewPassphrase(passphrase);
    const parts = { masterKey: open.masterKey(), label: slotLabel(open.header()), randomness };
    const slot = await makePassphraseSlot({ passphrase, ...parts });
    news.noticeSetAside(
      await open.rewrite(({ header, contents }) => ({ header: withPassphraseSlot(header, slot), contents })),
    );
    news.notify();
  }

  return {
    state: core.state,
    onChange: news.onChange,
    create: ({ passphrase }) =>
      inTurn(async (lockCount) => {
        assertAbsent();
        begin(await write(toBody(emptyContents, 1), passphrase, assertAbsent), lockCount);
      }),
    unlock: ({ passphrase }) => inTurn((lockCount) => unlock(passphrase, lockCount)),
    lock: core.lock,
    touch: session.touch,
    read: () => session.require().contents(),
    refresh: () =>
      onOpen((open) => {
        if (open.refresh()) news.notify();
      }),
    keepWayBack,
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
      news.notify();
    },
    dispose: core.dispose,
  };
}
