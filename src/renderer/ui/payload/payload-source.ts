/** Where shown bytes come from: those at hand, or a beginning with slices of the rest. Law: nothing is fetched before it is needed. */
import { maxSliceBytes } from '../../../shared/base/slice-bounds.ts';

export interface PayloadSource {
  readonly sizeBytes: number;
  /** The first bytes, which are here already; all of them if there are no more. */
  readonly head: Uint8Array;
  /** Bytes from a place on, at most `maxSliceBytes`, no fewer than asked for but at the end. */
  readonly slice: (offset: number, length: number, signal: AbortSignal) => Promise<Uint8Array>;
}

/** Bytes that are here whole. */
export function sourceOf(bytes: Uint8Array): PayloadSource {
  return {
    sizeBytes: bytes.length,
    head: bytes,
    slice: async (offset, length) => bytes.slice(offset, offset + length),
  };
}

export const isAtHand = ({ sizeBytes, head }: PayloadSource): boolean => head.length === sizeBytes;

export interface Fetching {
  readonly signal: AbortSignal;
  /** Gets each part in its order, and owns it. */
  readonly onPart: (offset: number, bytes: Uint8Array) => void;
}

/** Fetches all bytes part by part, one at a time, until `signal` aborts. */
export async function fetchAll(source: PayloadSource, { signal, onPart }: Fetching): Promise<void> {
  onPart(0, source.head.slice());
  for (let offset = source.head.length; offset < source.sizeBytes; ) {
    signal.throwIfAborted();
    const part = await source.slice(offset, Math.min(maxSliceBytes, source.sizeBytes - offset), signal);
    signal.throwIfAborted();
    if (part.length === 0) throw new Error('a slice has no bytes');
    const { length } = part;
    onPart(offset, part);
    offset += length;
  }
}

/** All bytes in one piece. */
export async function wholeOf(source: PayloadSource, signal: AbortSignal): Promise<Uint8Array> {
  if (isAtHand(source)) return source.head;
  const whole = new Uint8Array(source.sizeBytes);
  await fetchAll(source, { signal, onPart: (offset, part) => whole.set(part, offset) });
  return whole;
}
