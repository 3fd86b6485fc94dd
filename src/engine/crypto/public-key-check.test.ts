import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createPublicKeyCheck, findEd25519Fault, findX25519Fault } from './public-key-check.ts';
import { deriveX25519PublicKey } from './x25519.ts';

const { Point } = ed25519;
const prime = 2n ** 255n - 19n;
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

function littleEndian(value: bigint): Uint8Array {
  return hex(value.toString(16).padStart(64, '0')).toReversed();
}

/** The 8 points of small order in canonical form (order 1, 2, 4, 4, 8, 8, 8, 8). */
const smallOrderKeys = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('E13 Ed25519 public keys', () => {
  test('E13 honest keys pass', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        expect(findEd25519Fault(ed25519.getPublicKey(seed))).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  test('E13 the eight points of small order are eight different ones, and the whole of that group', () => {
    const points = smallOrderKeys.map((key) => Point.fromHex(key));
    expect(new Set(points.map((point) => point.toHex()))).toEqual(new Set(smallOrderKeys));
    for (const point of points) {
      expect(point.multiplyUnsafe(8n).is0()).toBe(true);
      for (const other of points) expect(smallOrderKeys).toContain(point.add(other).toHex());
    }
  });

  test.each(smallOrderKeys)('E13 %s is of small order', (key) => {
    expect(findEd25519Fault(hex(key))).toBe('small-order');
  });

  test('E13 every non-canonical encoding is refused: y ≥ p, and x = 0 with the sign bit', () => {
    const found = new Set<string>();
    for (let y = prime; y < 2n ** 255n; y++) {
      for (const sign of [0n, 1n]) {
        const key = littleEndian(y + (sign << 255n));
        const fault = findEd25519Fault(key);
        expect(['canonical', 'on-curve']).toContain(fault);
        if (fault === 'canonical') found.add(Buffer.from(key).toString('hex'));
      }
    }
    const negativeZero = ['0100000000000000000000000000000000000000000000000000000000000080', `ec${'ff'.repeat(31)}`];
    for (const key of negativeZero) {
      expect(findEd25519Fault(hex(key))).toBe('canonical');
      found.add(key);
    }
    // "Taming the many EdDSAs" (Chalkias et al. 2020) counts 26 non-canonical points.
    expect(found.size).toBe(26);
  });

  test('E13 a torsioned key is refused: an honest key plus any point of small order but zero', () => {
    const honest = Point.fromBytes(ed25519.getPublicKey(new Uint8Array(32).fill(7)));
    for (const key of smallOrderKeys.slice(1)) {
      const torsioned = honest.add(Point.fromHex(key)).toBytes();
      expect(findEd25519Fault(torsioned)).toBe('torsion');
    }
    expect(findEd25519Fault(honest.add(Point.ZERO).toBytes())).toBeUndefined();
  });

  test('E13 bytes off the curve and wrong lengths are refused', () => {
    expect(findEd25519Fault(littleEndian(2n))).toBe('on-curve');
    for (const length of [0, 31, 33, 64]) expect(findEd25519Fault(new Uint8Array(length))).toBe('length');
  });

  test('E13 any 32 bytes get an answer, and never pass unless the strict library takes them too', () => {
    fc.assert(
      fc.property(seeds, (key) => {
        if (findEd25519Fault(key) !== undefined) return;
        const point = Point.fromBytes(key, false);
        expect(point.isSmallOrder()).toBe(false);
        expect(point.isTorsionFree()).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

/** The canonical u of small order (RFC 7748 §6.1 leaves them to the check for zero): order 4, 1, 8, 8, and 2 on the twist. */
const smallOrderU = [
  0n,
  1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
  prime - 1n,
];

describe('E13 X25519 public keys', () => {
  test('E13 honest keys pass', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        expect(findX25519Fault(deriveX25519PublicKey(seed))).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  test.each(smallOrderU)('E13 u = %s is of small order, and node:crypto agrees', (u) => {
    const key = littleEndian(u);
    expect(findX25519Fault(key)).toBe('small-order');
    const publicKey = createPublicKey({
      key: Buffer.concat([hex('302a300506032b656e032100'), key]),
      format: 'der',
      type: 'spki',
    });
    const privateKey = createPrivateKey({
      key: Buffer.concat([hex('302e020100300506032b656e04220420'), x25519.utils.randomSecretKey()]),
      format: 'der',
      type: 'pkcs8',
    });
    expect(() => diffieHellman({ privateKey, publicKey })).toThrow();
  });

  test('E13 u ≥ p and a set top bit are not canonical', () => {
    for (let u = prime; u < 2n ** 255n; u++) expect(findX25519Fault(littleEndian(u))).toBe('canonical');
    for (const u of [...smallOrderU, 9n]) expect(findX25519Fault(littleEndian(u + 2n ** 255n))).toBe('canonical');
    expect(findX25519Fault(littleEndian(9n))).toBeUndefined();
  });

  test('E13 wrong lengths are refused', () => {
    for (const length of [0, 31, 33]) expect(findX25519Fault(new Uint8Array(length))).toBe('length');
  });
});

describe('E13 the check', () => {
  const torsioned = Point.fromBytes(ed25519.getPublicKey(new Uint8Array(32).fill(7)))
    .add(Point.fromHex(smallOrderKeys[4] ?? ''))
    .toBytes();

  test('E13 says which check failed, of which field, each time', () => {
    const keys = createPublicKeyCheck();
    for (let round = 0; round < 2; round++) {
      for (const [run, check] of [
        [() => keys.checkEd25519(torsioned, 'sign'), 'torsion'],
        [() => keys.checkEd25519(hex(smallOrderKeys[0] ?? ''), 'sign'), 'small-order'],
        [() => keys.checkEd25519(hex(`ec${'ff'.repeat(31)}`), 'sign'), 'canonical'],
        [() => keys.checkEd25519(littleEndian(2n), 'sign'), 'on-curve'],
        [() => keys.checkX25519(new Uint8Array(32), 'sign'), 'small-order'],
        [() => keys.checkX25519(new Uint8Array(31), 'sign'), 'length'],
      ] as const) {
        let error: unknown;
        try {
          run();
        } catch (caught) {
          error = caught;
        }
        expect(isVakError(error, 'invalid-payload') && error.details).toEqual({ field: 'sign', check });
      }
    }
  });

  test('E13 a key that is sound for one curve is not taken from memory for the other', () => {
    const keys = createPublicKeyCheck();
    const key = littleEndian(9n);
    keys.checkX25519(key, 'box');
    expect(findEd25519Fault(key)).not.toBeUndefined();
    expect(() => keys.checkEd25519(key, 'sign')).toThrow();
  });

  test('E13 it answers the same when it has forgotten', () => {
    const keys = createPublicKeyCheck({ capacity: 1 });
    const honest = ed25519.getPublicKey(new Uint8Array(32).fill(7));
    for (let round = 0; round < 2; round++) {
      keys.checkEd25519(honest, 'sign');
      expect(() => keys.checkEd25519(torsioned, 'sign')).toThrow();
    }
  });
});
