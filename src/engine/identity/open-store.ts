/**
 * A key store while it is open: its master key and everything that it gave out.
 * Law: each change begins from what is on disk now, under the file lock; once closed, nothing more is read or sealed.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import { toBody, toContents } from './contents-codec.ts';
import type { KeyStoreContents } from './key-store.ts';
import { createSecretPool } from './secret-pool.ts';
import type { StoreCopy, StoreDisk } from './store-disk.ts';
import type { StoreHeader } from './store-format.ts';
import { describeDamage, type FoundStore, findStore, replacedStore } from './store-opening.ts';
import { sealStore } from './store-seal.ts';

/** What a change gives. */
export interface StoreChange {
  readonly header: StoreHeader;
  readonly contents: KeyStoreContents;
}

export interface OpenStore {
  header(): StoreHeader;
  /** Throws `locked` once closed. */
  contents(): KeyStoreContents;
  /** Throws `locked` once closed. */
  masterKey(): Uint8Array;
  /** Whether this is the store of that master key. */
  hasKey(key: Uint8Array): boolean;
  /** Reads what is on disk now; whether that is another state of it. Throws `locked` (closed, or replaced by another process), `corrupt`. */
  refresh(): boolean;
  /**
   * Reads anew under the file lock and writes what `change` gives; undefined: nothing. Damaged copies are set aside
   * before; gives their new paths.
   * Throws `locked`, `corrupt`, `timeout`, `invalid-input`, `limit-exceeded`, and whatever `change` throws: nothing is written then.
   */
  rewrite(change: (current: StoreChange, found: FoundStore) => StoreChange | undefined): Promise<readonly string[]>;
  /** Erases the key and every secret that was given out. */
  close(): void;
}

/** What it needs. */
export interface OpenStoreOptions {
  readonly disk: StoreDisk;
  readonly randomness: Randomness;
  /** Takes ownership of its master key. */
  readonly found: FoundStore;
}

/** The file of another store stands where this one stood. */
export function isReplaced(error: unknown): boolean {
  return isVakError(error, 'locked') && error.details?.['isReplaced'] === true;
}

function lostStore(copies: readonly StoreCopy[], id: string): VakError {
  if (copies.some(({ parsed }) => parsed !== undefined && parsed.header.id !== id)) return replacedStore();
  const what = copies.length === 0 ? 'its file is gone' : describeDamage(copies);
  return new VakError(
    'corrupt',
    `the key store on disk does not open any more; what is in memory can be backed up: ${what}`,
  );
}

/** Opens over what was found. */
export function createOpenStore({ disk, randomness, found: first }: OpenStoreOptions): OpenStore {
  const { masterKey } = first;
  const pool = createSecretPool(randomness);
  let isClosed = false;
  let header = first.header;
  let revision = first.body.revision;
  let contents = toContents(first.body, pool.take);

  function assertOpen(): void {
    if (isClosed) throw new VakError('locked', 'the key store is locked');
  }

  function find(): FoundStore {
    assertOpen();
    const copies = disk.read();
    const found = findStore(copies, [masterKey]);
    if (found === undefined) throw lostStore(copies, header.id);
    return found;
  }

  function adopt(next: StoreChange, nextRevision: number): void {
    if (isClosed) return;
    revision = nextRevision;
    header = next.header;
    contents = next.contents;
  }

  return {
    header: () => header,
    contents() {
      assertOpen();
      return contents;
    },
    masterKey() {
      assertOpen();
      return masterKey;
    },
    hasKey: (key) => Buffer.compare(key, masterKey) === 0,
    refresh() {
      const found = find();
      // Each write has a revision of its own.
      if (found.body.revision === revision) return false;
      adopt({ header: found.header, contents: toContents(found.body, pool.take) }, found.body.revision);
      return true;
    },
    rewrite: (change) =>
      disk.withLock(async (held) => {
        // From here to the write in one turn: a lock in between cannot leave a half-erased key in use.
        const found = find();
        const current = { header: found.header, contents: toContents(found.body, pool.take) };
        const next = change(current, found);
        if (next === undefined) {
          adopt(current, found.body.revision);
          return [];
        }
        assertOpen();
        const body = toBody(next.contents, found.body.revision + 1);
        const bytes = sealStore({ header: next.header, masterKey, body, randomness });
        const written = { header: next.header, contents: toContents(body, pool.take) };
        held.assertHeld();
        const setAside = found.damaged.map(({ path }) => disk.setAside(path, 'damaged'));
        await disk.write(bytes);
        adopt(written, body.revision);
        return setAside;
      }),
    close() {
      isClosed = true;
      pool.dispose();
      masterKey.fill(0);
    },
  };
}
