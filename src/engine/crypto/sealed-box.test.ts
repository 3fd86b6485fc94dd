import fc from 'fast-check';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createSystemRandomness, type Randomness } from '../ports/randomness.ts';
import { runtimePrimitives } from './runtime-primitives.ts';
import { openBox, openBoxWith, sealBox, sealBoxWith, sealedBoxOverhead } from './sealed-box.ts';
import { deriveX25519PublicKey, type X25519KeyPair } from './x25519.ts';

const randomness = createSystemRandomness();
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const pairOf = (secretKey: Uint8Array): X25519KeyPair => ({ secretKey, publicKey: deriveX25519PublicKey(secretKey) });
const pair = pairOf(new Uint8Array(32).fill(1));
const message = new Uint8Array(64).fill(3);
const goBox =
  '50a61409b1ddd0325e9b16b700e719e9772c07000b1bd7786e907c653d20495d2af1697137a53b1b1dfc9befc49b6eeb38f86be720e155eb2be61976d2efb34d67ecd44a6ad634625eb9c288bfc883431a84ab0f5557dfe673aa6f74c19f033e648a947358cfcc606397fa1747d5219a';

/** Every encoding of a point of small order below 2^255 (RFC 7748 §6.1; libsodium's list), little-endian. */
const smallOrder = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
];

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(isVakError(error, 'invalid-payload')).toBe(true);
    return (error as Error).message;
  }
  return 'taken';
}

describe('R5 sealed boxes', () => {
  beforeAll(() => sodium.ready);

  test("R5 the known box of Go's nacl/box is made and opened", () => {
    const drawn: Randomness = { bytes: (length) => new Uint8Array(length).fill(5) };
    expect(toHex(sealBox(message, pair.publicKey, drawn))).toBe(goBox);
    expect(openBox(hex(goBox), pair)).toEqual(message);
  });

  test('R5 what is sealed here libsodium opens, and the other way round', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 300 }), (secretKey, text) => {
        const own = pairOf(secretKey);
        const ours = sealBox(text, own.publicKey, randomness);
        expect(ours.length).toBe(text.length + sealedBoxOverhead);
        expect(Uint8Array.from(sodium.crypto_box_seal_open(ours, own.publicKey, secretKey))).toEqual(text);
        expect(openBox(Uint8Array.from(sodium.crypto_box_seal(text, own.publicKey)), own)).toEqual(text);
      }),
      { numRuns: 60 },
    );
  });

  test('R5 a box opens for its recipient alone, and with no bit changed, none cut off and none added', () => {
    const box = sealBox(utf8('a key'), pair.publicKey, randomness);
    expect(openBox(box, pairOf(new Uint8Array(32).fill(2)))).toBeUndefined();
    for (let bit = 0; bit < box.length * 8; bit++) {
      const changed = Uint8Array.from(box);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      let opened: Uint8Array | undefined;
      try {
        opened = openBox(changed, pair);
      } catch (error) {
        // The top bit of the ephemeral key makes it another encoding of the same one.
        expect(isVakError(error, 'invalid-payload')).toBe(true);
      }
      expect(opened).toBeUndefined();
    }
    for (let length = 0; length < box.length; length++) expect(openBox(box.subarray(0, length), pair)).toBeUndefined();
    expect(openBox(Uint8Array.from([...box, 0]), pair)).toBeUndefined();
  });

  test('R5 two boxes of one message share neither key nor ciphertext', () => {
    const [one, two] = [sealBox(message, pair.publicKey, randomness), sealBox(message, pair.publicKey, randomness)];
    expect(toHex(one.subarray(0, 32))).not.toBe(toHex(two.subarray(0, 32)));
    expect(toHex(one.subarray(48))).not.toBe(toHex(two.subarray(48)));
  });

  test.each(smallOrder)('R5 nothing is sealed to, or opened from, a key of small order: %s', (key) => {
    expect(refusal(() => sealBox(message, hex(key), randomness))).toMatch(/recipient box: .*(small order|canonical)/);
    const forged = Uint8Array.from([...hex(key), ...new Uint8Array(64)]);
    expect(refusal(() => openBox(forged, pair))).toMatch(/box key: .*(small order|canonical)/);
  });

  test('R5 a box that anybody could make under the zero secret is refused, even where X25519 gives it out', () => {
    const lenient = { ...runtimePrimitives, x25519: () => new Uint8Array(32) };
    const ephemeral = { publicKey: pair.publicKey, agree: lenient.x25519 };
    expect(refusal(() => sealBoxWith(lenient, message, { ephemeral, recipient: pair.publicKey }))).toMatch(/zero/);
    expect(refusal(() => openBoxWith(lenient, hex(goBox), pair))).toMatch(/zero/);
  });

  test('R5 a key that is another encoding of a sound one, or of another length, is refused', () => {
    const alias = Uint8Array.from(pair.publicKey);
    alias[31] = (alias[31] ?? 0) | 0x80;
    expect(refusal(() => sealBox(message, alias, randomness))).toMatch(/canonical/);
    expect(refusal(() => sealBox(message, new Uint8Array(31), randomness))).toMatch(/32 bytes \(31 bytes\)/);
  });

  test('R5 no key is left in memory that the caller did not have', () => {
    const drawn: Uint8Array[] = [];
    const keeping: Randomness = {
      bytes(length) {
        const bytes = randomness.bytes(length);
        drawn.push(bytes);
        return bytes;
      },
    };
    sealBox(message, pair.publicKey, keeping);
    expect(drawn.map(toHex)).toEqual(['00'.repeat(32)]);
  });
});
