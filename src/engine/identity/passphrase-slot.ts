/**
 * The slot that a passphrase opens: the master key sealed under scrypt (RFC 7914) of it.
 * Law: parameters are checked before anything is derived, so that a hostile file costs neither memory nor time.
 */
import { scrypt } from 'node:crypto';
import { z } from 'zod';
import { fromBase64, toBase64, toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import { base64Of } from './base64-field.ts';
import { keyBytes, openBytes, sealBytes, sealOverheadBytes } from './body-cipher.ts';
import { passphraseCost } from './passphrase-cost.ts';
import type { Secret } from './secret.ts';

/** A new passphrase has at least so many characters, after NFKC. */
export const minPassphraseCharacters = 10;
const maxPassphraseBytes = 4096;
const saltBytes = 16;
const mebibyte = 1024 * 1024;

/** The most that a file may ask for: 1 GiB of memory, eight times the work of what is written. */
const maxMemoryBytes = 1024 * mebibyte;
const maxWork = 8 * passphraseCost.n * passphraseCost.r;

const isPowerOfTwo = (value: number): boolean => 2 ** Math.round(Math.log2(value)) === value;

/** The slot as it stands in a header. */
export const passphraseSlot = z
  .strictObject({
    kind: z.literal('passphrase'),
    n: z
      .int()
      .min(passphraseCost.n)
      .max(2 ** 20)
      .refine(isPowerOfTwo, { error: 'not a power of two' }),
    r: z.int().min(passphraseCost.r).max(32),
    p: z.int().min(passphraseCost.p).max(8),
    salt: base64Of(saltBytes),
    key: base64Of(keyBytes + sealOverheadBytes),
  })
  .refine(({ n, r, p }) => 128 * n * r <= maxMemoryBytes && n * r * p <= maxWork, { error: 'asks for too much work' });
export type PassphraseSlot = z.infer<typeof passphraseSlot>;

/** The passphrase as scrypt takes it: UTF-8 of its NFKC form, so that any keyboard gives the same bytes. */
function normalize(passphrase: Secret): string {
  if (passphrase.length > maxPassphraseBytes) {
    throw new VakError('invalid-input', `the passphrase is longer than ${maxPassphraseBytes} bytes`);
  }
  try {
    return toTextStrict(passphrase.reveal(), 'passphrase').normalize('NFKC');
  } catch (error) {
    if (isVakError(error, 'invalid-payload')) throw new VakError('invalid-input', 'the passphrase is not UTF-8 text');
    throw error;
  }
}

/** Throws `invalid-input` unless it will do for a new slot. */
export function checkNewPassphrase(passphrase: Secret): void {
  if ([...normalize(passphrase)].length < minPassphraseCharacters) {
    throw new VakError('invalid-input', `a passphrase has at least ${minPassphraseCharacters} characters`);
  }
}

type Cost = Pick<PassphraseSlot, 'n' | 'r' | 'p' | 'salt'>;

function deriveKey(passphrase: Secret, { n, r, p, salt }: Cost): Promise<Uint8Array> {
  const password = utf8(normalize(passphrase));
  // OpenSSL and BoringSSL count their needs a little differently: room for either.
  const maxmem = 128 * r * (n + p + 2) + mebibyte;
  return new Promise<Uint8Array>((resolve, reject) => {
    scrypt(password, fromBase64(salt, 'salt'), keyBytes, { N: n, r, p, maxmem }, (error, key) =>
      error === null
        ? resolve(key)
        : reject(new VakError('limit-exceeded', `scrypt was refused; it needs ${Math.ceil(maxmem / mebibyte)} MiB`)),
    );
  }).finally(() => password.fill(0));
}

/** Binds a slot to its store and its cost. */
function boundTo(label: string, { n, r, p, salt }: Cost): Uint8Array {
  return utf8(`${label}|passphrase|scrypt|${n}|${r}|${p}|${salt}`);
}

/** What a slot is made of. */
export interface PassphraseSlotParts {
  readonly passphrase: Secret;
  readonly masterKey: Uint8Array;
  /** Names format and store (`slotLabel`). */
  readonly label: string;
  readonly randomness: Randomness;
}

/** Makes a slot with a fresh salt. Throws `invalid-input` for a passphrase that is too short. */
export async function makePassphraseSlot(parts: PassphraseSlotParts): Promise<PassphraseSlot> {
  checkNewPassphrase(parts.passphrase);
  const cost = { ...passphraseCost, salt: toBase64(parts.randomness.bytes(saltBytes)) };
  const key = await deriveKey(parts.passphrase, cost);
  try {
    const sealed = sealBytes(parts.masterKey, parts.randomness, { key, bound: boundTo(parts.label, cost) });
    return { kind: 'passphrase', ...cost, key: toBase64(sealed) };
  } finally {
    key.fill(0);
  }
}

/** The master key; undefined if the passphrase is wrong or the slot was changed: nobody can tell which. Always derives. */
export async function openPassphraseSlot(
  slot: PassphraseSlot,
  label: string,
  passphrase: Secret,
): Promise<Uint8Array | undefined> {
  const key = await deriveKey(passphrase, slot);
  try {
    return openBytes(fromBase64(slot.key, 'key'), { key, bound: boundTo(label, slot) });
  } finally {
    key.fill(0);
  }
}
