/**
 * The slot that the operating system's keychain opens.
 * Law: only a real keychain is asked, and a slot is written only after it gave the key back once.
 */
import { z } from 'zod';
import { fromBase64, toBase64 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Vault } from '../ports/vault.ts';
import { base64Of } from './base64-field.ts';
import { keyBytes } from './body-cipher.ts';

const maxWrappedBytes = 8192;

/** The slot as it stands in a header; the header names the backend. */
export const keychainSlot = z.strictObject({
  kind: z.literal('keychain'),
  wrapped: base64Of(1, maxWrappedBytes),
});
export type KeychainSlot = z.infer<typeof keychainSlot>;

/** Compares without an early exit. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** Wraps the master key, and unwraps it for a proof. Throws `unsupported` if the keychain fails at either. */
export async function makeKeychainSlot(vault: Vault, masterKey: Uint8Array): Promise<KeychainSlot> {
  const { name, isReal } = vault.backend();
  if (!isReal) throw new VakError('unsupported', `${name} is no real keychain`);
  let proof: Uint8Array | undefined;
  try {
    const wrapped = await vault.wrap(masterKey);
    proof = await vault.unwrap(wrapped);
    if (wrapped.length > 0 && wrapped.length <= maxWrappedBytes && isSame(proof, masterKey)) {
      return { kind: 'keychain', wrapped: toBase64(wrapped) };
    }
  } catch {
    // Refused: said below, without whatever the platform's error may hold.
  } finally {
    proof?.fill(0);
  }
  throw new VakError('unsupported', `the keychain ${name} did not give back what it was given`);
}

/** The master key; the caller owns it. Throws `recovery-needed` if the keychain refuses or gives something else. */
export async function openKeychainSlot(slot: KeychainSlot, vault: Vault): Promise<Uint8Array> {
  let key: Uint8Array | undefined;
  try {
    key = await vault.unwrap(fromBase64(slot.wrapped, 'wrapped'));
  } catch {
    // The same as a wrong key: the platform's own text stays out.
  }
  if (key?.length === keyBytes) return new Uint8Array(key);
  key?.fill(0);
  throw new VakError('recovery-needed', `the keychain ${vault.backend().name} does not open the key store`);
}
