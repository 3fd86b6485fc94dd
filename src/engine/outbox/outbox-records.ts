/**
 * What the outbox keeps in its journal, as keys and bytes (protocol.md B8, E12).
 * Law: keys of one kind sort by the number of the put, so that reading them back gives the order of the puts; what does not fit
 * its schema is `corrupt` and never guessed at.
 */
import { z } from 'zod';
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { errorCodes, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import type { JournalRange } from '../bus/memory/journal.ts';
import { journalKey, prefixRange, readJournalKey } from '../bus/memory/journal-keys.ts';

/** `entry`: what waits · `mark`: when it was sent first · `refused`: whose void record is owed · `head`: ends of chains. */
export type OutboxRecordKind = 'entry' | 'mark' | 'refused' | 'head';

const leaf = z.string().regex(/^[0-9a-f]{64}$/);
const place = {
  source: z.string().min(1).max(512),
  seq: z.int().min(0),
  leaf,
};
const head = z.strictObject(place);
const entry = z.strictObject({
  v: z.literal(1),
  subject: z.string().min(1).max(512),
  messageId: z.string().min(1).max(256),
  ...place,
  putMs: z.number(),
  /** Only of a conditional publish whose outcome is not known: it is looked up, never sent. */
  expectedLastSeq: z.int().min(0).optional(),
});
const refusal = z.strictObject({
  v: z.literal(1),
  subject: z.string(),
  messageId: z.string(),
  ...place,
  code: z.enum(errorCodes),
  message: z.string(),
  refusedMs: z.number(),
});
const mark = z.strictObject({ sentMs: z.number() });

/** What is known of an entry besides its bytes. Times in ms since the epoch. */
export type EntryRecord = z.infer<typeof entry>;
/** What was refused for good, until its void record is kept (E12). */
export type RefusalRecord = z.infer<typeof refusal>;

/** The key of a put's record. */
export function numberKey(kind: Exclude<OutboxRecordKind, 'head'>, number: number): Uint8Array {
  return journalKey(`outbox-${kind}`, number);
}

/** The key of a peer's head of a kind. */
export function headKey(name: string): Uint8Array {
  return journalKey('outbox-head', name);
}

/** Every key of a kind. */
export function rangeOf(kind: OutboxRecordKind): JournalRange {
  return prefixRange(`outbox-${kind}`);
}

/** The number of a put's key. Throws `corrupt`. */
export function numberOfKey(key: Uint8Array): number {
  return readJournalKey(key, ['text', 'number'])[1];
}

/** The name of a head's key. Throws `corrupt`. */
export function nameOfKey(key: Uint8Array): string {
  return readJournalKey(key, ['text', 'text'])[1];
}

function refuseRecord(kind: OutboxRecordKind, cause?: unknown): never {
  const message = `outbox: a record of kind ${kind} is damaged; it is left where it is, and not sent`;
  throw new VakError('corrupt', message, { cause, details: { kind } });
}

function read<T>(kind: OutboxRecordKind, schema: z.ZodType<T>, bytes: Uint8Array): T {
  let value: unknown;
  try {
    value = JSON.parse(toTextStrict(bytes, kind));
  } catch (error) {
    if (!(error instanceof SyntaxError || isVakError(error))) throw error;
    return refuseRecord(kind, error);
  }
  const result = schema.safeParse(value);
  return result.success ? result.data : refuseRecord(kind, result.error);
}

const write = (value: unknown): Uint8Array => utf8(JSON.stringify(value));

/** u32be length of the record's JSON, the JSON, the message. */
export function writeEntry(record: EntryRecord, data: Uint8Array): Uint8Array {
  const json = write(record);
  const out = new Uint8Array(4 + json.length + data.length);
  new DataView(out.buffer).setUint32(0, json.length);
  out.set(json, 4);
  out.set(data, 4 + json.length);
  return out;
}

/** A kept entry with its message. Throws `corrupt`. */
export function readEntry(bytes: Uint8Array): { readonly record: EntryRecord; readonly data: Uint8Array } {
  if (bytes.length < 4) return refuseRecord('entry');
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  if (length > bytes.length - 4) return refuseRecord('entry');
  return { record: read('entry', entry, bytes.subarray(4, 4 + length)), data: bytes.subarray(4 + length) };
}

export const writeMark = (sentMs: number): Uint8Array => write({ sentMs });
export const readMark = (bytes: Uint8Array): number => read('mark', mark, bytes).sentMs;
export const writeRefusal = (record: RefusalRecord): Uint8Array => write(record);
export const readRefusal = (bytes: Uint8Array): RefusalRecord => read('refused', refusal, bytes);
export const writeHead = (value: ChainHead): Uint8Array => write(value);
export const readHead = (bytes: Uint8Array): ChainHead => read('head', head, bytes);

/** Under which name a source's head is kept: peer and kind; undefined for a source that is none of ours. */
export function headNameOf(source: string): string | undefined {
  const parts = parseSource(source);
  const kind = parts === undefined ? undefined : /-([eqd])$/.exec(parts.session)?.[1];
  return parts === undefined || kind === undefined ? undefined : headName(parts.peer, kind as ChainKind);
}

/** The name of a peer's head of a kind. */
export function headName(peer: string, kind: ChainKind): string {
  return `${peer}.${kind}`;
}
