/**
 * What an object store of JetStream says of an object (protocol.md B5), laid out as its clients do:
 * stream `OBJ_<bucket>`, chunks on `$O.<bucket>.C.<id>`, one description on `$O.<bucket>.M.<name in base64url>`.
 * Law: a description is hostile until its shape was checked.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ObjectInfo } from '../durable.ts';
import { type JsonRecord, numberIn, parseRecord, textIn } from './nats-jetstream-api.ts';

export interface ObjectMeta {
  readonly info: ObjectInfo;
  /** Of its chunks. */
  readonly id: string;
  readonly chunkCount: number;
  readonly isDeleted: boolean;
  /** Number of the description in the stream. */
  readonly seq: number;
}

const digestForm = /^SHA-256=([A-Za-z0-9_-]{43})=?$/;
const idForm = /^[A-Za-z0-9_-]{1,64}$/;
const maxNameBytes = 180;
const nanosPerMs = 1_000_000;

/** Checks a name of an object: 1–180 bytes of UTF-8. */
export function checkObjectName(name: string): string {
  const bytes = Buffer.byteLength(name, 'utf8');
  if (bytes >= 1 && bytes <= maxNameBytes && !/\p{Surrogate}/u.test(name)) return name;
  throw new VakError('invalid-input', `name: expected 1–${maxNameBytes} bytes of UTF-8, got ${bytes}`, {
    details: { field: 'name' },
  });
}

/** Base64url with padding, as the clients of JetStream write it. */
const padded = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

export const chunkSubject = (bucket: string, id: string): string => `$O.${bucket}.C.${id}`;
export const metaSubject = (bucket: string, name: string): string =>
  `$O.${bucket}.M.${padded(Buffer.from(name, 'utf8'))}`;

export function objectsConfig(name: string): JsonRecord {
  return {
    name: `OBJ_${name}`,
    subjects: [`$O.${name}.C.>`, `$O.${name}.M.>`],
    retention: 'limits',
    storage: 'file',
    discard: 'new',
    max_age: 0,
    max_bytes: -1,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    max_consumers: -1,
    duplicate_window: 120_000 * nanosPerMs,
    allow_rollup_hdrs: true,
    allow_direct: true,
    deny_delete: false,
    deny_purge: false,
  };
}

/** The description as it is stored. `sha256` is hex. */
export function encodeMeta(
  bucket: string,
  meta: Omit<ObjectMeta, 'seq'> & { readonly chunkBytes: number },
): Uint8Array {
  const { info, id, chunkCount, isDeleted, chunkBytes } = meta;
  return new TextEncoder().encode(
    JSON.stringify({
      name: info.name,
      options: { max_chunk_size: chunkBytes },
      bucket,
      nuid: id,
      size: info.sizeBytes,
      mtime: new Date(info.storedMs).toISOString(),
      chunks: chunkCount,
      digest: isDeleted ? '' : `SHA-256=${padded(Buffer.from(info.sha256, 'hex'))}`,
      deleted: isDeleted,
    }),
  );
}

/** Reads a description; throws `corrupt`, or `unsupported` for a link to another object. */
export function decodeMeta(
  data: Uint8Array,
  { seq, storedMs, where }: { readonly seq: number; readonly storedMs: number; readonly where: string },
): ObjectMeta {
  const meta = parseRecord(data, where);
  const id = textIn(meta, 'nuid');
  const isDeleted = meta['deleted'] === true;
  const options = meta['options'];
  if (typeof options === 'object' && options !== null && 'link' in options && options.link !== null) {
    throw new VakError('unsupported', `${where}: it is a link to another object; read that one`);
  }
  const digest = digestForm.exec(textIn(meta, 'digest'))?.[1];
  const sizeBytes = numberIn(meta, 'size');
  const chunkCount = numberIn(meta, 'chunks');
  const name = textIn(meta, 'name');
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (!idForm.test(id) || !isCount(sizeBytes) || !isCount(chunkCount) || name === '') {
    throw new VakError('corrupt', `${where}: the description of an object does not have its form`);
  }
  if (digest === undefined && !isDeleted) {
    throw new VakError('corrupt', `${where}: the description of an object has no SHA-256 digest`);
  }
  const sha256 = digest === undefined ? '' : Buffer.from(digest, 'base64url').toString('hex');
  return { info: { name, sizeBytes, sha256, storedMs }, id, chunkCount, isDeleted, seq };
}
