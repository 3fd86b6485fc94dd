/** Published vectors, and second implementations. libsodium's build for JavaScript has no AES-GCM and no SHA-256: for those, @noble. */
import { createHmac, createSecretKey } from 'node:crypto';
import { gcm } from '@noble/ciphers/aes.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryOf, goldenEnvelope, playSecrets } from '../../../tests/support/envelope-fixture.ts';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { fromBase64Url } from '../../shared/base/base64url.ts';
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { leafInput } from '../../shared/protocol/leaf-input.ts';
import { signatureInput } from '../../shared/protocol/signature-input.ts';
import { createEd25519Signer, verifyUnchecked } from '../crypto/ed25519.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { secretFromText } from '../identity/secret.ts';
import { signEnvelope } from './envelope-signature.ts';
import { openGcm, sealGcm } from './gcm-cipher.ts';
import { leafOf, payloadHashOf } from './hashing.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const counting = (from: number, count: number) => Uint8Array.from({ length: count }, (_, index) => from + index);

const gcmKey = 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308';
const gcmText =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255';
const gcmSealed =
  '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad';

/** The GCM submission to NIST (McGrew, Viega), appendix B, AES-256. */
const gcmCases = [
  {
    name: '13',
    ...{ key: '00'.repeat(32), nonce: '00'.repeat(12), aad: '', text: '' },
    sealed: '530f8afbc74536b9a963b4f1c4cb738b',
  },
  {
    name: '14',
    ...{ key: '00'.repeat(32), nonce: '00'.repeat(12), aad: '', text: '00'.repeat(16) },
    sealed: 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    name: '15',
    ...{ key: gcmKey, nonce: 'cafebabefacedbaddecaf888', aad: '', text: gcmText },
    sealed: `${gcmSealed}b094dac5d93471bdec1a502270e3cc6c`,
  },
  {
    name: '16',
    ...{ key: gcmKey, nonce: 'cafebabefacedbaddecaf888', aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2' },
    text: gcmText.slice(0, 120),
    sealed: `${gcmSealed.slice(0, 120)}76fc6ece0f4e1768cddf8853bb2d551b`,
  },
];

describe('E6 AES-256-GCM', () => {
  test.each(gcmCases)('E6 test case $name of the GCM submission, both ways', ({ key, nonce, aad, text, sealed }) => {
    const input = { key: createSecretKey(hex(key)), nonce: hex(nonce), aad: hex(aad) };
    expect(toHex(sealGcm({ ...input, bytes: hex(text) }))).toBe(sealed);
    expect(toHex(openGcm({ ...input, bytes: hex(sealed) }) ?? hex('ff'))).toBe(text);
  });

  test('E6 agrees with a second implementation, and each opens what the other sealed', () => {
    const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    const inputs = [
      bytesOf(32),
      bytesOf(12),
      fc.uint8Array({ maxLength: 90 }),
      fc.uint8Array({ maxLength: 700 }),
    ] as const;
    fc.assert(
      fc.property(...inputs, (key, nonce, aad, bytes) => {
        const input = { key: createSecretKey(key), nonce, aad };
        const sealed = sealGcm({ ...input, bytes });
        expect(sealed).toEqual(gcm(key, nonce, aad).encrypt(bytes));
        expect(gcm(key, nonce, aad).decrypt(sealed)).toEqual(bytes);
        expect(openGcm({ ...input, bytes: sealed })).toEqual(bytes);
      }),
      { numRuns: 100 },
    );
  });

  test('E6 a tag that was cut, or that is all there is of less, opens nothing', () => {
    const input = { key: createSecretKey(hex(gcmKey)), nonce: new Uint8Array(12), aad: new Uint8Array(0) };
    const sealed = sealGcm({ ...input, bytes: utf8('payload') });
    for (let length = 0; length < sealed.length; length++) {
      expect(openGcm({ ...input, bytes: sealed.subarray(0, length) })).toBeUndefined();
    }
    expect(openGcm({ ...input, bytes: sealed })).toEqual(utf8('payload'));
  });
});

/** RFC 5869, appendix A. */
const hkdfCases = [
  {
    name: 'A.1',
    input: { ikm: new Uint8Array(22).fill(11), salt: counting(0, 13), info: counting(0xf0, 10), length: 42 },
    okm: '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  },
  {
    name: 'A.2',
    input: { ikm: counting(0, 80), salt: counting(0x60, 80), info: counting(0xb0, 80), length: 82 },
    okm: 'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
  },
  {
    name: 'A.3',
    input: { ikm: new Uint8Array(22).fill(11), salt: new Uint8Array(0), info: new Uint8Array(0), length: 42 },
    okm: '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  },
];

describe('E6 HKDF-SHA256', () => {
  test.each(hkdfCases)('E6 RFC 5869 $name', ({ input, okm }) => {
    expect(toHex(runtimePrimitives.hkdfSha256(input))).toBe(okm);
  });

  test('E6 the key of an envelope agrees with HMAC by hand, and with a second implementation', () => {
    const keyIds = fc.tuple(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), fc.stringMatching(/^[a-z0-9]{1,20}$/));
    fc.assert(
      fc.property(keyIds, fc.string({ minLength: 1 }), ([peer, boot], text) => {
        const keyId = `s1.${peer}.20260102.${boot}`;
        const { registry } = playSecrets([entryOf('s1', { secret: secretFromText(text) })]);
        const found = registry.keyFor(keyId, peer);
        if (found.kind === 'failed') throw new Error(found.failure.why);
        const key = found.key.export();
        const [salt, info] = ['vak-bus-hkdf-salt-v1', `vak-bus-aes-256-gcm-${keyId}`];
        const extracted = createHmac('sha256', salt).update(text).digest();
        expect(createHmac('sha256', extracted).update(`${info}\u0001`).digest().equals(key)).toBe(true);
        expect(toHex(key)).toBe(toHex(hkdf(sha256, utf8(text), utf8(salt), utf8(info), 32)));
      }),
      { numRuns: 50 },
    );
  });
});

describe('E10 SHA-256', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('E10 FIPS 180-4 of %j', (text, digest) => {
    expect(payloadHashOf({ ...goldenEnvelope, data: { kind: 'bytes', bytes: utf8(text) } })).toBe(digest);
  });

  test('E10 payload hash and leaf agree with a second implementation', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.maxSafeNat(), (bytes, seqnum) => {
        const envelope = { ...goldenEnvelope, seqnum, data: { kind: 'bytes', bytes } as const };
        expect(payloadHashOf(envelope)).toBe(toHex(sha256(bytes)));
        expect(leafOf(envelope)).toBe(toHex(sha256(leafInput(envelope))));
      }),
    );
    expect(payloadHashOf({ ...goldenEnvelope, data: { kind: 'none' } })).toBe(toHex(sha256(new Uint8Array(0))));
    expect(payloadHashOf({ ...goldenEnvelope, data: { kind: 'json', text: '{"a": 1}' } })).toBe(
      toHex(sha256(utf8('{"a": 1}'))),
    );
  });
});

/** RFC 8032 §7.1; the one of 1023 bytes is left out for its length. */
const ed25519Cases = [
  {
    name: 'TEST 1',
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    name: 'TEST 2',
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    name: 'TEST 3',
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  {
    name: 'TEST SHA(abc)',
    seed: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    publicKey: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    message:
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  },
];

describe('E13 Ed25519', () => {
  beforeAll(() => sodium.ready);

  test.each(ed25519Cases)('E13 RFC 8032 §7.1 $name', ({ seed, publicKey, message, signature }) => {
    const signer = createEd25519Signer(hex(seed));
    expect(toHex(signer.publicKey)).toBe(publicKey);
    expect(toHex(signer.sign(hex(message)))).toBe(signature);
    const signed = { publicKey: hex(publicKey), message: hex(message), signature: hex(signature) };
    expect(verifyUnchecked(signed)).toBe(true);
    expect(verifyUnchecked({ ...signed, message: utf8('another message') })).toBe(false);
  });

  test('E13 libsodium makes the same signature over an envelope, and takes ours', () => {
    const envelope = { ...goldenEnvelope, subject: 'vak.work.ws_123.build.task', causationid: 'c-1' };
    const { signed } = signEnvelope(envelope, signerOf(1));
    const message = signatureInput(envelope, leafOf(envelope));
    const pair = sodium.crypto_sign_seed_keypair(new Uint8Array(32).fill(1));
    const signature = fromBase64Url(signed?.signature ?? '', 'signature');
    expect(toHex(pair.publicKey)).toBe(toHex(signerOf(1).publicKey));
    expect(toHex(sodium.crypto_sign_detached(message, pair.privateKey))).toBe(toHex(signature));
    expect(sodium.crypto_sign_verify_detached(signature, message, pair.publicKey)).toBe(true);
    expect(sodium.crypto_sign_verify_detached(signature, utf8('another message'), pair.publicKey)).toBe(false);
  });

  test('E13 libsodium and the runtime agree about any message, and about any changed signature', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes32, fc.uint8Array(), fc.nat(511), (seed, message, bit) => {
        const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(seed);
        const signature = sodium.crypto_sign_detached(message, privateKey);
        expect(createEd25519Signer(seed).sign(message)).toEqual(Uint8Array.from(signature));
        const changed = Uint8Array.from(signature);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(verifyUnchecked({ publicKey, message, signature: changed })).toBe(false);
        expect(sodium.crypto_sign_verify_detached(changed, message, publicKey)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});
