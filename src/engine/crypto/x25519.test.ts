import { x25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { findX25519Fault } from './public-key-check.ts';
import { agreeX25519, createX25519KeyPair, deriveX25519PublicKey, openX25519Key } from './x25519.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('I1 X25519', () => {
  test('I1 agrees with a second implementation, and both sides with each other', () => {
    fc.assert(
      fc.property(bytes32, bytes32, (left, right) => {
        const [toLeft, toRight] = [deriveX25519PublicKey(left), deriveX25519PublicKey(right)];
        expect(toLeft).toEqual(x25519.getPublicKey(left));
        expect(agreeX25519(left, toRight)).toEqual(x25519.getSharedSecret(left, toRight));
        expect(agreeX25519(left, toRight)).toEqual(agreeX25519(right, toLeft));
        const opened = openX25519Key(left);
        expect(opened.publicKey).toEqual(toLeft);
        expect(opened.agree(toRight)).toEqual(agreeX25519(left, toRight));
      }),
      { numRuns: 20 },
    );
  });

  test('I1 a fresh pair comes from the randomness given, and its public key is sound', () => {
    const pair = createX25519KeyPair(createSeededRandomness(4));
    expect(pair).toEqual(createX25519KeyPair(createSeededRandomness(4)));
    expect(pair.publicKey).toEqual(x25519.getPublicKey(pair.secretKey));
    expect(findX25519Fault(pair.publicKey)).toBeUndefined();
  });

  test('E13 a key of small order gives no shared secret', () => {
    for (const first of [0, 1]) {
      const publicKey = Uint8Array.from([first, ...new Uint8Array(31)]);
      let error: unknown;
      try {
        agreeX25519(new Uint8Array(32).fill(9), publicKey);
      } catch (caught) {
        error = caught;
      }
      expect(isVakError(error, 'invalid-payload')).toBe(true);
    }
  });

  test('I1 keys of another length are refused', () => {
    expect(() => deriveX25519PublicKey(new Uint8Array(31))).toThrow(/32 bytes/);
    expect(() => agreeX25519(new Uint8Array(32), new Uint8Array(33))).toThrow(/32 bytes/);
  });
});
