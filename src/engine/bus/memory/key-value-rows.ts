/**
 * Where the values of buckets lie in the journal, and in which form (protocol.md B5).
 * Law: of each kept revision there is a small row for the index and a row with the value, made and ended in one batch.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { JournalChange, JournalRange } from './journal.ts';
import { decodeU64, encodeU64, journalKey, numberRange, prefixRange, readJournalKey } from './journal-keys.ts';

const plane = 'kv';
const headerBytes = 9;
const revisionShape = ['text', 'text', 'text', 'text', 'number'] as const;

/** A kept revision of a key; of a marker the value is empty. */
export interface KeyValueRow {
  readonly revision: number;
  readonly isDeleted: boolean;
  readonly storedMs: number;
  readonly value: Uint8Array;
}

/** Where a revision stands. */
export interface RevisionPlace {
  readonly bucket: string;
  readonly key: string;
  readonly revision: number;
}

/** Rows that name the buckets. */
export const bucketRange: JournalRange = prefixRange(plane, 'bucket');
/** Rows of the index, of all buckets, by bucket, key and revision. */
export const indexRange: JournalRange = prefixRange(plane, 'index');

/** Rows with the values, of all buckets. */
export const valuesRange: JournalRange = prefixRange(plane, 'value');

/** The row that says that there is a bucket. */
export function bucketRow(name: string, history: number): JournalChange {
  return { key: journalKey(plane, 'bucket', name), value: Uint8Array.of(history) };
}

/** What a bucket's row says. Throws `corrupt`. */
export function readBucketRow(key: Uint8Array, value: Uint8Array): { readonly name: string; readonly history: number } {
  const [, , name] = readJournalKey(key, ['text', 'text', 'text']);
  const history = value[0];
  if (history === undefined || value.length !== 1) throw damaged('a bucket');
  return { name, history };
}

/** What an index row says. Throws `corrupt`. */
export function readIndexRow(key: Uint8Array, value: Uint8Array): RevisionPlace & { readonly isDeleted: boolean } {
  const [, , bucket, name, revision] = readJournalKey(key, revisionShape);
  const flag = value[0];
  if (flag === undefined || value.length !== 1) throw damaged('the index of a bucket');
  return { bucket, key: name, revision, isDeleted: flag === 1 };
}

/** What a value's row says of the index. Throws `corrupt`. */
export function readIndexOfValue(key: Uint8Array, row: Uint8Array): RevisionPlace & { readonly isDeleted: boolean } {
  const [, , bucket, name, revision] = readJournalKey(key, revisionShape);
  return { bucket, key: name, revision, isDeleted: readValueRow(key, row).isDeleted };
}

/** The two rows that keep a revision; a copy of the value. `value` undefined: a marker that the key was deleted. */
export function revisionRows(
  { bucket, key, revision }: RevisionPlace,
  value: Uint8Array | undefined,
  storedMs: number,
): readonly JournalChange[] {
  const flag = value === undefined ? 1 : 0;
  const row = new Uint8Array(headerBytes + (value?.length ?? 0));
  row[0] = flag;
  row.set(encodeU64(storedMs), 1);
  if (value !== undefined) row.set(value, headerBytes);
  return [
    { key: journalKey(plane, 'index', bucket, key, revision), value: Uint8Array.of(flag) },
    { key: journalKey(plane, 'value', bucket, key, revision), value: row },
  ];
}

/** What ends a revision. */
export function endRevision({ bucket, key, revision }: RevisionPlace): readonly JournalChange[] {
  return [
    { key: journalKey(plane, 'index', bucket, key, revision), value: undefined },
    { key: journalKey(plane, 'value', bucket, key, revision), value: undefined },
  ];
}

/** Where a revision's value lies. */
export function valueKey({ bucket, key, revision }: RevisionPlace): Uint8Array {
  return journalKey(plane, 'value', bucket, key, revision);
}

/** Values of a key, oldest first, from a revision on. */
export function valueRange({ bucket, key, revision }: RevisionPlace): JournalRange {
  return numberRange(prefixRange(plane, 'value', bucket, key), revision);
}

/** What a value's row says; its value is a view. Throws `corrupt`. */
export function readValueRow(key: Uint8Array, row: Uint8Array): KeyValueRow {
  if (row.length < headerBytes) throw damaged('a value');
  return {
    revision: readJournalKey(key, revisionShape)[4],
    isDeleted: row[0] === 1,
    storedMs: decodeU64(row, 1),
    value: row.subarray(headerBytes),
  };
}

function damaged(what: string): VakError {
  return new VakError('corrupt', `key-value: the row of ${what} is damaged; restore a backup of the journal's folder`);
}
