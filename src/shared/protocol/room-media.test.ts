import { expect, test } from 'vitest';
import { toHex } from '../base/bytes.ts';
import { maxMediaBytes, mediaChunkAad, mediaChunkCount, sealedMediaBytes } from './room-media.ts';

test('R12 a file has a chunk for each 64 KiB, and an empty one has one', () => {
  expect([0, 1, 65_536, 65_537, maxMediaBytes].map(mediaChunkCount)).toEqual([1, 1, 1, 2, 32_768]);
  expect([0, 1, 65_536, 65_537].map(sealedMediaBytes)).toEqual([16, 17, 65_552, 65_569]);
});

test('R12 a chunk is bound to its place and to whether it is the last', () => {
  const label = Buffer.from('vak-room-chunk-v1\0').toString('hex');
  expect(toHex(mediaChunkAad(258, false))).toBe(`${label}00000008000000000000010200000008${'0'.repeat(16)}`);
  expect(toHex(mediaChunkAad(0, true))).toBe(`${label}00000008${'0'.repeat(16)}000000080000000000000001`);
});
