/**
 * Reads the record format of LevelDB's logs and manifests: blocks of 32 KiB, records with a CRC-32C.
 * Law: a tail that a crash leaves (cut short, or never filled) is told from damage, which LevelDB itself drops without a word.
 */
import { maskedCrc32c } from './crc32c.ts';

const blockBytes = 32 * 1024;
const headerBytes = 7;
const sectorBytes = 512;
/** Fewer zeros at the end of a file than this may as well be content. */
const minZeros = 16;
/** Types of a piece: a whole record, its first, its last one; 3: between them. */
const full = 1;
const first = 2;
const last = 4;

export interface LogRecord {
  /** Where its first header begins, and where it ends. */
  readonly start: number;
  readonly end: number;
  readonly payload: Uint8Array;
}

/** The whole records before the first fault. `torn`: nothing acknowledged can be in the rest; `damagedAt`: there may be. */
export interface LogScan {
  readonly records: readonly LogRecord[];
  readonly isTorn: boolean;
  readonly damagedAt: number | undefined;
}

interface Piece {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

function blockEnd(at: number): number {
  return at - (at % blockBytes) + blockBytes;
}

/** The piece at a place, if a whole one with a fitting sum is there. */
function pieceAt(bytes: Uint8Array, start: number): Piece | undefined {
  if (start + headerBytes > bytes.length) return undefined;
  const type = bytes[start + 6] as number;
  const end = start + headerBytes + ((bytes[start + 4] as number) | ((bytes[start + 5] as number) << 8));
  if (type < full || type > last || end > bytes.length || end > blockEnd(start)) return undefined;
  return fits(bytes, start, end) ? { type, start, end } : undefined;
}

function fits(bytes: Uint8Array, start: number, end: number): boolean {
  const stored = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(start, true);
  return maskedCrc32c(bytes, [start + 6, end]) === stored;
}

/** Whether a record begins behind a faulty one: then the fault is no crash's. */
function isFollowed(bytes: Uint8Array, fault: number, isPlausible: (payload: Uint8Array) => boolean): boolean {
  const end = Math.min(blockEnd(fault), bytes.length);
  for (let at = fault + 1; at + headerBytes <= end; at++) {
    const type = bytes[at + 6];
    if (type !== full && type !== first) continue;
    const piece = pieceAt(bytes, at);
    if (piece !== undefined && isPlausible(bytes.subarray(at + headerBytes, piece.end))) return true;
  }
  for (let at = blockEnd(fault); at < bytes.length; at += blockBytes) if (pieceAt(bytes, at) !== undefined) return true;
  return false;
}

/** Whether a record that is cut short by the end of the file, or by nothing but zeros, is what a crash leaves. */
function hasCrashShape(bytes: Uint8Array, fault: number): boolean {
  let zerosFrom = bytes.length;
  while (zerosFrom > fault && bytes[zerosFrom - 1] === 0) zerosFrom--;
  const firstSector = Math.ceil(zerosFrom / sectorBytes) * sectorBytes;
  if (zerosFrom === fault || firstSector + minZeros <= bytes.length) return true;
  if (bytes.length - fault < headerBytes) return true;
  const length = (bytes[fault + 4] as number) | ((bytes[fault + 5] as number) << 8);
  const end = fault + headerBytes + length;
  // A sum that fits what is there: its length was damaged, nothing is missing.
  return end > bytes.length && end <= blockEnd(fault) && !fits(bytes, fault, bytes.length);
}

function joinPieces(bytes: Uint8Array, pieces: readonly Piece[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only) return bytes.subarray(only.start + headerBytes, only.end);
  return Buffer.concat(pieces.map(({ start, end }) => bytes.subarray(start + headerBytes, end)));
}

/** Where the next header stands: blocks end with up to six bytes that hold none. */
function skipTrailer(at: number): number {
  return blockEnd(at) - at < headerBytes ? blockEnd(at) : at;
}

/**
 * Reads a log. `isPlausible` judges, of bytes found behind a fault, whether they are a record of this log, given the last whole
 * record: contents of a cut record may hold a record of some other log.
 */
export function scanLevelLog(
  bytes: Uint8Array,
  isPlausible: (payload: Uint8Array, before: Uint8Array | undefined) => boolean = () => true,
): LogScan {
  const records: LogRecord[] = [];
  let pieces: Piece[] = [];
  const endWith = (damagedAt: number | undefined, isTorn: boolean): LogScan => ({ records, isTorn, damagedAt });

  for (let at = 0; at < bytes.length; ) {
    const piece = pieceAt(bytes, at);
    if (piece === undefined) {
      const before = records.at(-1)?.payload;
      const isCrash = hasCrashShape(bytes, at) && !isFollowed(bytes, at, (payload) => isPlausible(payload, before));
      return isCrash ? endWith(undefined, true) : endWith(at, false);
    }
    const isBeginning = piece.type === full || piece.type === first;
    if (isBeginning !== (pieces.length === 0)) return endWith(at, false);
    pieces.push(piece);
    if (piece.type === full || piece.type === last) {
      records.push({ start: pieces[0]?.start ?? at, end: piece.end, payload: joinPieces(bytes, pieces) });
      pieces = [];
    }
    at = skipTrailer(piece.end);
  }
  return endWith(undefined, pieces.length > 0);
}
