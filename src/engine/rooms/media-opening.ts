/**
 * Verifies and opens an attachment (protocol.md R12; docs/spec/rooms.md R48, R49).
 * Law: no byte of a file leaves before the whole sealed object had the size and the hash that its sender signed, and then only bytes
 * that are the same as those which had them.
 */
import { createHash } from 'node:crypto';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Attachment } from '../../shared/protocol/room-content.ts';
import {
  mediaChunkAad,
  mediaChunkBytes,
  mediaChunkCount,
  mediaTagBytes,
  sealedMediaBytes,
} from '../../shared/protocol/room-media.ts';
import { cutIntoChunks } from '../bus/object-chunks.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import type { Secret } from '../identity/secret.ts';
import { countedNonce } from './counted-nonce.ts';
import { deriveMediaKey } from './room-keys.ts';

/**
 * What is wrong with an object: `size` and `hash`, it is not the one that the message names (cut off, added to, changed, replaced);
 * `changed`, it was replaced while it was read; `chunk`, it is what its sender signed, and yet nothing that opens.
 */
export type MediaFault = 'size' | 'hash' | 'changed' | 'chunk';

const hashBytes = 32;
const sealedChunkBytes = mediaChunkBytes + mediaTagBytes;

const words: Readonly<Record<MediaFault, string>> = {
  size: 'its stored bytes are not as many as the message says: it was cut off, added to or replaced',
  hash: 'its stored bytes are not those that the message names: they were changed or replaced',
  changed: 'its stored bytes were replaced while they were read; try again',
  chunk: 'it is stored as its sender signed it, and does not open: it was sealed wrongly; ask for it again',
};

function refuse(fault: MediaFault): never {
  const options = { retryable: fault === 'changed', details: { fault } };
  throw new VakError('corrupt', `attachment: ${words[fault]}`, options);
}

/** Reads the stored, sealed bytes from their beginning. It is called twice. */
export type MediaReader = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** Which sealed bytes are expected. */
export type ExpectedMedia = Pick<Attachment, 'size' | 'sha256' | 'salt'>;

/** Sealed chunks by their number. Throws `corrupt` with the fault given as soon as there are too many bytes, and at the end if too few. */
async function* sealedChunks(
  read: MediaReader,
  { size, otherwise }: { readonly size: number; readonly otherwise: MediaFault },
  signal: AbortSignal,
): AsyncGenerator<{ chunk: Uint8Array; index: number }, void> {
  const expected = sealedMediaBytes(size);
  let seen = 0;
  let index = 0;
  for await (const chunk of cutIntoChunks(read(signal), sealedChunkBytes, signal)) {
    seen += chunk.length;
    if (seen > expected) refuse(otherwise);
    yield { chunk, index };
    index++;
  }
  if (seen !== expected) refuse(otherwise);
}

const digestOf = (chunk: Uint8Array): Uint8Array => runtimePrimitives.sha256(chunk);

/** Reads the whole object; the hash of each of its chunks, so that they are known again: 32 bytes for each 64 KiB. */
async function verifyWhole(read: MediaReader, media: ExpectedMedia, signal: AbortSignal): Promise<Uint8Array> {
  const digests = new Uint8Array(mediaChunkCount(media.size) * hashBytes);
  const whole = createHash('sha256');
  for await (const { chunk, index } of sealedChunks(read, { size: media.size, otherwise: 'size' }, signal)) {
    whole.update(chunk);
    digests.set(digestOf(chunk), index * hashBytes);
  }
  if (whole.digest('hex') !== media.sha256) refuse('hash');
  return digests;
}

function openChunk(
  key: Secret,
  chunk: Uint8Array,
  at: { readonly index: number; readonly isLast: boolean },
): Uint8Array {
  const { index, isLast } = at;
  const input = { key: key.reveal(), nonce: countedNonce(index), aad: mediaChunkAad(index, isLast), text: chunk };
  try {
    return runtimePrimitives.chacha20Poly1305.open(input);
  } catch {
    return refuse('chunk');
  }
}

function isKnown(digests: Uint8Array, chunk: Uint8Array, index: number): boolean {
  return Buffer.compare(digests.subarray(index * hashBytes, (index + 1) * hashBytes), digestOf(chunk)) === 0;
}

/**
 * The file's bytes. The object is read twice: to verify it, and to open it. At most 1 MiB and two chunks are held, whatever its size.
 * Throws `corrupt` (`details.fault`: {@link MediaFault}), `aborted`, `locked`, and what the reader throws; after `changed` and `chunk`
 * whoever has saved the bytes that came throws them away.
 */
export async function* openMedia(
  read: MediaReader,
  media: ExpectedMedia,
  { roomKey, signal }: { readonly roomKey: Secret; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  const key = deriveMediaKey(roomKey, media.salt);
  try {
    const digests = await verifyWhole(read, media, signal);
    const last = mediaChunkCount(media.size) - 1;
    for await (const { chunk, index } of sealedChunks(read, { size: media.size, otherwise: 'changed' }, signal)) {
      if (!isKnown(digests, chunk, index)) refuse('changed');
      yield openChunk(key, chunk, { index, isLast: index === last });
    }
  } finally {
    key.dispose();
  }
}
