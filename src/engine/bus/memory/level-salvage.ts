/**
 * Reads a damaged store, or one whose disk is full, without LevelDB: that writes when it opens, and a damaged table ends the process.
 * Law: nothing is changed; only what has its sums is given; of each key the newest that can be read.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { levelFileNumber } from './level-inspection.ts';
import { scanLevelLog } from './level-log.ts';
import { soundEntries } from './level-table.ts';
import { createVarintReader } from './level-varint.ts';
import { type ByteText, bytesOf, byteText, createOrderedMap, type OrderedMap } from './ordered-map.ts';
import type { LevelStore } from './store-journal.ts';

/** Where the newest value of a key is: in a table's file, or (of a log) in memory; undefined: the key was deleted. */
interface Found {
  readonly sequence: number;
  readonly place: { readonly table: string; readonly range: readonly [number, number] } | Uint8Array | undefined;
}

type Finds = OrderedMap<Found>;

const deletion = 0;
const put = 1;
const suffixBytes = 8;
const batchHeaderBytes = 12;
const maxCachedTables = 4;
/** After every stored key: they begin with 0 or 1. */
const afterAll = bytesOf('ÿ');

function keep(finds: Finds, key: ByteText, found: Found): void {
  if ((finds.get(key)?.sequence ?? -1) <= found.sequence) finds.set(key, found);
}

function readTable(finds: Finds, table: string, bytes: Uint8Array): void {
  for (const { key, value } of soundEntries(bytes)) {
    const end = key.length - suffixBytes;
    if (end < 0) continue;
    const suffix = new DataView(key.buffer, key.byteOffset + end, suffixBytes).getBigUint64(0, true);
    const place = Number(suffix & 255n) === deletion ? undefined : { table, range: value };
    keep(finds, byteText(key.subarray(0, end)), { sequence: Number(suffix >> 8n), place });
  }
}

/** The changes of a record of a log, in their order. A record has its sum, so it is read whole. */
function readBatch(finds: Finds, payload: Uint8Array): void {
  if (payload.length < batchHeaderBytes) return;
  let sequence = Number(new DataView(payload.buffer, payload.byteOffset, suffixBytes).getBigUint64(0, true));
  const reader = createVarintReader(payload.subarray(batchHeaderBytes));
  while (!reader.isAtEnd) {
    const kind = reader.number();
    const key = reader.bytes();
    const value = kind === put ? reader.bytes() : undefined;
    if (key === undefined || (kind === put) !== (value !== undefined)) return;
    keep(finds, byteText(key), { sequence, place: value });
    sequence++;
  }
}

/** Finds everything; `tables`: the tables that count, else all. */
async function find(folder: string, tables: readonly number[] | undefined): Promise<Finds> {
  const finds: Finds = createOrderedMap();
  for (const name of await readdir(folder)) {
    const table = levelFileNumber(name, 'ldb');
    if (table !== undefined && (tables?.includes(table) ?? true))
      readTable(finds, name, await readFile(join(folder, name)));
    if (levelFileNumber(name, 'log') === undefined) continue;
    for (const { payload } of scanLevelLog(await readFile(join(folder, name))).records) readBatch(finds, payload);
  }
  return finds;
}

/** Files are read whole, and the few that were read last are kept: a range mostly lies in one. */
function createTableCache(folder: string): (table: string) => Promise<Uint8Array> {
  const cached = new Map<string, Promise<Uint8Array>>();
  return (table) => {
    const bytes = cached.get(table) ?? readFile(join(folder, table));
    cached.delete(table);
    cached.set(table, bytes);
    const [oldest] = cached.keys();
    if (cached.size > maxCachedTables && oldest !== undefined) cached.delete(oldest);
    return bytes;
  };
}

/** Opens what can be read of a store. It stays as it is now: nobody writes to a damaged store. Throws what the file system throws. */
export async function openLevelSalvage(folder: string, tables: readonly number[] | undefined): Promise<LevelStore> {
  const finds = await find(folder, tables);
  const tableBytes = createTableCache(folder);

  async function read({ place }: Found): Promise<Uint8Array | undefined> {
    if (place === undefined) return undefined;
    return new Uint8Array('table' in place ? (await tableBytes(place.table)).subarray(...place.range) : place);
  }

  async function* entries(from: Uint8Array, to: Uint8Array): AsyncGenerator<[Uint8Array, Uint8Array]> {
    for (const { key, value } of finds.view(byteText(from), byteText(to))) {
      const bytes = await read(value);
      if (bytes !== undefined) yield [bytesOf(key), bytes];
    }
  }

  return {
    get: async (key) => {
      const found = finds.get(byteText(key));
      return found && read(found);
    },
    batch: () => Promise.reject(new Error('a salvaged store takes no batch')),
    iterator({ gte = new Uint8Array(0), lt = afterAll }) {
      const range = entries(gte, lt);
      return { [Symbol.asyncIterator]: () => range, close: async () => void (await range.return(undefined)) };
    },
    close: async () => {},
  };
}
