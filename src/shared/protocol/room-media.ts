/**
 * How an attachment is cut and bound (protocol.md R12): sizes, and the associated data of a chunk.
 * Law: the size of a file alone says how many chunks it has and how many bytes they are when sealed.
 */
import { labelledFields } from './labelled-fields.ts';

/** Bytes of the file in each chunk but the last. */
export const mediaChunkBytes = 64 * 1024;
/** Bytes of the tag behind each chunk. */
export const mediaTagBytes = 16;
/** Largest file: 2 GiB. */
export const maxMediaBytes = 2 ** 31;

/** How many chunks a file has; an empty one has one. */
export function mediaChunkCount(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / mediaChunkBytes));
}

/** Bytes that a file of that size has when sealed. */
export function sealedMediaBytes(sizeBytes: number): number {
  return sizeBytes + mediaTagBytes * mediaChunkCount(sizeBytes);
}

/** `L("vak-room-chunk-v1", index, last)`. */
export function mediaChunkAad(index: number, isLast: boolean): Uint8Array {
  return labelledFields('vak-room-chunk-v1', [index, isLast]);
}
