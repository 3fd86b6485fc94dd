/**
 * The primitives that everything cryptographic here is made of, as this runtime has them (quality.md §1).
 * Law: what BoringSSL lacks comes from @noble, so that the same code runs under Node and under Electron.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, scryptSync } from 'node:crypto';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { utf8 } from '../../shared/base/bytes.ts';
import { createEd25519Signer, type SignedMessage, verifyUnchecked } from './ed25519.ts';
import { findEd25519Fault } from './public-key-check.ts';
import { agreeX25519 } from './x25519.ts';

/** Authenticated encryption: the tag follows the ciphertext, or precedes it (XSalsa20-Poly1305, as in NaCl). */
export interface AeadPrimitive {
  seal(input: AeadInput): Uint8Array;
  /** Throws if the tag does not fit. */
  open(input: AeadInput): Uint8Array;
}

export interface AeadInput {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly text: Uint8Array;
  /** Empty where the cipher has none. */
  readonly aad: Uint8Array;
}

/** What the self-test looks at. */
export interface CryptoPrimitives {
  sha256(bytes: Uint8Array): Uint8Array;
  sha512(bytes: Uint8Array): Uint8Array;
  hkdfSha256(input: { ikm: Uint8Array; salt: Uint8Array; info: Uint8Array; length: number }): Uint8Array;
  scrypt(input: {
    password: Uint8Array;
    salt: Uint8Array;
    n: number;
    r: number;
    p: number;
    length: number;
  }): Uint8Array;
  readonly aes256Gcm: AeadPrimitive;
  readonly chacha20Poly1305: AeadPrimitive;
  readonly xsalsa20Poly1305: AeadPrimitive;
  /** 32 bytes of a key of 32 and an input of 16: how NaCl's boxes make a key of a shared secret. */
  hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array;
  blake2b(bytes: Uint8Array, length: number): Uint8Array;
  ed25519Sign(seed: Uint8Array, message: Uint8Array): Uint8Array;
  ed25519Verify(signed: SignedMessage): boolean;
  /** Whether a public key is sound (E13). */
  ed25519IsSound(key: Uint8Array): boolean;
  x25519(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array;
}

const tagLength = 16;
/** The constant of Salsa20 for keys of 32 bytes: "expand 32-byte k". */
const sigma = utf8('expand 32-byte k');

/** The words of bytes, in an array of their own: what is given need not lie on a border of words. */
const toWords = (bytes: Uint8Array): Uint32Array => new Uint32Array(Uint8Array.from(bytes).buffer);

function hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array {
  const words = toWords(key);
  const out = new Uint32Array(8);
  hsalsa(toWords(sigma), words, toWords(input), out);
  words.fill(0);
  return new Uint8Array(out.buffer);
}

const aes256Gcm: AeadPrimitive = {
  seal({ key, nonce, text, aad }) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength }).setAAD(aad);
    return new Uint8Array(Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]));
  },
  open({ key, nonce, text, aad }) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength }).setAAD(aad);
    decipher.setAuthTag(text.subarray(text.length - tagLength));
    return new Uint8Array(Buffer.concat([decipher.update(text.subarray(0, -tagLength)), decipher.final()]));
  },
};

function signOnce(seed: Uint8Array, message: Uint8Array): Uint8Array {
  const signer = createEd25519Signer(seed);
  try {
    return signer.sign(message);
  } finally {
    signer.dispose();
  }
}

/** The primitives that the app and its peers use. */
export const runtimePrimitives: CryptoPrimitives = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  sha512: (bytes) => new Uint8Array(createHash('sha512').update(bytes).digest()),
  hkdfSha256: ({ ikm, salt, info, length }) => new Uint8Array(hkdfSync('sha256', ikm, salt, info, length)),
  scrypt: ({ password, salt, n, r, p, length }) => new Uint8Array(scryptSync(password, salt, length, { N: n, r, p })),
  aes256Gcm,
  chacha20Poly1305: {
    seal: ({ key, nonce, text, aad }) => chacha20poly1305(key, nonce, aad).encrypt(text),
    open: ({ key, nonce, text, aad }) => chacha20poly1305(key, nonce, aad).decrypt(text),
  },
  xsalsa20Poly1305: {
    seal: ({ key, nonce, text }) => xsalsa20poly1305(key, nonce).encrypt(text),
    open: ({ key, nonce, text }) => xsalsa20poly1305(key, nonce).decrypt(text),
  },
  hsalsa20,
  blake2b: (bytes, length) => blake2b(bytes, { dkLen: length }),
  ed25519Sign: signOnce,
  ed25519Verify: verifyUnchecked,
  ed25519IsSound: (key) => findEd25519Fault(key) === undefined,
  x25519: agreeX25519,
};
