/**
 * A whole key-store file from its parts, and back.
 * Law: what is sealed is opened once before it leaves, so that nothing is written that cannot be read.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import { openBytes, sealBytes } from './body-cipher.ts';
import { decodeBody, encodeBody, type StoreBody } from './contents-codec.ts';
import { formatHeader, maxStoreBytes, type ParsedStoreFile, parseStoreFile, type StoreHeader } from './store-format.ts';

/** What a file is sealed from. */
export interface StoreParts {
  readonly header: StoreHeader;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  readonly body: StoreBody;
  readonly randomness: Randomness;
}

/** The file's bytes. Throws `limit-exceeded` if they are more than a store may have. */
export function sealStore({ header, masterKey, body, randomness }: StoreParts): Uint8Array {
  const bound = formatHeader(header);
  const plain = encodeBody(body);
  try {
    const sealed = sealBytes(plain, randomness, { key: masterKey, bound });
    const size = bound.length + sealed.length;
    if (size > maxStoreBytes) {
      throw new VakError('limit-exceeded', `key store: ${size} bytes, ${maxStoreBytes} is the limit`);
    }
    const bytes = new Uint8Array(size);
    bytes.set(bound);
    bytes.set(sealed, bound.length);
    if (openStore(parseStoreFile(bytes, header.format), masterKey)?.revision !== body.revision) {
      throw new Error('a key store that was just sealed does not open');
    }
    return bytes;
  } finally {
    plain.fill(0);
  }
}

/** The body; undefined if this key does not open it or a byte was changed. Throws `corrupt` for a body that is not one. */
export function openStore(file: ParsedStoreFile, masterKey: Uint8Array): StoreBody | undefined {
  const plain = openBytes(file.sealed, { key: masterKey, bound: file.headerBytes });
  if (plain === undefined) return undefined;
  try {
    return decodeBody(plain);
  } finally {
    plain.fill(0);
  }
}
