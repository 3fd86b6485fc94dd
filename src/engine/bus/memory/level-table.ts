/**
 * Checks a LevelDB table (an .ldb file) byte for byte, and reads one that LevelDB must not see: as it is built here it verifies no
 * block that it reads, and ends the process on an order of keys that it did not expect.
 * Law: a table passes only if every block of it has its sum and nothing lies between the blocks; what is read comes from sound ones.
 */
import { maskedCrc32c } from './crc32c.ts';
import { createVarintReader } from './level-varint.ts';

const footerBytes = 48;
const trailerBytes = 5;
const magic = Uint8Array.of(0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb);

/** A block without its trailer. */
type Block = readonly [start: number, end: number];

/** Whether a block is there, uncompressed (as the journal writes them) and with its sum. */
function isSound(bytes: Uint8Array, [start, end]: Block): boolean {
  if (start > end || end + trailerBytes > bytes.length || bytes[end] !== 0) return false;
  const stored = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(end + 1, true);
  return maskedCrc32c(bytes, [start, end + 1]) === stored;
}

function readBlock(handle: { number(): number | undefined }): Block | undefined {
  const [offset, size] = [handle.number(), handle.number()];
  return offset === undefined || size === undefined ? undefined : [offset, offset + size];
}

/** Where the data blocks lie, from the index block; undefined if it does not parse. */
function dataBlocks(index: Uint8Array): readonly Block[] | undefined {
  if (index.length < 4) return undefined;
  const restarts = new DataView(index.buffer, index.byteOffset, index.byteLength).getUint32(index.length - 4, true);
  const entriesEnd = index.length - 4 - 4 * restarts;
  if (entriesEnd < 0) return undefined;
  const reader = createVarintReader(index.subarray(0, entriesEnd));
  const blocks: Block[] = [];
  while (!reader.isAtEnd) {
    const [, unshared, length] = [reader.number(), reader.number(), reader.number()];
    const value = reader.take(unshared) && reader.take(length);
    const block = value && readBlock(createVarintReader(value));
    if (block === undefined) return undefined;
    blocks.push(block);
  }
  return blocks;
}

/** What the foot of a table says of it; undefined if foot, index or meta index are damaged. */
function readLayout(bytes: Uint8Array): { readonly blocks: readonly Block[]; readonly meta: Block } | undefined {
  const footer = bytes.length - footerBytes;
  if (footer < 0 || !magic.every((byte, at) => bytes[bytes.length - 8 + at] === byte)) return undefined;
  const handles = createVarintReader(bytes.subarray(footer));
  const [meta, index] = [readBlock(handles), readBlock(handles)];
  if (meta === undefined || index === undefined || index[0] !== meta[1] + trailerBytes) return undefined;
  if (index[1] + trailerBytes !== footer || !isSound(bytes, meta) || !isSound(bytes, index)) return undefined;
  const blocks = dataBlocks(bytes.subarray(index[0], index[1]));
  return blocks && { blocks, meta };
}

/** Whether the bytes are a whole and undamaged table. */
export function isSoundTable(bytes: Uint8Array): boolean {
  const layout = readLayout(bytes);
  if (layout === undefined) return false;
  let at = 0;
  for (const block of layout.blocks) {
    if (block[0] !== at || !isSound(bytes, block)) return false;
    at = block[1] + trailerBytes;
  }
  // Between the data and the meta index lies the filter block, which has no other entry.
  const { meta } = layout;
  return at === meta[0] || (at < meta[0] && isSound(bytes, [at, meta[0] - trailerBytes]));
}

/** An entry of a table: LevelDB's key (with sequence number and kind at its end), and where the value lies in the file. */
export interface TableEntry {
  readonly key: Uint8Array;
  readonly value: readonly [start: number, end: number];
}

/** Keys are stored without what they share with the one before. */
function* blockEntries(bytes: Uint8Array, [start, end]: Block): Generator<TableEntry> {
  const restarts = end - start < 4 ? -1 : new DataView(bytes.buffer, bytes.byteOffset + end - 4, 4).getUint32(0, true);
  const length = end - start - 4 - 4 * restarts;
  if (restarts < 0 || length < 0) return;
  const reader = createVarintReader(bytes.subarray(start, start + length));
  let key: Uint8Array = new Uint8Array(0);
  while (!reader.isAtEnd) {
    const [shared, unshared, valueLength] = [reader.number(), reader.number(), reader.number()];
    const rest = reader.take(unshared);
    const value = reader.take(valueLength);
    if (shared === undefined || shared > key.length || rest === undefined || value === undefined) return;
    key = Buffer.concat([key.subarray(0, shared), rest]);
    const valueEnd = start + reader.position;
    yield { key, value: [valueEnd - value.length, valueEnd] };
  }
}

/** The entries of the blocks that are sound; of a table whose index is damaged there are none. */
export function* soundEntries(bytes: Uint8Array): Generator<TableEntry> {
  for (const block of readLayout(bytes)?.blocks ?? []) if (isSound(bytes, block)) yield* blockEntries(bytes, block);
}
