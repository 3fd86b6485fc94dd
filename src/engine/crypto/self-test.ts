/**
 * Known answers for every primitive, looked at when the app and each peer starts (architecture.md §8).
 * Law: where one answer is wrong nothing is opened, sealed or signed; a primitive that throws has failed.
 */
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { type AeadInput, type AeadPrimitive, type CryptoPrimitives, runtimePrimitives } from './runtime-primitives.ts';
import { openBoxWith, sealBoxWith } from './sealed-box.ts';

/** `failed`: the checks that gave a wrong answer, for people. */
export type SelfTestResult = { readonly ok: true } | { readonly ok: false; readonly failed: string[] };

type Check = (primitives: CryptoPrimitives) => boolean;

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const none = new Uint8Array(0);

/** Seals to the known bytes, opens them again, and refuses them with one bit of the last byte changed. */
function keepsAead(aead: AeadPrimitive, input: AeadInput, sealed: string): boolean {
  if (toHex(aead.seal(input)) !== sealed) return false;
  if (toHex(aead.open({ ...input, text: hex(sealed) })) !== toHex(input.text)) return false;
  const tampered = hex(sealed);
  tampered[tampered.length - 1] = (tampered.at(-1) ?? 0) ^ 1;
  try {
    aead.open({ ...input, text: tampered });
    return false;
  } catch {
    return true;
  }
}

/** RFC 8032 §7.1, test 2; the last signature is the right one with L added to S. */
const ed25519Answer = {
  seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  message: '72',
  r: '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da',
  s: '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  sPlusOrder: 'f52db7415978abc61b2c2eb6aeebfca0387b2eaeb4302aeeb00d291612bb0c10',
} as const;

const verifiesEd25519: Check = (primitives) => {
  const { publicKey, message, r, s, sPlusOrder } = ed25519Answer;
  const verify = (text: string, signature: string): boolean =>
    primitives.ed25519Verify({ publicKey: hex(publicKey), message: hex(text), signature: hex(signature) });
  return verify(message, r + s) && !verify('73', r + s) && !verify(message, r + sPlusOrder);
};

const secretboxText =
  'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705';
const secretboxSealed =
  'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5';

/** Go's nacl/box: recipient's secret 32 × 01, message 64 × 03, ephemeral secret 32 × 05. */
const boxAnswer = {
  secretKey: '01'.repeat(32),
  publicKey: 'a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209',
  ephemeralSecret: '05'.repeat(32),
  ephemeralPublic: '50a61409b1ddd0325e9b16b700e719e9772c07000b1bd7786e907c653d20495d',
  message: '03'.repeat(64),
  sealed:
    '2af1697137a53b1b1dfc9befc49b6eeb38f86be720e155eb2be61976d2efb34d67ecd44a6ad634625eb9c288bfc883431a84ab0f5557dfe673aa6f74c19f033e648a947358cfcc606397fa1747d5219a',
} as const;

/** Seals to the known bytes, opens them again, and refuses them changed; seals nothing to a key of small order. */
const keepsBoxes: Check = (primitives) => {
  const { secretKey, publicKey, ephemeralSecret, ephemeralPublic, message, sealed } = boxAnswer;
  const pair = { secretKey: hex(secretKey), publicKey: hex(publicKey) };
  const agree = (other: Uint8Array): Uint8Array => primitives.x25519(hex(ephemeralSecret), other);
  const ephemeral = { publicKey: hex(ephemeralPublic), agree };
  const box = hex(ephemeralPublic + sealed);
  const made = sealBoxWith(primitives, hex(message), { ephemeral, recipient: pair.publicKey });
  const opened = openBoxWith(primitives, box, pair);
  if (toHex(made) !== toHex(box) || opened === undefined || toHex(opened) !== message) return false;
  box[box.length - 1] = (box.at(-1) ?? 0) ^ 1;
  if (openBoxWith(primitives, box, pair) !== undefined) return false;
  try {
    sealBoxWith(primitives, hex(message), { ephemeral, recipient: new Uint8Array(32) });
    return false;
  } catch {
    return true;
  }
};

/** Each check by the name that is shown when it fails. */
const checks: Readonly<Record<string, Check>> = {
  // FIPS 180-4, example "abc".
  'SHA-256': ({ sha256 }) =>
    toHex(sha256(utf8('abc'))) === 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  'SHA-512': ({ sha512 }) =>
    toHex(sha512(utf8('abc'))) ===
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  // RFC 5869, A.1.
  'HKDF-SHA256': ({ hkdfSha256 }) =>
    toHex(
      hkdfSha256({
        ikm: new Uint8Array(22).fill(0x0b),
        salt: hex('000102030405060708090a0b0c'),
        info: hex('f0f1f2f3f4f5f6f7f8f9'),
        length: 42,
      }),
    ) === '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  // protocol.md, golden values of E6.
  'HKDF-SHA256 of an envelope key': ({ hkdfSha256 }) =>
    toHex(
      hkdfSha256({
        ikm: utf8('super-secret-workspace-key-2026'),
        salt: utf8('vak-bus-hkdf-salt-v1'),
        info: utf8('vak-bus-aes-256-gcm-key_v1'),
        length: 32,
      }),
    ) === '3183d549202b40d46513f8fdd026b7750d92b3f7344e8de82f28b05f8408c020',
  // The GCM submission to NIST (McGrew, Viega), test case 16.
  'AES-256-GCM': ({ aes256Gcm }) =>
    keepsAead(
      aes256Gcm,
      {
        key: hex('feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'),
        nonce: hex('cafebabefacedbaddecaf888'),
        text: hex(
          'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
        ),
        aad: hex('feedfacedeadbeeffeedfacedeadbeefabaddad2'),
      },
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b',
    ),
  // RFC 7914 §12, first case.
  scrypt: ({ scrypt }) =>
    toHex(scrypt({ password: none, salt: none, n: 16, r: 1, p: 1, length: 64 })) ===
    '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
  'Ed25519 signing': ({ ed25519Sign }) =>
    toHex(ed25519Sign(hex(ed25519Answer.seed), hex(ed25519Answer.message))) === ed25519Answer.r + ed25519Answer.s,
  'Ed25519 verification': verifiesEd25519,
  // A sound key, and the point of order 8 that E13 refuses.
  'Ed25519 key check': ({ ed25519IsSound }) =>
    ed25519IsSound(hex(ed25519Answer.publicKey)) &&
    !ed25519IsSound(hex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')),
  // RFC 7748 §5.2, first case.
  X25519: ({ x25519 }) =>
    toHex(
      x25519(
        hex('a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4'),
        hex('e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c'),
      ),
    ) === 'c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552',
  // RFC 8439 §2.8.2.
  'ChaCha20-Poly1305': ({ chacha20Poly1305 }) =>
    keepsAead(
      chacha20Poly1305,
      {
        key: hex('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f'),
        nonce: hex('070000004041424344454647'),
        text: utf8(
          "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
        ),
        aad: hex('50515253c0c1c2c3c4c5c6c7'),
      },
      'd31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691',
    ),
  // The NaCl paper's secretbox example (tests/secretbox.c).
  'XSalsa20-Poly1305': ({ xsalsa20Poly1305 }) =>
    keepsAead(
      xsalsa20Poly1305,
      {
        key: hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389'),
        nonce: hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37'),
        text: hex(secretboxText),
        aad: none,
      },
      secretboxSealed,
    ),
  // NaCl's tests/core1.c: the key that the shared secret of its crypto_box example gives.
  HSalsa20: ({ hsalsa20 }) =>
    toHex(hsalsa20(hex('4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'), new Uint8Array(16))) ===
    '1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389',
  // RFC 7693, A; and at 24 bytes, the length that a sealed box's nonce has (Python's hashlib).
  BLAKE2b: ({ blake2b }) =>
    toHex(blake2b(utf8('abc'), 64)) ===
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923' &&
    toHex(blake2b(utf8('abc'), 24)) === '56a17e38cc371a46b12c32f18e0c61de2a84e9c2555b114e',
  'sealed box': keepsBoxes,
};

function passes(check: Check, primitives: CryptoPrimitives): boolean {
  try {
    return check(primitives);
  } catch {
    return false;
  }
}

/** Runs every check, in some ten milliseconds. Never throws; whoever gets `ok: false` answers `self-test-failed`. */
export function runSelfTest(primitives: CryptoPrimitives = runtimePrimitives): SelfTestResult {
  const failed = Object.entries(checks).flatMap(([name, check]) => (passes(check, primitives) ? [] : [name]));
  return failed.length === 0 ? { ok: true } : { ok: false, failed };
}
