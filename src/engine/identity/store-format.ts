/**
 * The key store's file: one line of JSON (the header), then the sealed body, to the end.
 * Law: the header's exact bytes are the body's associated data, so no slot, version or id of it can be changed or swapped.
 */
import { z } from 'zod';
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { base64Of } from './base64-field.ts';
import { sealOverheadBytes } from './body-cipher.ts';
import { keychainSlot } from './keychain-slot.ts';
import { passphraseSlot } from './passphrase-slot.ts';

/** The store itself, and a backup of one. */
export type StoreFormat = 'vak-keys' | 'vak-backup';

/** The version that is written, and the only one that is read. */
export const storeVersion = 1;
/** A larger file is none of ours. */
export const maxStoreBytes = 16 * 1024 * 1024;
const maxHeaderBytes = 32 * 1024;
const lineFeed = 0x0a;

const header = z.strictObject({
  format: z.enum(['vak-keys', 'vak-backup']),
  version: z.literal(storeVersion),
  /** Random; two stores never share it. */
  id: base64Of(16),
  /** Name of the platform's keychain when the slots were last settled (`VaultBackend.name`). */
  backend: z.string().regex(/^[\w.-]{1,64}$/),
  slots: z
    .array(z.discriminatedUnion('kind', [passphraseSlot, keychainSlot]))
    .min(1)
    .max(2)
    .refine((slots) => new Set(slots.map(({ kind }) => kind)).size === slots.length, { error: 'a kind twice' }),
});
export type StoreHeader = z.infer<typeof header>;
export type StoreSlot = StoreHeader['slots'][number];

/** A file whose header is sound; its body may still not open. */
export interface ParsedStoreFile {
  readonly header: StoreHeader;
  /** The header's exact bytes with its line feed: associated data of the body. */
  readonly headerBytes: Uint8Array;
  readonly sealed: Uint8Array;
}

/** The header as it is written. */
export function formatHeader(value: StoreHeader): Uint8Array {
  return utf8(`${JSON.stringify(value)}\n`);
}

/** The slot of a kind, if there is one. */
export function slotOf<K extends StoreSlot['kind']>(
  { slots }: StoreHeader,
  kind: K,
): Extract<StoreSlot, { kind: K }> | undefined {
  return slots.find((slot): slot is Extract<StoreSlot, { kind: K }> => slot.kind === kind);
}

/** What a slot's own seal is bound to. */
export function slotLabel({ format, version, id }: Pick<StoreHeader, 'format' | 'version' | 'id'>): string {
  return `${format}|${version}|${id}`;
}

const corrupt = (why: string): VakError => new VakError('corrupt', `key store: ${why}`);

function parseHeaderJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(toTextStrict(bytes, 'header'));
  } catch {
    // A parser's message quotes the text: it stays out.
    throw corrupt(`its header is no JSON (${bytes.length} bytes)`);
  }
}

function refuseNewerVersion(value: unknown, format: StoreFormat): void {
  const seen = z.object({ format: z.literal(format), version: z.int().gt(storeVersion) }).safeParse(value);
  if (seen.success) {
    throw new VakError('unsupported', `key store: version ${seen.data.version} was written by a newer program`);
  }
}

/** Splits and checks a file. Throws `corrupt`, or `unsupported` for a later version's. Derives and decrypts nothing. */
export function parseStoreFile(bytes: Uint8Array, format: StoreFormat): ParsedStoreFile {
  if (bytes.length > maxStoreBytes) throw corrupt(`larger than ${maxStoreBytes} bytes`);
  const end = bytes.subarray(0, maxHeaderBytes).indexOf(lineFeed);
  if (end < 0) throw corrupt(`it has no header (${bytes.length} bytes)`);
  const value = parseHeaderJson(bytes.subarray(0, end));
  refuseNewerVersion(value, format);
  const parsed = header.safeParse(value);
  if (!parsed.success) throw corrupt(`header: ${firstIssue(parsed.error)}`);
  if (parsed.data.format !== format) throw corrupt(`it is a ${parsed.data.format} file, not ${format}`);
  const sealed = bytes.subarray(end + 1);
  if (sealed.length < sealOverheadBytes) throw corrupt(`its body is cut off (${sealed.length} bytes)`);
  return { header: parsed.data, headerBytes: bytes.subarray(0, end + 1), sealed };
}
