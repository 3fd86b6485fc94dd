/**
 * Seals an attachment chunk by chunk (protocol.md R12).
 * Law: each file has a salt, and so a key, of its own, and is sealed once; what is held is two chunks of it.
 */
import { createHash } from 'node:crypto';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Attachment } from '../../shared/protocol/room-content.ts';
import { maxMediaBytes, mediaChunkAad, mediaChunkBytes } from '../../shared/protocol/room-media.ts';
import { cutIntoChunks } from '../bus/object-chunks.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import type { Secret } from '../identity/secret.ts';
import type { Randomness } from '../ports/randomness.ts';
import { countedNonce } from './counted-nonce.ts';
import { deriveMediaKey } from './room-keys.ts';

const saltBytes = 32;

/** What a message says of the sealed file. */
export type MediaSummary = Pick<Attachment, 'size' | 'sha256' | 'salt'>;

export interface MediaSealing {
  /** The sealed bytes, to be stored; they can be read once. Throws `aborted`, `limit-exceeded`, `locked`, and what the file's reader throws. */
  readonly sealed: AsyncIterable<Uint8Array>;
  /** What to say of it, once `sealed` has been read to its end; before that it is a bug to ask. */
  summary(): MediaSummary;
}

export interface MediaSealingOptions {
  readonly roomKey: Secret;
  readonly randomness: Randomness;
  /** Largest file that is taken; 2 GiB if nothing is said. */
  readonly limitBytes?: number;
  readonly signal: AbortSignal;
}

/** Each chunk with whether it is the last; one that is empty, of nothing. */
async function* markLast(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ chunk: Uint8Array; isLast: boolean }> {
  let held: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) yield { chunk: held, isLast: false };
    held = chunk;
  }
  yield { chunk: held ?? new Uint8Array(0), isLast: true };
}

function refuseLarger(limitBytes: number): never {
  const mib = Math.floor(limitBytes / 2 ** 20);
  throw new VakError('limit-exceeded', `attachment: the file is larger than ${mib} MiB; send it in parts`);
}

/** Seals a file under a key of its own, derived of the room's when the first byte is asked for. */
export function sealMedia(file: AsyncIterable<Uint8Array>, options: MediaSealingOptions): MediaSealing {
  const { limitBytes = maxMediaBytes } = options;
  const salt = toBase64Url(options.randomness.bytes(saltBytes));
  let summary: MediaSummary | undefined;

  async function* seal(): AsyncGenerator<Uint8Array, void> {
    const key = deriveMediaKey(options.roomKey, salt);
    const digest = createHash('sha256');
    let size = 0;
    let index = 0;
    try {
      for await (const { chunk, isLast } of markLast(cutIntoChunks(file, mediaChunkBytes, options.signal))) {
        size += chunk.length;
        if (size > limitBytes) refuseLarger(limitBytes);
        const sealed = runtimePrimitives.chacha20Poly1305.seal({
          key: key.reveal(),
          nonce: countedNonce(index),
          text: chunk,
          aad: mediaChunkAad(index, isLast),
        });
        index++;
        digest.update(sealed);
        yield sealed;
      }
      summary = { size, sha256: digest.digest('hex'), salt };
    } finally {
      key.dispose();
    }
  }

  return {
    sealed: seal(),
    summary() {
      if (summary === undefined) throw new Error('the attachment was not sealed to its end');
      return summary;
    },
  };
}
