import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createEd25519Signer, createEd25519Verifier, type SignedMessage, verifyUnchecked } from './ed25519.ts';
import { createPublicKeyCheck, type PublicKeyCheck } from './public-key-check.ts';

const { Point } = ed25519;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);
}

function toBytes(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex')).toReversed();
}

function signed(seed: Uint8Array, message: Uint8Array): SignedMessage {
  const signer = createEd25519Signer(seed);
  return { publicKey: signer.publicKey, message, signature: signer.sign(message) };
}

const newVerifier = () => createEd25519Verifier({ keys: createPublicKeyCheck() });

describe('E13 Ed25519', () => {
  test('E13 agrees with a second implementation, byte for byte', () => {
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 80 }), (seed, message) => {
        const made = signed(seed, message);
        expect(made.publicKey).toEqual(ed25519.getPublicKey(seed));
        expect(made.signature).toEqual(ed25519.sign(message, seed));
        expect(newVerifier().verify(made, 'signature')).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test('P14 the keys of 2 000 signers stay ready: none is checked or made a second time', () => {
    let checked = 0;
    const verifier = createEd25519Verifier({ keys: { checkEd25519: () => void checked++, checkX25519: () => {} } });
    const keys = Array.from({ length: 2000 }, (_, at) => new Uint8Array(32).fill(at & 255).fill(at >> 8, 0, 1));
    const verifyAll = (): void => {
      for (const publicKey of keys) {
        expect(verifier.verify({ publicKey, message: new Uint8Array(), signature: new Uint8Array() }, 'key')).toBe(
          false,
        );
      }
    };
    verifyAll();
    verifyAll();
    expect(checked).toBe(keys.length);
  });

  test('E13 any changed bit of message, signature or key is refused', () => {
    const made = signed(new Uint8Array(32).fill(3), new Uint8Array(40).fill(5));
    const verifier = newVerifier();
    fc.assert(
      fc.property(fc.constantFrom('message', 'signature'), fc.nat(39), fc.nat(7), (part, at, bit) => {
        const changed = Uint8Array.from(made[part]);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(verifier.verify({ ...made, [part]: changed }, 'signature')).toBe(false);
      }),
      { numRuns: 300 },
    );
    const other = createEd25519Signer(new Uint8Array(32).fill(4)).publicKey;
    expect(verifier.verify({ ...made, publicKey: other }, 'signature')).toBe(false);
    for (const length of [0, 63, 65]) {
      expect(verifier.verify({ ...made, signature: new Uint8Array(length) }, 'signature')).toBe(false);
    }
  });

  test('E13 S + L is the same number to a careless verifier, and is refused', () => {
    fc.assert(
      fc.property(
        bytes32,
        fc.uint8Array({ maxLength: 20 }),
        fc.integer({ min: 1, max: 14 }),
        (seed, message, times) => {
          const made = signed(seed, message);
          const moved = toNumber(made.signature.subarray(32)) + BigInt(times) * order;
          if (moved >= 2n ** 256n) return;
          const signature = Uint8Array.from([...made.signature.subarray(0, 32), ...toBytes(moved)]);
          expect(newVerifier().verify({ ...made, signature }, 'signature')).toBe(false);
          expect(verifyUnchecked({ ...made, signature })).toBe(false);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('E13 verification is cofactorless: R plus a point of small order does not pass', () => {
    const seed = new Uint8Array(32).fill(9);
    const message = new Uint8Array(10);
    const publicKey = ed25519.getPublicKey(seed);
    const secret = ed25519.utils.getExtendedPublicKey(seed).scalar;
    const nonce = 123456789n;
    const torsion = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');
    const forge = (r: Uint8Array): Uint8Array => {
      const k = toNumber(sha512(Uint8Array.from([...r, ...publicKey, ...message]))) % order;
      return Uint8Array.from([...r, ...toBytes((nonce + k * secret) % order)]);
    };
    const plain = forge(Point.BASE.multiply(nonce).toBytes());
    expect(newVerifier().verify({ publicKey, message, signature: plain }, 'signature')).toBe(true);
    const shifted = forge(Point.BASE.multiply(nonce).add(torsion).toBytes());
    expect(ed25519.verify(shifted, message, publicKey, { zip215: true })).toBe(true);
    expect(newVerifier().verify({ publicKey, message, signature: shifted }, 'signature')).toBe(false);
  });

  test('E13 a key of small order would verify anything unchecked; the verifier refuses the key itself', () => {
    const publicKey = Uint8Array.from([1, ...new Uint8Array(31)]);
    const signature = Uint8Array.from([1, ...new Uint8Array(63)]);
    const message = new Uint8Array(3);
    expect(verifyUnchecked({ publicKey, message, signature })).toBe(true);
    let error: unknown;
    try {
      newVerifier().verify({ publicKey, message, signature }, 'signer');
    } catch (caught) {
      error = caught;
    }
    expect(isVakError(error, 'invalid-payload') && error.details).toEqual({ field: 'signer', check: 'small-order' });
  });

  test('E13 a key is checked once, when first seen, while it is remembered', () => {
    let checks = 0;
    const keys: PublicKeyCheck = {
      checkEd25519: () => {
        checks++;
      },
      checkX25519: () => {},
    };
    const verifier = createEd25519Verifier({ keys, capacity: 2 });
    const [a, b, c] = [1, 2, 3].map((n) => signed(new Uint8Array(32).fill(n), new Uint8Array(1)));
    if (!a || !b || !c) throw new Error('three were made');
    for (let round = 0; round < 3; round++) for (const one of [a, b]) expect(verifier.verify(one, 'x')).toBe(true);
    expect(checks).toBe(2);
    verifier.verify(c, 'x');
    verifier.verify(a, 'x');
    expect(checks).toBe(4);
  });

  test('I3 a disposed signer signs nothing more; seeds of another length are refused', () => {
    const signer = createEd25519Signer(new Uint8Array(32).fill(1));
    signer.dispose();
    expect(() => signer.sign(new Uint8Array(1))).toThrow(/erased/);
    expect(() => createEd25519Signer(new Uint8Array(31))).toThrow(/32 bytes/);
  });
});
