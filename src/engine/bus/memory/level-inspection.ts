/**
 * Looks a LevelDB folder over before it is opened: opening a damaged one would drop what is damaged and delete the rest.
 * Law: changes nothing; every byte that counts has been checked when it says `sound`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../identity/file-error.ts';
import { type LogRecord, scanLevelLog } from './level-log.ts';
import { type LevelManifest, readLevelManifest } from './level-manifest.ts';
import { isSoundTable } from './level-table.ts';

/** `file`: the first one that is damaged or lost. `tables`: numbers of the tables that count, if the manifest could be read. */
export type LevelInspection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'sound'; readonly tables: readonly number[] }
  | { readonly kind: 'damaged'; readonly file: string; readonly tables?: readonly number[] };

/** The file by which the journal remembers damage that it met while it ran. */
export const damageMarker = 'DAMAGED';

/** Names of LevelDB's numbered files. */
export function levelFileNumber(name: string, ending: string): number | undefined {
  const match = /^(\d{6,15})\.([a-z]+)$/.exec(name);
  return match !== null && match[2] === ending ? Number(match[1]) : undefined;
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function damaged(file: string): LevelInspection {
  return { kind: 'damaged', file };
}

/** Without CURRENT: nothing yet, or a creation that was killed before anything could be written; else it was lost. */
function inspectHeadless(names: readonly string[]): LevelInspection {
  const isLost = names.some((name) => /^\d+\.(?:ldb|log)$|^MANIFEST-(?!000001$)|^DAMAGED$/.test(name));
  return isLost ? damaged('CURRENT') : { kind: 'absent' };
}

const sequenceOf = (payload: Uint8Array): bigint =>
  new DataView(payload.buffer, payload.byteOffset, payload.byteLength).getBigUint64(0, true);

/** The sequence number after a batch: each begins with its own and with how many changes it has. */
function sequenceAfter(payload: Uint8Array): bigint {
  const count = new DataView(payload.buffer, payload.byteOffset, payload.byteLength).getUint32(8, true);
  return sequenceOf(payload) + BigInt(count);
}

const batchHeaderBytes = 12;

function isLaterBatch(payload: Uint8Array, before: Uint8Array | undefined): boolean {
  if (payload.length < batchHeaderBytes) return false;
  const ahead = before === undefined ? sequenceOf(payload) : sequenceOf(payload) - sequenceAfter(before);
  return ahead >= 0n && (before === undefined || ahead < 1_000_000n);
}

/** Whether batches follow each other without a gap; `next`: the number that the first one must have. */
function followOn(records: readonly LogRecord[], next: bigint | undefined): bigint | 'broken' | undefined {
  let expected = next;
  for (const { payload } of records) {
    if (payload.length < batchHeaderBytes) return 'broken';
    if (expected !== undefined && sequenceOf(payload) !== expected) return 'broken';
    expected = sequenceAfter(payload);
  }
  return expected;
}

/** The name of the first damaged log; a torn one may have none with content after it. */
async function damagedLog(
  folder: string,
  names: readonly string[],
  manifest: LevelManifest,
): Promise<string | undefined> {
  const { logNumber, previousLogNumber } = manifest;
  const logs = names
    .map((name) => ({ name, number: levelFileNumber(name, 'log') ?? -1 }))
    .filter(({ number }) => number >= 0 && (number >= logNumber || number === previousLogNumber))
    .sort((a, b) => a.number - b.number);
  const isThere = logNumber === 0 || logs.some(({ number }) => number === logNumber);
  if (!isThere) return `${String(logNumber).padStart(6, '0')}.log`;

  let next: bigint | undefined;
  let torn: string | undefined;
  for (const { name } of logs) {
    const bytes = await readIfThere(join(folder, name));
    if (bytes === undefined) return name;
    const scan = scanLevelLog(bytes, isLaterBatch);
    if (torn !== undefined && scan.records.length > 0) return torn;
    const after = followOn(scan.records, next);
    if (scan.damagedAt !== undefined || after === 'broken') return name;
    next = after;
    if (scan.isTorn) torn = name;
  }
  return undefined;
}

/** The name of the first table that is missing or damaged. */
async function damagedTable(folder: string, { tables }: LevelManifest): Promise<string | undefined> {
  for (const [number, size] of tables) {
    const name = `${String(number).padStart(6, '0')}.ldb`;
    const bytes = await readIfThere(join(folder, name));
    if (bytes === undefined || bytes.length !== size || !isSoundTable(bytes)) return name;
  }
  return undefined;
}

/** Looks over a store that nobody has open. Throws what the file system throws. */
export async function inspectLevelFolder(folder: string): Promise<LevelInspection> {
  const names = await readdir(folder);
  const current = await readIfThere(join(folder, 'CURRENT'));
  if (current === undefined) return inspectHeadless(names);
  const [, manifestName] = /^(MANIFEST-\d{6,15})\n$/.exec(Buffer.from(current).toString('latin1')) ?? [];
  if (manifestName === undefined) return damaged('CURRENT');
  const bytes = await readIfThere(join(folder, manifestName));
  const manifest = bytes && readLevelManifest(bytes);
  if (manifest === undefined) return damaged(manifestName);

  const tables = [...manifest.tables.keys()];
  const file = names.includes(damageMarker)
    ? damageMarker
    : ((await damagedTable(folder, manifest)) ?? (await damagedLog(folder, names, manifest)));
  return file === undefined ? { kind: 'sound', tables } : { kind: 'damaged', file, tables };
}
