import { describe, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { keyOf, messageIdOf, otherRoom, room, text32 } from '../../../tests/support/room-key-fixture.ts';
import { toHex } from '../../shared/base/bytes.ts';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { countedNonce } from './counted-nonce.ts';
import { createFrameSealer, type FrameSealer } from './frame-sealer.ts';
import type { VerifiedFrame } from './room-frame.ts';
import { deriveFrameKey } from './room-keys.ts';

const randomness = createSystemRandomness();
const text: RoomContent = { kind: 'text', text: 'hello' };
const start = (change: { room?: string; sender?: string } = {}): FrameSealer =>
  createFrameSealer({ room, sender: 'ada', signer: signerOf(1), randomness, ...change });
const say = (sealer: FrameSealer, epoch = 3, content = text): VerifiedFrame =>
  sealer.seal({ epoch, n: 4, head: text32(7), messageId: messageIdOf(1) }, content, keyOf(1));

/** Key and nonce that a frame was sealed under. */
const usedBy = (frame: VerifiedFrame): string =>
  `${toHex(deriveFrameKey(keyOf(1), frame).reveal())} ${toHex(countedNonce(frame.counter))}`;

describe('R7 one use of each key and nonce', () => {
  test('R7 counters begin at 0 and are given out once, in every epoch, also where sealing fails', () => {
    const sealer = start();
    expect([say(sealer).counter, say(sealer).counter]).toEqual([0, 1]);
    expect(() => say(sealer, 3, { kind: 'text', text: '' })).toThrow();
    expect(say(sealer, 4).counter).toBe(3);
  });

  test('R7 two processes of one identity, a start after a kill, and one from an old profile never repeat a (key, nonce)', () => {
    // None has anything of another: a sealer is made of identity and room alone, as all of these would make it.
    const sealers = Array.from({ length: 20 }, () => start());
    const used = sealers.flatMap((sealer) => [3, 3, 4, 4].map((epoch) => usedBy(say(sealer, epoch))));
    expect(new Set(used).size).toBe(used.length);
    expect(new Set(sealers.map(({ boot }) => boot)).size).toBe(sealers.length);
  });

  test('R7 rooms, senders and epochs share no (key, nonce) even under one boot', () => {
    const drawn = { bytes: (length: number) => new Uint8Array(length) };
    const one = (change: { room?: string; sender?: string }) =>
      createFrameSealer({ room, sender: 'ada', signer: signerOf(1), randomness: drawn, ...change });
    const frames = [say(one({})), say(one({}), 4), say(one({ room: otherRoom })), say(one({ sender: 'bob' }))];
    expect(frames.map(({ counter }) => counter)).toEqual([0, 0, 0, 0]);
    expect(new Set(frames.map(usedBy)).size).toBe(frames.length);
  });

  test('R7 a nonce is 4 zero bytes and the counter, and each counter has its own', () => {
    expect(toHex(countedNonce(2 ** 53 - 1))).toBe('00000000001fffffffffffff');
    expect(toHex(countedNonce(258))).toBe('000000000000000000000102');
    for (const counter of [-1, 0.5, 2 ** 53, Number.NaN]) expect(() => countedNonce(counter)).toThrow(RangeError);
  });
});
