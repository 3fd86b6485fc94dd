import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytes32, keyOf, otherRoom, plainLabelled, room, text32 } from '../../../tests/support/room-key-fixture.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { toHex } from '../../shared/base/bytes.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { commitRoomKey, createRoomKey, deriveFrameKey, deriveMediaKey, stepRoomKey } from './room-keys.ts';

/** HKDF-SHA256 to 32 bytes (RFC 5869), written a second time. */
function plainHkdf(ikm: Uint8Array, info: Uint8Array, salt: Uint8Array = new Uint8Array(32)): string {
  const extracted = createHmac('sha256', salt).update(ikm).digest();
  return createHmac('sha256', extracted).update(info).update(Uint8Array.of(1)).digest('hex');
}

const boot = toBase64Url(new Uint8Array(16).fill(9));
const place = { room, epoch: 3, sender: 'ada', boot };

describe('R4 R7 R12 room keys', () => {
  test('R4 the commitment is HKDF of K with its label and an empty salt', () => {
    expect(toHex(commitRoomKey(keyOf(1)))).toBe(plainHkdf(bytes32(1), Buffer.from('vak-room-commit-v1')));
    // A third one, Python's hmac.
    expect(toHex(commitRoomKey(keyOf(1)))).toBe('ebd1dfa044875872a6d9226890fdc08a4c238346d787f5ec2ed5094263cc5d00');
  });

  test('R4 K of the epoch that a JOIN begins follows from K and that entry', () => {
    const stepped = stepRoomKey(keyOf(1), bytes32(2));
    expect(toHex(stepped.reveal())).toBe(plainHkdf(bytes32(1), plainLabelled('vak-room-step-v1', bytes32(2))));
    expect(toHex(stepRoomKey(keyOf(1), bytes32(3)).reveal())).not.toBe(toHex(stepped.reveal()));
  });

  test('R7 a message key is HKDF with the room as salt, for epoch, sender and boot', () => {
    const info = plainLabelled('vak-room-msg-v1', 3, 'ada', new Uint8Array(16).fill(9));
    expect(toHex(deriveFrameKey(keyOf(1), place).reveal())).toBe(plainHkdf(bytes32(1), info, Buffer.from(room)));
  });

  test('R7 another room, epoch, sender or boot has another message key, and two of each never share one', () => {
    const others = [
      place,
      { ...place, room: otherRoom },
      { ...place, epoch: 4 },
      { ...place, sender: 'bob' },
      { ...place, boot: toBase64Url(new Uint8Array(16).fill(8)) },
    ];
    expect(new Set(others.map((one) => toHex(deriveFrameKey(keyOf(1), one).reveal()))).size).toBe(others.length);
    const places = fc.record({
      room: fc.constantFrom(room, otherRoom),
      epoch: fc.nat(3),
      sender: fc.constantFrom('a', 'ab', 'b'),
      boot: fc.nat(3).map((n) => toBase64Url(new Uint8Array(16).fill(n))),
    });
    fc.assert(
      fc.property(places, places, (left, right) => {
        const isSameKey =
          toHex(deriveFrameKey(keyOf(1), left).reveal()) === toHex(deriveFrameKey(keyOf(1), right).reveal());
        expect(isSameKey).toBe(JSON.stringify(left) === JSON.stringify(right));
      }),
    );
  });

  test("R12 a file's key is HKDF with its salt", () => {
    const expected = plainHkdf(bytes32(1), Buffer.from('vak-room-media-v1'), bytes32(4));
    expect(toHex(deriveMediaKey(keyOf(1), text32(4)).reveal())).toBe(expected);
    expect(() => deriveMediaKey(keyOf(1), 'not base64url!')).toThrow(/salt/);
  });

  test('R4 fresh keys are 32 random bytes, and nothing prints them', () => {
    const [one, two] = [createRoomKey(createSystemRandomness()), createRoomKey(createSystemRandomness())];
    expect(one.length).toBe(32);
    expect(toHex(one.reveal())).not.toBe(toHex(two.reveal()));
    for (const key of [one, stepRoomKey(one, bytes32(0)), deriveFrameKey(one, place), deriveMediaKey(one, text32(0))])
      expect(`${key} ${JSON.stringify(key)} ${inspect(key)}`).not.toContain(toHex(key.reveal()));
  });

  test('R4 a key that was erased derives nothing', () => {
    const key = keyOf(1);
    key.dispose();
    expect(() => commitRoomKey(key)).toThrow(/erased/);
    expect(() => stepRoomKey(key, bytes32(1))).toThrow(/erased/);
  });
});
