import { expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { crc32c, maskedCrc32c } from './crc32c.ts';
import { scanLevelLog } from './level-log.ts';

const blockBytes = 32_768;

/** A second hand at the format: writes records as LevelDB does. */
function writeLog(payloads: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  const add = (bytes: Uint8Array): void => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const payload of payloads) {
    let rest = payload;
    let isFirst = true;
    do {
      const left = blockBytes - (at % blockBytes);
      if (left < 7) add(new Uint8Array(left));
      const room = blockBytes - (at % blockBytes) - 7;
      const piece = rest.subarray(0, room);
      rest = rest.subarray(room);
      const isLast = rest.length === 0;
      const record = new Uint8Array(7 + piece.length);
      record.set(piece, 7);
      record[6] = isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3;
      const view = new DataView(record.buffer);
      view.setUint16(4, piece.length, true);
      view.setUint32(0, maskedCrc32c(record, [6, record.length]), true);
      add(record);
      isFirst = false;
    } while (rest.length > 0);
  }
  return Buffer.concat(parts);
}

const payload = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);
const lengths = [0, 1, 100, 40_000, 70_000, 5];
const log = writeLog(lengths.map((length, index) => payload(length, index + 1)));

it('B6 the sum is CRC-32C', () => {
  // RFC 3720 B.4, and the check value of the CRC catalogue.
  expect(crc32c(utf8('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => index))).toBe(0x46dd794e);
  expect(crc32c(utf8('56789'), crc32c(utf8('1234')))).toBe(0xe3069283);
  expect(crc32c(utf8('x123456789x'), 0, [1, 10])).toBe(0xe3069283);
});

it('B6 records are read across blocks, whole and in order', () => {
  const scan = scanLevelLog(log);
  expect([scan.isTorn, scan.damagedAt]).toEqual([false, undefined]);
  expect(scan.records.map((record) => record.payload.length)).toEqual(lengths);
  for (const [index, record] of scan.records.entries())
    expect(record.payload.every((byte) => byte === index + 1)).toBe(true);
  expect(scan.records.at(-1)?.end).toBe(log.length);
});

it('B6 a log that is cut off anywhere is torn or whole, never damaged, and keeps the records before', () => {
  const ends = scanLevelLog(log).records.map(({ end }) => end);
  for (let length = 0; length < log.length; length += length % 1000 < 990 ? 1 + (length % 97) : 1) {
    const scan = scanLevelLog(log.subarray(0, length));
    expect([length, scan.damagedAt]).toEqual([length, undefined]);
    expect(scan.records.length).toBe(ends.filter((end) => end <= length).length);
  }
});

it('B6 a flipped bit is damage wherever it is, and the records before it stay', () => {
  const { records } = scanLevelLog(log);
  const places = records.flatMap(({ start, end }) => [
    start,
    start + 3,
    start + 4,
    start + 5,
    start + 6,
    start + 9,
    end - 1,
  ]);
  for (const at of places.filter((place) => place < log.length)) {
    for (const bit of [0, 3, 7]) {
      const damaged = Uint8Array.from(log);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      const scan = scanLevelLog(damaged);
      expect([at, bit, scan.isTorn, scan.damagedAt === undefined]).toEqual([at, bit, false, false]);
      expect(scan.records.length).toBe(records.filter(({ end }) => end <= at).length);
    }
  }
});

it('B6 what a power cut never filled is torn; a record of another log inside a cut one is not taken for one of this', () => {
  const short = writeLog([payload(300, 1), payload(2000, 2)]);
  expect(scanLevelLog(Buffer.concat([short, new Uint8Array(4096)]))).toMatchObject({
    isTorn: true,
    damagedAt: undefined,
  });
  expect(scanLevelLog(Uint8Array.from(short).fill(0, 1024))).toMatchObject({ isTorn: true, damagedAt: undefined });
  const nested = writeLog([payload(300, 1), Buffer.concat([writeLog([payload(50, 9)]), payload(100, 3)])]);
  const cut = nested.subarray(0, nested.length - 10);
  expect(scanLevelLog(cut, (found) => found[0] !== 9)).toMatchObject({ isTorn: true, damagedAt: undefined });
  expect(scanLevelLog(cut, (found) => found[0] === 9).damagedAt).toBe(307);
});
