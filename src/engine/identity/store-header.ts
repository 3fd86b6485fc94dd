/**
 * Headers of new stores, and what becomes of a header when the keychain has changed.
 * Law: every store has a way to be opened that was tried; a keychain that fails never costs a slot that might still open.
 */
import { toBase64 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Vault } from '../ports/vault.ts';
import { noBackend } from './closed-state.ts';
import { type KeychainSlot, makeKeychainSlot } from './keychain-slot.ts';
import { checkNewPassphrase, makePassphraseSlot, minPassphraseCharacters } from './passphrase-slot.ts';
import type { Secret } from './secret.ts';
import { type StoreFormat, type StoreHeader, type StoreSlot, slotLabel, slotOf, storeVersion } from './store-format.ts';

/** What a header is made of. */
export interface HeaderParts {
  readonly format: StoreFormat;
  readonly masterKey: Uint8Array;
  readonly passphrase: Secret | undefined;
  readonly vault: Vault;
  readonly randomness: Randomness;
}

/** The keychain's slot; undefined if it is not real or fails. */
async function tryKeychainSlot(vault: Vault, masterKey: Uint8Array): Promise<KeychainSlot | undefined> {
  if (!vault.backend().isReal) return undefined;
  try {
    return await makeKeychainSlot(vault, masterKey);
  } catch (error) {
    if (isVakError(error, 'unsupported')) return undefined;
    throw error;
  }
}

/** Makes the header of a new file. Throws `invalid-input` if neither a keychain nor a good passphrase is there. */
export async function makeHeader(parts: HeaderParts): Promise<StoreHeader> {
  const { format, masterKey, passphrase, vault, randomness } = parts;
  if (passphrase !== undefined) checkNewPassphrase(passphrase);
  const id = toBase64(randomness.bytes(16));
  const label = slotLabel({ format, version: storeVersion, id });
  const slots: StoreSlot[] = [];
  const keychain = await tryKeychainSlot(vault, masterKey);
  if (keychain !== undefined) slots.push(keychain);
  if (passphrase !== undefined) slots.push(await makePassphraseSlot({ passphrase, masterKey, label, randomness }));
  if (slots.length > 0) return { format, version: storeVersion, id, backend: vault.backend().name, slots };
  throw new VakError(
    'invalid-input',
    `there is no keychain that works here; give a passphrase of at least ${minPassphraseCharacters} characters`,
  );
}

/** The same header with another passphrase slot. */
export function withPassphraseSlot(header: StoreHeader, slot: StoreSlot): StoreHeader {
  return { ...header, slots: [...header.slots.filter(({ kind }) => kind !== slot.kind), slot] };
}

/** What was found when a store was opened by its passphrase. */
export interface SettleParts {
  readonly header: StoreHeader;
  readonly masterKey: Uint8Array;
  readonly vault: Vault;
  /** Whether the keychain refused the slot that is there. */
  readonly wasRefused: boolean;
}

/**
 * The header for the keychain of today, after the passphrase opened the store; undefined if it stays as it is: nothing changed,
 * no keychain concerns this process, or the platform does not answer, which may pass.
 */
export async function settleHeader(parts: SettleParts): Promise<StoreHeader | undefined> {
  const { header, masterKey, vault, wasRefused } = parts;
  const { name, isReal } = vault.backend();
  const passphrase = slotOf(header, 'passphrase');
  const isSettled = header.backend === name && !wasRefused;
  if (passphrase === undefined || isSettled || [header.backend, name].includes(noBackend)) return undefined;
  if (!isReal) {
    const mayPass = name === 'unknown' || header.backend === name;
    return mayPass ? undefined : { ...header, backend: name, slots: [passphrase] };
  }
  const keychain = await tryKeychainSlot(vault, masterKey);
  return keychain === undefined ? undefined : { ...header, backend: name, slots: [keychain, passphrase] };
}
