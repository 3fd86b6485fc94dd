import fc from 'fast-check';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import {
  bytes32,
  keyOf,
  messageIdOf,
  otherRoom,
  plainLabelled,
  room,
  text32,
} from '../../../tests/support/room-key-fixture.ts';
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { padBytes } from '../../shared/protocol/padded-bytes.ts';
import type { RoomFrame } from '../../shared/protocol/payload-rooms.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import { frameAad } from '../../shared/protocol/room-frame-input.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { type NkeySigner, encodeNkey as nkeyOf } from '../identity/nkey.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { openFrame, sealFrame, type VerifiedFrame, verifyFrame } from './room-frame.ts';
import { deriveFrameKey } from './room-keys.ts';

const { verifier } = createRecordChecks();
const [ada, eve] = [signerOf(1), signerOf(3)];
const boot = toBase64Url(new Uint8Array(16).fill(9));
const place = { room, epoch: 3, sender: 'ada', boot, counter: 5, messageId: messageIdOf(1), n: 4, head: text32(7) };
const hello: RoomContent = { kind: 'text', text: 'hello' };
const seal = (change: Partial<typeof place> = {}, content: RoomContent = hello, signer = ada): VerifiedFrame =>
  sealFrame({ ...place, ...change }, content, { roomKey: keyOf(1), signer });
const fromAda = { room, nkey: ada.nkey, verifier };

/** The frame signed by whoever, over the bytes that the protocol names, written a second time. */
function resign(frame: RoomFrame, signer: NkeySigner): VerifiedFrame {
  const bytes = (text: string): Uint8Array => fromBase64Url(text, 'field');
  const { epoch, sender, counter, messageId, kind, n } = frame;
  const aad = plainLabelled(
    'vak-room-aad-v1',
    ...[frame.room, epoch, sender, bytes(frame.boot), counter, messageId, kind, n, bytes(frame.head)],
  );
  const message = plainLabelled('vak-room-frame-v1', aad, runtimePrimitives.sha256(bytes(frame.ct)));
  return { ...frame, sig: toBase64Url(signer.sign(message)) } as VerifiedFrame;
}

/** A frame with any bytes as its plaintext, sealed as its sender would. */
function sealedOver(text: Uint8Array, kind: RoomFrame['kind'] = 'text'): VerifiedFrame {
  const whole = { ...place, kind };
  const key = deriveFrameKey(keyOf(1), whole).reveal();
  const nonce = Uint8Array.from([...new Uint8Array(11), place.counter]);
  const ct = runtimePrimitives.chacha20Poly1305.seal({ key, nonce, text, aad: frameAad(whole) });
  return resign({ v: 1, ...whole, ct: toBase64Url(ct), sig: '' }, ada);
}

const isVerified = (frame: RoomFrame, from = fromAda): boolean => verifyFrame(frame, from).kind === 'verified';
const faultOf = (frame: VerifiedFrame, key = keyOf(1)): string => {
  const opened = openFrame(frame, key);
  return opened.kind === 'opened' ? 'opened' : opened.fault;
};

const contents: fc.Arbitrary<RoomContent> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  }),
  fc.record({ kind: fc.constant('reply' as const), target: fc.constant(messageIdOf(2)), text: fc.constant('yes') }),
  fc.record({ kind: fc.constant('reaction' as const), target: fc.constant(messageIdOf(2)), emoji: fc.constant('👍') }),
  fc.record({ kind: fc.constant('redaction' as const), target: fc.constant(messageIdOf(2)) }),
);

describe('R7 frames', () => {
  beforeAll(() => sodium.ready);

  test('R7 R35 any message comes back over the wire, in steps of 32 bytes', () => {
    const places = fc.record({
      epoch: fc.nat(),
      counter: fc.maxSafeNat(),
      n: fc.nat(),
      sender: fc.constantFrom('a', 'b_-9'),
    });
    fc.assert(
      fc.property(places, contents, (where, content) => {
        const frame = decodePayload('vak.rooms.frame', utf8(JSON.stringify(seal(where, content))));
        const verified = verifyFrame(frame, fromAda);
        if (verified.kind !== 'verified') throw new Error(verified.fault);
        expect(openFrame(verified.frame, keyOf(1))).toEqual({ kind: 'opened', content });
        expect((fromBase64Url(frame.ct, 'ct').length - 16) % 32).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('R7 libsodium opens the ciphertext under the derived key, with nonce and associated data as the protocol says', () => {
    const frame = seal({ counter: 258 });
    const info = plainLabelled('vak-room-msg-v1', 3, 'ada', new Uint8Array(16).fill(9));
    const key = runtimePrimitives.hkdfSha256({ ikm: bytes32(1), salt: utf8(room), info, length: 32 });
    const nonce = Buffer.from('000000000000000000000102', 'hex');
    const aad = plainLabelled(
      'vak-room-aad-v1',
      ...[room, 3, 'ada', new Uint8Array(16).fill(9), 258, messageIdOf(1), 'text', 4, bytes32(7)],
    );
    const ct = fromBase64Url(frame.ct, 'ct');
    const text = sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, ct, aad, nonce, key);
    expect(toHex(text)).toBe(toHex(padBytes(utf8('{"text":"hello"}'))));
    expect(resign(frame, ada).sig).toBe(frame.sig);
  });

  test('R7 a message that another member signs again is not his, nor hers any more', () => {
    const hers = seal();
    const stolen = resign(hers, eve);
    expect(isVerified(stolen)).toBe(false);
    expect(isVerified(stolen, { ...fromAda, nkey: eve.nkey })).toBe(true); // by its key, but the sender it names is ada
    const claimed = resign({ ...hers, sender: 'eve' }, eve);
    expect(isVerified(claimed, { ...fromAda, nkey: eve.nkey })).toBe(true);
    expect(faultOf(claimed)).toBe('does-not-open');
  });

  test('R7 a frame is of one room: on another’s subject, or renamed to it, it counts for nothing', () => {
    const frame = seal();
    const inOther = { ...fromAda, room: otherRoom };
    expect(verifyFrame(frame, inOther)).toEqual({ kind: 'refused', fault: 'wrong-room' });
    expect(verifyFrame({ ...frame, room: otherRoom }, inOther)).toEqual({ kind: 'refused', fault: 'bad-signature' });
    expect(faultOf(resign({ ...frame, room: otherRoom }, ada))).toBe('does-not-open');
  });

  test('R7 a frame is of one epoch: moved to the next it is not signed, and signed again it opens under neither key', () => {
    const moved = { ...seal(), epoch: 4 };
    expect(isVerified(moved)).toBe(false);
    expect(faultOf(resign(moved, ada))).toBe('does-not-open');
    expect(faultOf(seal(), keyOf(2))).toBe('does-not-open');
  });

  test.each<[string, Partial<RoomFrame>]>([
    ['epoch', { epoch: 4 }],
    ['sender', { sender: 'eve' }],
    ['boot', { boot: toBase64Url(new Uint8Array(16)) }],
    ['counter', { counter: 6 }],
    ['messageId', { messageId: messageIdOf(2) }],
    ['kind', { kind: 'reply' }],
    ['n', { n: 5 }],
    ['head', { head: text32(8) }],
    ['ct', { ct: seal({ counter: 6 }).ct }],
    ['sig', { sig: seal({ counter: 6 }).sig }],
  ])('R7 another %s is under no signature; and whoever signs it opens nothing', (name, change) => {
    const frame = { ...seal(), ...change };
    expect(verifyFrame(frame, fromAda)).toEqual({ kind: 'refused', fault: 'bad-signature' });
    if (name !== 'sig') expect(faultOf(resign(frame, ada))).toBe('does-not-open');
  });

  test('R7 S + L in place of S is no signature, and a key of small order has signed nothing', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const frame = seal();
    const sig = fromBase64Url(frame.sig, 'sig');
    const s = BigInt(`0x${toHex(sig.slice(32).reverse())}`) + order;
    sig.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(), 32);
    expect(isVerified({ ...frame, sig: toBase64Url(sig) })).toBe(false);
    // The neutral element: every message has a signature under it, S = 0.
    const neutral = Uint8Array.from([1, ...new Uint8Array(31)]);
    const forged = { ...frame, sig: toBase64Url(Uint8Array.from([...neutral, ...new Uint8Array(32)])) };
    expect(isVerified(forged, { ...fromAda, nkey: nkeyOf(neutral) })).toBe(false);
  });

  test('R7 a ciphertext with any bit changed does not open, even signed by its sender', () => {
    const frame = seal();
    const ct = fromBase64Url(frame.ct, 'ct');
    for (let at = 0; at < ct.length; at++) {
      const changed = { ...frame, ct: toBase64Url(ct.with(at, (ct[at] ?? 0) ^ 1)) };
      expect(isVerified(changed)).toBe(false);
      expect(faultOf(resign(changed, ada))).toBe('does-not-open');
    }
    expect(faultOf(resign({ ...frame, ct: toBase64Url(ct.subarray(0, 16)) }, ada))).toBe('does-not-open');
  });

  test('R44 what its sender sealed in another form is refused with why', () => {
    const json = utf8('{"text":"hello"}');
    expect(faultOf(sealedOver(padBytes(json)))).toBe('opened');
    expect(faultOf(sealedOver(json))).toBe('bad-padding');
    expect(faultOf(sealedOver(padBytes(json).with(31, 1)))).toBe('bad-padding');
    expect(faultOf(sealedOver(new Uint8Array(0)))).toBe('bad-padding');
    expect(openFrame(sealedOver(padBytes(json), 'reply'), keyOf(1))).toMatchObject({
      fault: 'bad-content',
      why: expect.stringMatching(/^reply: target:/),
    });
    const long = utf8(JSON.stringify({ text: 'a'.repeat(65_537) }));
    expect(openFrame(sealedOver(padBytes(long)), keyOf(1))).toMatchObject({ fault: 'bad-content' });
  });

  test('R13 the longest text, each character escaped, fits a frame and comes back', () => {
    const content: RoomContent = { kind: 'text', text: '\u0001'.repeat(65_536) };
    const frame = decodePayload('vak.rooms.frame', utf8(JSON.stringify(seal({}, content))));
    expect(openFrame(frame as VerifiedFrame, keyOf(1))).toEqual({ kind: 'opened', content });
  });

  test('R7 nothing is sealed that its readers would refuse', () => {
    expect(() => seal({}, { kind: 'text', text: '' })).toThrow(/empty/);
    expect(() => seal({ counter: -1 })).toThrow();
    expect(() => seal({ counter: 2 ** 53 })).toThrow();
  });

  test('R7 a key that was erased neither seals nor opens', () => {
    const key = keyOf(1);
    key.dispose();
    expect(() => openFrame(seal(), key)).toThrow(/erased/);
    expect(() => sealFrame(place, hello, { roomKey: key, signer: ada })).toThrow(/erased/);
  });
});
