import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { type AeadPrimitive, type CryptoPrimitives, runtimePrimitives } from './runtime-primitives.ts';
import { runSelfTest } from './self-test.ts';

/** The same bytes but for one bit. */
function flip(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[0] = (copy[0] ?? 0) ^ 1;
  return copy;
}

const real = runtimePrimitives;
const breakAead = (name: 'aes256Gcm' | 'chacha20Poly1305' | 'xsalsa20Poly1305'): Partial<CryptoPrimitives>[] => {
  const { seal, open } = real[name];
  const broken: AeadPrimitive[] = [
    { open, seal: (input) => flip(seal(input)) },
    { seal, open: (input) => flip(open(input)) },
    // Opens whatever comes: the tag is not looked at.
    { seal, open: ({ text }) => text.subarray(0, -16) },
  ];
  return broken.map((one) => ({ [name]: one }));
};
const hkdf = ['HKDF-SHA256', 'HKDF-SHA256 of an envelope key'];

const broken: [string, Partial<CryptoPrimitives>, string[]][] = [
  ['SHA-256', { sha256: (bytes) => flip(real.sha256(bytes)) }, ['SHA-256']],
  ['SHA-512', { sha512: (bytes) => flip(real.sha512(bytes)) }, ['SHA-512']],
  ['HKDF', { hkdfSha256: (input) => flip(real.hkdfSha256(input)) }, hkdf],
  ['HKDF without its info', { hkdfSha256: (input) => real.hkdfSha256({ ...input, info: new Uint8Array(0) }) }, hkdf],
  ['scrypt', { scrypt: (input) => flip(real.scrypt(input)) }, ['scrypt']],
  ...breakAead('aes256Gcm').map((one, n): (typeof broken)[number] => [`AES-GCM ${n}`, one, ['AES-256-GCM']]),
  ...breakAead('chacha20Poly1305').map((one, n): (typeof broken)[number] => [
    `ChaCha ${n}`,
    one,
    ['ChaCha20-Poly1305'],
  ]),
  ...breakAead('xsalsa20Poly1305').map((one, n): (typeof broken)[number] => [
    `XSalsa ${n}`,
    one,
    ['XSalsa20-Poly1305', 'sealed box'],
  ]),
  ['signing', { ed25519Sign: (seed, message) => flip(real.ed25519Sign(seed, message)) }, ['Ed25519 signing']],
  ['a verifier that takes all', { ed25519Verify: () => true }, ['Ed25519 verification']],
  ['a verifier that takes none', { ed25519Verify: () => false }, ['Ed25519 verification']],
  [
    'a verifier that takes S + L',
    { ed25519Verify: (signed) => real.ed25519Verify(signed) || signed.signature[63] === 0x10 },
    ['Ed25519 verification'],
  ],
  ['a key check that takes all', { ed25519IsSound: () => true }, ['Ed25519 key check']],
  ['X25519', { x25519: (secret, other) => flip(real.x25519(secret, other)) }, ['X25519', 'sealed box']],
  ['HSalsa20', { hsalsa20: (key, input) => flip(real.hsalsa20(key, input)) }, ['HSalsa20', 'sealed box']],
  ['BLAKE2b', { blake2b: (bytes, length) => flip(real.blake2b(bytes, length)) }, ['BLAKE2b', 'sealed box']],
  [
    'BLAKE2b cut from 64 bytes',
    { blake2b: (bytes, length) => real.blake2b(bytes, 64).slice(0, length) },
    ['BLAKE2b', 'sealed box'],
  ],
];

describe('E13 E6 R5 R7 the self-test', () => {
  test('E13 this runtime passes', () => {
    expect(runSelfTest()).toEqual({ ok: true });
  });

  test.each(broken)('E13 it finds and names: %s', (_, change, failed) => {
    expect(runSelfTest({ ...real, ...change })).toEqual({ ok: false, failed });
  });

  test('E13 a primitive that is missing has failed, and the others are still looked at', () => {
    const throws = (): never => {
      throw new Error('Invalid cipher');
    };
    const result = runSelfTest({ ...real, scrypt: throws, chacha20Poly1305: { seal: throws, open: throws } });
    expect(result).toEqual({ ok: false, failed: ['scrypt', 'ChaCha20-Poly1305'] });
  });

  test('E13 every primitive is looked at: with all of them gone every check fails', () => {
    const result = runSelfTest({} as CryptoPrimitives);
    expect(result.ok).toBe(false);
    expect(!result.ok && result.failed.length).toBe(15);
  });

  test('E13 it is quick once its code is warm', () => {
    const took = Array.from({ length: 5 }, () => {
      const began = performance.now();
      runSelfTest();
      return performance.now() - began;
    });
    expect(Math.min(...took)).toBeLessThan(50);
  });
});
