import fc from 'fast-check';
import { createAccount, createUser, fromPublic, fromSeed, Prefix } from 'nkeys.js';
import { Codec } from 'nkeys.js/lib/codec.js';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createNkeySeed, createNkeySigner, decodeNkey, decodeNkeySeed, encodeNkey, encodeNkeySeed } from './nkey.ts';
import { secretFromText } from './secret.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const bytes = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value));

describe('I1 nkeys', () => {
  test('I1 keys and seeds come back', () => {
    fc.assert(
      fc.property(bytes32, (key) => {
        expect(encodeNkey(key)).toMatch(/^U[A-Z2-7]{55}$/);
        expect(decodeNkey(encodeNkey(key), 'sign')).toEqual(key);
        const seed = encodeNkeySeed(key);
        expect(text(seed.reveal())).toMatch(/^SU[A-Z2-7]{56}$/);
        expect(decodeNkeySeed(seed.reveal(), 'seed')).toEqual(key);
      }),
    );
  });

  test('I1 whoever writes into a key that was decoded changes nobody else’s', () => {
    const { nkey, publicKey } = createNkeySigner(createNkeySeed(createSeededRandomness(5)));
    for (let times = 0; times < 3; times++) {
      const bytes = decodeNkey(nkey, 'key');
      expect(bytes).toEqual(publicKey);
      bytes.fill(0);
    }
  });

  test('I1 a signer agrees with the library of NATS both ways', () => {
    const pair = createUser();
    const signer = createNkeySigner(secretFromText(text(pair.getSeed())));
    expect(signer.nkey).toBe(pair.getPublicKey());
    const message = bytes('one message');
    expect(fromPublic(signer.nkey).verify(message, signer.sign(message))).toBe(true);
    expect(signer.sign(message)).toEqual(Uint8Array.from(pair.sign(message)));
  });

  test('I1 a fresh seed comes from the randomness given, and makes a key', () => {
    const one = createNkeySeed(createSeededRandomness(7));
    const same = createNkeySeed(createSeededRandomness(7));
    const other = createNkeySeed(createSeededRandomness(8));
    expect(one.reveal()).toEqual(same.reveal());
    expect(one.reveal()).not.toEqual(other.reveal());
    expect(fromSeed(one.reveal()).getPublicKey()).toBe(createNkeySigner(one).nkey);
  });

  test('I1 any changed, missing or added character is refused', () => {
    const nkey = encodeNkey(new Uint8Array(32).fill(77));
    const characters = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567abu189=\u00dc ');
    fc.assert(
      fc.property(fc.nat(55), characters, fc.constantFrom(0, 1, 2), (at, character, kind) => {
        const changed = nkey.slice(0, at) + (kind === 0 ? '' : character) + nkey.slice(kind === 2 ? at : at + 1);
        if (changed === nkey) return;
        expect(refusal(() => decodeNkey(changed, 'sign')).message).toMatch(/^sign: /);
      }),
      { numRuns: 400 },
    );
    // Bits beyond the last byte: the library does not look at them.
    for (const more of ['A', 'B', '7', '=', ' ', '\n']) {
      expect(refusal(() => decodeNkey(nkey + more, 'sign')).message).toMatch(/^sign: /);
    }
  });

  test('I1 other kinds of keys are refused: of an account, a seed as a public key and the reverse', () => {
    const account = createAccount();
    expect(refusal(() => decodeNkey(account.getPublicKey(), 'sign')).message).toMatch(/^sign: expected a user nkey/);
    expect(refusal(() => decodeNkeySeed(account.getSeed(), 'seed')).message).toMatch(/^seed: expected a user nkey/);
    const user = createUser();
    expect(refusal(() => decodeNkey(text(user.getSeed()), 'sign')).message).toMatch(/^sign: /);
    expect(refusal(() => decodeNkeySeed(bytes(user.getPublicKey()), 'seed')).message).toMatch(/^seed: /);
  });

  test('I1 a key of another length with a right checksum is refused', () => {
    for (const length of [0, 16, 31, 33, 64]) {
      const key = new Uint8Array(length).fill(3);
      expect(refusal(() => decodeNkey(text(Codec._encode(false, Prefix.User, key)), 'sign')).message).toMatch(
        /^sign: /,
      );
      expect(refusal(() => decodeNkeySeed(Codec._encode(true, Prefix.User, key), 'seed')).message).toMatch(/^seed: /);
    }
  });

  test('I1 a second text of the same seed is refused: trailing bits, low bits of the prefix', () => {
    const seed = encodeNkeySeed(new Uint8Array(32).fill(5)).reveal();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    const last = alphabet.indexOf(String.fromCharCode(seed[57] ?? 0));
    const trailing = bytes(text(seed).slice(0, 57) + alphabet[last ^ 1]);
    // The library takes it; we do not.
    expect(fromSeed(trailing).getPublicKey()).toBe(fromSeed(seed).getPublicKey());
    expect(refusal(() => decodeNkeySeed(trailing, 'seed')).message).toMatch(/canonical/);

    const payload = Uint8Array.from([0x90 | (Prefix.User >> 5), ((Prefix.User & 31) << 3) | 1, ...new Uint8Array(32)]);
    const odd = Codec._encode(false, payload[0] ?? 0, payload.subarray(1));
    expect(refusal(() => decodeNkeySeed(odd, 'seed')).message).toMatch(/canonical/);
  });

  test('I3 no error shows any of a seed', () => {
    const seed = text(encodeNkeySeed(new Uint8Array(32).fill(5)).reveal());
    for (const damaged of [`${seed}A`, seed.slice(0, -1), seed.toLowerCase(), `x${seed}`]) {
      const message = refusal(() => decodeNkeySeed(bytes(damaged), 'seed')).message;
      for (let at = 0; at + 6 <= damaged.length; at++) expect(message).not.toContain(damaged.slice(at, at + 6));
    }
  });

  test('I1 bytes of another length are a mistake of the caller', () => {
    expect(() => encodeNkey(new Uint8Array(31))).toThrow(/32 bytes/);
    expect(() => encodeNkeySeed(new Uint8Array(33))).toThrow(/32 bytes/);
  });
});
