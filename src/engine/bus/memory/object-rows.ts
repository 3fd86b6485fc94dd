/**
 * Where objects lie in the journal, and in which form (protocol.md B5).
 * Law: a name's row is written with the last of its bytes; chunks that no name's row points to stand in a row of their own, until they are gone.
 */
import { fromHex, toHex } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ObjectInfo } from '../durable.ts';
import type { JournalChange, JournalRange } from './journal.ts';
import { decodeU64, encodeU64, journalKey, prefixRange, readJournalKey } from './journal-keys.ts';

const plane = 'object';
const digestBytes = 32;
const manifestBytes = 4 * 8 + digestBytes;

/** An object that is stored: what is told of it, and where its bytes lie. */
export interface Manifest {
  /** Number of the upload; its chunks lie under it. */
  readonly upload: number;
  /** Size of each chunk but the last. */
  readonly chunkBytes: number;
  readonly info: ObjectInfo;
}

/** Chunks of an upload that belong to nothing, or to nothing yet. */
export interface LooseChunks {
  readonly upload: number;
  readonly count: number;
}

/** Rows that name the buckets. */
export const objectBucketRange: JournalRange = prefixRange(plane, 'bucket');
/** Rows of the objects of all buckets. */
export const manifestRange: JournalRange = prefixRange(plane, 'name');
/** Rows of chunks that belong to nothing. */
export const looseRange: JournalRange = prefixRange(plane, 'loose');

function damaged(what: string): VakError {
  return new VakError('corrupt', `objects: the row of ${what} is damaged; restore a backup of the journal's folder`);
}

/** The row that says that there is a bucket. */
export function objectBucketRow(name: string): JournalChange {
  return { key: journalKey(plane, 'bucket', name), value: Uint8Array.of(1) };
}

/** The bucket that a row names. Throws `corrupt`. */
export function readObjectBucketRow(key: Uint8Array): string {
  return readJournalKey(key, ['text', 'text', 'text'])[2];
}

/** The row that makes an object seen; of undefined the one that ends it. */
export function manifestRow(bucket: string, name: string, manifest: Manifest | undefined): JournalChange {
  const key = journalKey(plane, 'name', bucket, name);
  if (manifest === undefined) return { key, value: undefined };
  const { upload, chunkBytes, info } = manifest;
  const value = new Uint8Array(manifestBytes);
  for (const [at, number] of [upload, info.sizeBytes, info.storedMs, chunkBytes].entries()) {
    value.set(encodeU64(number), at * 8);
  }
  value.set(fromHex(info.sha256, 'sha256'), 4 * 8);
  return { key, value };
}

/** The object that a row tells of. Throws `corrupt`. */
export function readManifestRow(key: Uint8Array, value: Uint8Array): Manifest & { readonly bucket: string } {
  const [, , bucket, name] = readJournalKey(key, ['text', 'text', 'text', 'text']);
  if (value.length !== manifestBytes) throw damaged('an object');
  const number = (at: number): number => decodeU64(value, at * 8);
  const info = { name, sizeBytes: number(1), sha256: toHex(value.subarray(4 * 8)), storedMs: number(2) };
  return { bucket, upload: number(0), chunkBytes: number(3), info };
}

/** Where a chunk lies; numbers from 0. */
export function chunkKey(upload: number, chunk: number): Uint8Array {
  return journalKey(plane, 'chunk', upload, chunk);
}

/** How many chunks an object has. */
export function chunkCount({ info, chunkBytes }: Manifest): number {
  return Math.ceil(info.sizeBytes / chunkBytes);
}

/** The row that says that an upload's first `count` chunks belong to nothing; of undefined the one that ends it. */
export function looseRow(upload: number, count: number | undefined): JournalChange {
  return { key: journalKey(plane, 'loose', upload), value: count === undefined ? undefined : encodeU64(count) };
}

/** What such a row says. Throws `corrupt`. */
export function readLooseRow(key: Uint8Array, value: Uint8Array): LooseChunks {
  if (value.length !== 8) throw damaged('loose chunks');
  return { upload: readJournalKey(key, ['text', 'text', 'number'])[2], count: decodeU64(value) };
}
