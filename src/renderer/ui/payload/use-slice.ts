/** A part of a payload while it is looked at; what is not looked at any more is not waited for. */
import { useEffect, useState } from 'react';
import type { PayloadSource } from './payload-source.ts';

export interface Slice {
  /** Undefined: not here yet. */
  readonly bytes: Uint8Array | undefined;
  readonly error: unknown;
}

/** `length` bytes from `offset` on, fewer at the end. */
export function useSlice(source: PayloadSource, offset: number, length: number): Slice {
  const end = Math.min(offset + length, source.sizeBytes);
  const isHere = end <= source.head.length;
  const [got, setGot] = useState<(Slice & { readonly of: PayloadSource; readonly offset: number }) | undefined>();
  useEffect(() => {
    if (isHere) return;
    const calls = new AbortController();
    const keep = (slice: Slice): void => {
      if (!calls.signal.aborted) setGot({ of: source, offset, ...slice });
    };
    source.slice(offset, end - offset, calls.signal).then(
      (bytes) => keep({ bytes, error: undefined }),
      (error: unknown) => keep({ bytes: undefined, error }),
    );
    return () => calls.abort();
  }, [source, offset, end, isHere]);
  if (isHere) return { bytes: source.head.subarray(offset, end), error: undefined };
  return got?.of === source && got.offset === offset ? got : { bytes: undefined, error: undefined };
}
