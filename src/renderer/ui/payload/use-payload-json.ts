/** A payload as JSON: a small one at once, a large one in a thread of its own when it was asked for. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { headBytes } from '../../../shared/base/slice-bounds.ts';
import { type ReadPayload, readHere, readInWorker } from './payload-port.ts';
import type { PayloadSource } from './payload-source.ts';

export type PayloadState =
  /** Not read: ask first. */
  | { readonly kind: 'large' }
  /** Asked for; bytes that have come so far. */
  | { readonly kind: 'reading'; readonly gotBytes: number }
  | { readonly kind: 'lost'; readonly error: unknown }
  | ({ readonly kind: 'read' } & ReadPayload);

export interface PayloadJson {
  readonly state: PayloadState;
  readonly readAll: () => void;
  readonly cancel: () => void;
}

const createWorker = (): Worker => new Worker(new URL('./payload-worker.ts', import.meta.url), { type: 'module' });

/** Nothing is read while it is not wanted; what is under way ends with the component. */
export function usePayloadJson(source: PayloadSource, isWanted: boolean): PayloadJson {
  const isLarge = source.sizeBytes > headBytes || source.head.length < source.sizeBytes;
  const [isAsked, setIsAsked] = useState(false);
  const [late, setLate] = useState<PayloadState>({ kind: 'reading', gotBytes: 0 });
  const early = useMemo(
    () => (isWanted && !isLarge ? { kind: 'read' as const, ...readHere(source.head) } : undefined),
    [source, isWanted, isLarge],
  );
  useEffect(() => {
    if (!isAsked) return;
    const calls = new AbortController();
    const keep = (state: PayloadState): void => {
      if (!calls.signal.aborted) setLate(state);
    };
    keep({ kind: 'reading', gotBytes: 0 });
    const onProgress = (gotBytes: number): void => keep({ kind: 'reading', gotBytes });
    readInWorker(source, { signal: calls.signal, onProgress, createWorker }).then(
      (read) => keep({ kind: 'read', ...read }),
      (error: unknown) => keep({ kind: 'lost', error }),
    );
    return () => calls.abort();
  }, [isAsked, source]);
  return {
    state: early ?? (isAsked || !isLarge ? late : { kind: 'large' }),
    readAll: useCallback(() => setIsAsked(true), []),
    cancel: useCallback(() => setIsAsked(false), []),
  };
}
