/**
 * Reads a LevelDB manifest: which tables and logs a store is made of.
 * Law: changes nothing; gives what LevelDB itself will believe, or says that it is damaged.
 */
import { scanLevelLog } from './level-log.ts';
import { createVarintReader, type VarintReader } from './level-varint.ts';

export interface LevelManifest {
  /** Size in bytes of each table by its number. */
  readonly tables: ReadonlyMap<number, number>;
  /** The oldest log that still counts; 0: none was begun yet. */
  readonly logNumber: number;
  readonly previousLogNumber: number;
}

interface Edited {
  /** By level and number: a table may be moved to another level. */
  readonly files: Map<string, readonly [number, number]>;
  logNumber: number | undefined;
  previousLogNumber: number;
}

type ReadField = (reader: VarintReader, edited: Edited) => boolean;

function skipNumber(reader: VarintReader): boolean {
  return reader.number() !== undefined;
}

/** The fields of an edit by their tag; each says whether it was whole. */
const fields: Readonly<Record<number, ReadField>> = {
  1: (reader) => reader.bytes() !== undefined,
  2: (reader, edited) => {
    edited.logNumber = reader.number();
    return edited.logNumber !== undefined;
  },
  3: skipNumber,
  4: skipNumber,
  5: (reader) => reader.number() !== undefined && reader.bytes() !== undefined,
  6: (reader, { files }) => {
    const [level, number] = [reader.number(), reader.number()];
    files.delete(`${level}/${number}`);
    return number !== undefined;
  },
  7: (reader, { files }) => {
    const [level, number, size] = [reader.number(), reader.number(), reader.number()];
    if (number === undefined || size === undefined) return false;
    files.set(`${level}/${number}`, [number, size]);
    return reader.bytes() !== undefined && reader.bytes() !== undefined;
  },
  9: (reader, edited) => {
    edited.previousLogNumber = reader.number() ?? -1;
    return edited.previousLogNumber >= 0;
  },
};

/** The state that a manifest describes; undefined if it is damaged. A last edit that a crash cut short does not count. */
export function readLevelManifest(bytes: Uint8Array): LevelManifest | undefined {
  const scan = scanLevelLog(bytes);
  if (scan.damagedAt !== undefined) return undefined;
  const edited: Edited = { files: new Map(), logNumber: undefined, previousLogNumber: 0 };
  for (const { payload } of scan.records) {
    const reader = createVarintReader(payload);
    while (!reader.isAtEnd) {
      const read = fields[reader.number() ?? -1];
      if (read === undefined || !read(reader, edited)) return undefined;
    }
  }
  const { files, logNumber, previousLogNumber } = edited;
  if (logNumber === undefined) return undefined;
  return { tables: new Map(files.values()), logNumber, previousLogNumber };
}
