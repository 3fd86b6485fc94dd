import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, test } from 'vitest';
import { digestOf, pieces, readAll, someBytes } from '../../../tests/support/object-fixture.ts';
import { keyOf } from '../../../tests/support/room-key-fixture.ts';
import { toHex } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { maxMediaBytes, mediaChunkAad } from '../../shared/protocol/room-media.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { countedNonce } from './counted-nonce.ts';
import { type MediaFault, type MediaReader, openMedia } from './media-opening.ts';
import { type MediaSummary, sealMedia } from './media-sealing.ts';
import { deriveMediaKey } from './room-keys.ts';

const chunk = 65_536;
const sealedChunk = chunk + 16;
const randomness = createSystemRandomness();
const { signal } = new AbortController();

interface Stored {
  readonly bytes: Uint8Array;
  readonly media: MediaSummary;
}

async function seal(file: Uint8Array, size?: number): Promise<Stored> {
  const sealing = sealMedia(pieces(file, size), { roomKey: keyOf(1), randomness, signal });
  const bytes = await readAll(sealing.sealed);
  return { bytes, media: sealing.summary() };
}

const stored =
  (bytes: Uint8Array): MediaReader =>
  () =>
    pieces(bytes, 100_000);
const open = (read: MediaReader, media: MediaSummary, key = keyOf(1)) =>
  openMedia(read, media, { roomKey: key, signal });

/** What is wrong with an object, and how many bytes of the file had left by then. */
async function outcome(
  read: MediaReader,
  media: MediaSummary,
  key = keyOf(1),
): Promise<{ fault?: unknown; left: number }> {
  let left = 0;
  try {
    for await (const bytes of open(read, media, key)) left += bytes.length;
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
    return { fault: error.details?.['fault'], left };
  }
  return { left };
}

/** What a sender's message would say of these sealed bytes. */
const signedOver = (bytes: Uint8Array, { media }: Stored): MediaSummary => ({ ...media, sha256: digestOf(bytes) });

describe('R12 attachments', () => {
  beforeAll(() => sodium.ready);

  test.each([0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 200_000])(
    'R12 a file of %i bytes comes back',
    async (size) => {
      const file = someBytes(size);
      const { bytes, media } = await seal(file, 30_001);
      expect(bytes.length).toBe(size + 16 * Math.max(1, Math.ceil(size / chunk)));
      expect(media).toMatchObject({ size, sha256: digestOf(bytes) });
      expect(Buffer.compare(await readAll(open(stored(bytes), media)), file)).toBe(0);
    },
  );

  test('R12 libsodium opens each chunk under its number, and as the last one only the last', async () => {
    const file = someBytes(chunk + 5);
    const { bytes, media } = await seal(file);
    const key = deriveMediaKey(keyOf(1), media.salt).reveal();
    const chunkAt = (index: number, isLast: boolean): Uint8Array =>
      sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
        null,
        bytes.subarray(index * sealedChunk, (index + 1) * sealedChunk),
        mediaChunkAad(index, isLast),
        countedNonce(index),
        key,
      );
    expect(toHex(chunkAt(0, false)) === toHex(file.subarray(0, chunk))).toBe(true);
    expect(toHex(chunkAt(1, true))).toBe(toHex(file.subarray(chunk)));
    expect(() => chunkAt(0, true)).toThrow();
    expect(() => chunkAt(1, false)).toThrow();
  });

  test('R12 two sealings of one file share neither salt nor bytes', async () => {
    const [one, two] = [await seal(someBytes(100)), await seal(someBytes(100))];
    expect(one.media.salt).not.toBe(two.media.salt);
    expect(one.media.sha256).not.toBe(two.media.sha256);
  });

  interface Stored {
    readonly bytes: Uint8Array;
    readonly first: Uint8Array;
    readonly second: Uint8Array;
    readonly rest: Uint8Array;
    readonly other: Uint8Array;
  }
  const attacks: readonly [string, MediaFault, (of: Stored) => Uint8Array][] = [
    ['its first bit flipped', 'hash', ({ bytes }) => bytes.with(0, (bytes[0] ?? 0) ^ 1)],
    ['its last bit flipped', 'hash', ({ bytes }) => bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 128)],
    ['its last byte cut off', 'size', ({ bytes }) => bytes.subarray(0, -1)],
    ['its last chunk cut off', 'size', ({ bytes }) => bytes.subarray(0, 3 * sealedChunk)],
    ['all of it cut off', 'size', () => new Uint8Array(0)],
    ['a byte added', 'size', ({ bytes }) => new Uint8Array([...bytes, 0])],
    ['two chunks exchanged', 'hash', ({ first, second, rest }) => new Uint8Array([...second, ...first, ...rest])],
    ['another object under its name', 'hash', ({ other }) => other],
  ];
  test.each(attacks)(
    'R12 an object with %s is refused before a byte of the file leaves',
    async (_what, fault, change) => {
      const { bytes, media } = await seal(someBytes(3 * chunk + 9));
      const [first, second] = [bytes.slice(0, sealedChunk), bytes.slice(sealedChunk, 2 * sealedChunk)];
      const other = (await seal(someBytes(3 * chunk + 9, 8))).bytes;
      const changed = change({ bytes, first, second, rest: bytes.slice(2 * sealedChunk), other });
      expect(await outcome(stored(changed), media)).toEqual({ fault, left: 0 });
      expect(await outcome(stored(bytes), media)).toEqual({ left: media.size });
    },
  );

  test('R12 an object without end is left as soon as it is too long', async () => {
    const { media } = await seal(someBytes(10));
    let asked = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked++;
        yield new Uint8Array(100_000);
      }
    }
    expect(await outcome(endless, media)).toEqual({ fault: 'size', left: 0 });
    expect(asked).toBeLessThan(3);
  });

  test('R48 an object that is replaced once it was verified gives out nothing of the other', async () => {
    const good = await seal(someBytes(2 * chunk));
    const evil = await seal(someBytes(2 * chunk, 8));
    // A member can seal chunks of its own under the file's key: tags alone would not tell.
    const key = deriveMediaKey(keyOf(1), good.media.salt).reveal();
    const forged = runtimePrimitives.chacha20Poly1305.seal({
      key,
      nonce: countedNonce(1),
      text: new Uint8Array(chunk),
      aad: mediaChunkAad(1, true),
    });
    const half = new Uint8Array([...good.bytes.subarray(0, sealedChunk), ...forged]);
    const replacements: [Uint8Array, number][] = [
      [evil.bytes, 0],
      [half, chunk],
      [good.bytes.subarray(0, sealedChunk), chunk],
      [new Uint8Array([...good.bytes, 1]), 2 * chunk],
    ];
    for (const [bytes, left] of replacements) {
      let reads = 0;
      const replaced: MediaReader = () => pieces(reads++ === 0 ? good.bytes : bytes);
      expect(await outcome(replaced, good.media)).toEqual({ fault: 'changed', left });
    }
  });

  test('R49 what its sender itself signed wrongly does not open: another order, an end too early, another key', async () => {
    const good = await seal(someBytes(2 * chunk));
    const { bytes } = good;
    const swapped = new Uint8Array([...bytes.subarray(sealedChunk), ...bytes.subarray(0, sealedChunk)]);
    expect(await outcome(stored(swapped), signedOver(swapped, good))).toEqual({ fault: 'chunk', left: 0 });
    const short = bytes.subarray(0, sealedChunk);
    const shorter = { ...signedOver(short, good), size: chunk };
    expect(await outcome(stored(short), shorter)).toEqual({ fault: 'chunk', left: 0 });
    expect(await outcome(stored(bytes), good.media, keyOf(2))).toEqual({ fault: 'chunk', left: 0 });
    const salted = { ...good.media, salt: (await seal(someBytes(1))).media.salt };
    expect(await outcome(stored(bytes), salted)).toEqual({ fault: 'chunk', left: 0 });
  });

  test('R12 a file of more bytes than are taken is refused while it is read, and has no summary', async () => {
    const options = { roomKey: keyOf(1), randomness, signal, limitBytes: 2 * chunk };
    const whole = sealMedia(pieces(someBytes(2 * chunk)), options);
    expect((await readAll(whole.sealed)).length).toBe(2 * sealedChunk);
    const larger = sealMedia(pieces(someBytes(2 * chunk + 1)), options);
    await expect(readAll(larger.sealed)).rejects.toMatchObject({ code: 'limit-exceeded' });
    expect(() => larger.summary()).toThrow(/not sealed/);
    expect(maxMediaBytes).toBe(2 * 1024 ** 3);
  });

  test('R12 sealing and opening are cancelled at once, and a sealing that was has no summary', async () => {
    const abort = new AbortController();
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield someBytes(2 * chunk);
      await new Promise(() => {});
    }
    const sealing = sealMedia(slow(), { roomKey: keyOf(1), randomness, signal: abort.signal });
    const reading = (async () => {
      for await (const _ of sealing.sealed) abort.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
    expect(() => sealing.summary()).toThrow(/not sealed/);
    const { bytes, media } = await seal(someBytes(10));
    const opening = openMedia(stored(bytes), media, { roomKey: keyOf(1), signal: abort.signal });
    await expect(readAll(opening)).rejects.toMatchObject({ code: 'aborted' });
  });

  test('R48 what is held does not grow with the file: pieces are asked for as they are needed', async () => {
    let asked = 0;
    async function* file(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 20; n++) {
        asked++;
        yield new Uint8Array(chunk);
      }
    }
    const sealing = sealMedia(file(), { roomKey: keyOf(1), randomness, signal });
    let taken = 0;
    for await (const _ of sealing.sealed) {
      taken++;
      expect(asked - taken).toBeLessThanOrEqual(1);
    }
    expect(taken).toBe(20);
  });

  test('R12 an erased room key seals and opens nothing', async () => {
    const key = keyOf(1);
    key.dispose();
    const sealing = sealMedia(pieces(someBytes(10)), { roomKey: key, randomness, signal });
    await expect(readAll(sealing.sealed)).rejects.toMatchObject({ code: 'locked' });
  });
});
