/**
 * From what is on disk and a key to the newest copy that opens.
 * Law: a wrong passphrase, a changed slot and another store's slot look alike; each distinct slot is derived whatever the last one gave.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Vault } from '../ports/vault.ts';
import type { StoreBody } from './contents-codec.ts';
import { openKeychainSlot } from './keychain-slot.ts';
import { openPassphraseSlot } from './passphrase-slot.ts';
import type { Secret } from './secret.ts';
import type { StoreCopy } from './store-disk.ts';
import { type ParsedStoreFile, type StoreHeader, type StoreSlot, slotLabel, slotOf } from './store-format.ts';
import { openStore } from './store-seal.ts';

/** What opened. */
export interface FoundStore {
  readonly header: StoreHeader;
  readonly body: StoreBody;
  /** The caller erases it. */
  readonly masterKey: Uint8Array;
  /** Copies that do not open. */
  readonly damaged: readonly StoreCopy[];
  /** Whether both copies hold the same bytes. */
  readonly isWhole: boolean;
}

/** The same text whichever slot or field failed. */
export function wrongPassphrase(): VakError {
  return new VakError('wrong-passphrase', 'the passphrase does not open it');
}

/** What is wrong with the copies, for people. Empty without any. */
export function describeDamage(copies: readonly StoreCopy[]): string {
  return copies.map(({ path, problem }) => `${path}: ${problem ?? 'it was changed or damaged'}`).join('; ');
}

function corruptStore(copies: readonly StoreCopy[]): VakError {
  return new VakError('corrupt', `neither the key store nor its last good copy opens: ${describeDamage(copies)}`);
}

interface OpenedCopy {
  readonly copy: StoreCopy;
  readonly parsed: ParsedStoreFile;
  readonly masterKey: Uint8Array;
  readonly body: StoreBody;
}

function openCopy(copy: StoreCopy, keys: readonly Uint8Array[]): OpenedCopy | undefined {
  const { parsed } = copy;
  if (parsed === undefined) return undefined;
  for (const masterKey of keys) {
    try {
      const body = openStore(parsed, masterKey);
      if (body !== undefined) return { copy, parsed, masterKey, body };
    } catch (error) {
      if (!(error instanceof VakError)) throw error;
    }
  }
  return undefined;
}

/** The newest copy that one of the keys opens; undefined if none does. */
export function findStore(copies: readonly StoreCopy[], keys: readonly Uint8Array[]): FoundStore | undefined {
  const [first, second] = copies;
  const isWhole = first !== undefined && second !== undefined && Buffer.compare(first.bytes, second.bytes) === 0;
  const opened = (isWhole ? [first] : copies).flatMap((copy) => openCopy(copy, keys) ?? []);
  const best = opened.reduce<OpenedCopy | undefined>(
    (newest, one) => (newest === undefined || one.body.revision > newest.body.revision ? one : newest),
    undefined,
  );
  if (best === undefined) return undefined;
  const damaged = isWhole ? [] : copies.filter((copy) => !opened.some((one) => one.copy === copy));
  return { header: best.parsed.header, body: best.body, masterKey: best.masterKey, damaged, isWhole };
}

/** Runs `open` once for each distinct slot of a kind, one after the other; undefined results are dropped, keys owned by the caller. */
async function openSlots<K extends StoreSlot['kind']>(
  copies: readonly StoreCopy[],
  kind: K,
  open: (slot: Extract<StoreSlot, { kind: K }>, header: StoreHeader) => Promise<Uint8Array | undefined>,
): Promise<Map<string, Uint8Array>> {
  const tried = new Set<string>();
  const keys = new Map<string, Uint8Array>();
  for (const { parsed } of copies) {
    if (parsed === undefined) continue;
    const slot = slotOf(parsed.header, kind);
    const name = slotName(parsed.header, kind);
    if (slot === undefined || tried.has(name)) continue;
    tried.add(name);
    const key = await open(slot, parsed.header);
    if (key !== undefined) keys.set(name, key);
  }
  return keys;
}

function slotName(header: StoreHeader, kind: StoreSlot['kind']): string {
  return `${slotLabel(header)} ${JSON.stringify(slotOf(header, kind))}`;
}

/** Erases every key but the one that is kept. */
function eraseOthers(keys: Iterable<Uint8Array>, kept?: Uint8Array): void {
  for (const key of keys) if (key !== kept) key.fill(0);
}

/** The copies that can be opened at all. Throws `not-found`, `corrupt`; `invalid-input` if there is no slot of the kind. */
function checkCopies(copies: readonly StoreCopy[], kind: StoreSlot['kind']): void {
  if (copies.length === 0) throw new VakError('not-found', 'there is no key store yet');
  const headers = copies.flatMap(({ parsed }) => parsed?.header ?? []);
  if (headers.length === 0) throw corruptStore(copies);
  if (headers.some((header) => slotOf(header, kind) !== undefined)) return;
  throw new VakError('invalid-input', `the key store has no ${kind} slot; open it the other way`);
}

/** Opens by passphrase. Throws `not-found`, `corrupt`, `invalid-input`, `wrong-passphrase`. */
export async function openByPassphrase(copies: readonly StoreCopy[], passphrase: Secret): Promise<FoundStore> {
  checkCopies(copies, 'passphrase');
  const keys = await openSlots(copies, 'passphrase', (slot, header) =>
    openPassphraseSlot(slot, slotLabel(header), passphrase),
  );
  if (keys.size === 0) throw wrongPassphrase();
  const found = findStore(copies, [...keys.values()]);
  eraseOthers(keys.values(), found?.masterKey);
  if (found === undefined) throw corruptStore(copies);
  if (keys.get(slotName(found.header, 'passphrase')) === undefined) {
    // An earlier passphrase, which still opens an older copy: the newest one, which is authentic, does not know it.
    found.masterKey.fill(0);
    throw wrongPassphrase();
  }
  return found;
}

/** Opens by keychain. Throws `not-found`, `corrupt`, `invalid-input`; `recovery-needed` if the backend is another or refuses. */
export async function openByKeychain(copies: readonly StoreCopy[], vault: Vault): Promise<FoundStore> {
  checkCopies(copies, 'keychain');
  let refusal: unknown;
  const keys = await openSlots(copies, 'keychain', async (slot, header) => {
    try {
      checkBackend(header, vault);
      return await openKeychainSlot(slot, vault);
    } catch (error) {
      refusal ??= error;
      return undefined;
    }
  });
  if (keys.size === 0) throw refusal;
  const found = findStore(copies, [...keys.values()]);
  eraseOthers(keys.values(), found?.masterKey);
  if (found === undefined) throw corruptStore(copies);
  return found;
}

/** Which store a key opens. */
export interface StoreKey {
  readonly id: string;
  /** Stays the caller's. */
  readonly masterKey: Uint8Array;
}

/** Opens by the key that the store was open with before. Throws `not-found`, `corrupt`; `locked` if another store stands there. */
export function openByKey(copies: readonly StoreCopy[], { id, masterKey }: StoreKey): FoundStore {
  if (copies.length === 0) throw new VakError('not-found', 'there is no key store any more');
  const found = findStore(copies, [masterKey]);
  if (found !== undefined) return { ...found, masterKey: Uint8Array.from(masterKey) };
  if (copies.some(({ parsed }) => parsed !== undefined && parsed.header.id !== id)) throw replacedStore();
  throw corruptStore(copies);
}

/** Another store stands where one stood that was opened. */
export function replacedStore(): VakError {
  const message = 'the key store was replaced by another process; unlock it again';
  return new VakError('locked', message, { details: { isReplaced: true } });
}

/** Why a header's keychain slot cannot be opened by the backend of today, for people; undefined if it can be tried. */
export function backendProblem(header: StoreHeader, vault: Vault): string | undefined {
  const { name, isReal } = vault.backend();
  if (header.backend !== name) return `the key store was made with the keychain ${header.backend}; today it is ${name}`;
  return isReal ? undefined : `the keychain ${name} does not answer`;
}

function checkBackend(header: StoreHeader, vault: Vault): void {
  const problem = backendProblem(header, vault);
  if (problem !== undefined) throw new VakError('recovery-needed', problem);
}
