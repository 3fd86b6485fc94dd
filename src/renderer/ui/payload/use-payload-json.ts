/** A payload as JSON: a small one at once, a big one when it was asked for, off the click. */

import { useEffect, useMemo, useState } from 'react';
import { afterPaint } from '../after-paint.ts';
import { askAboveBytes, type PayloadJson, readPayloadJson } from './payload-json.ts';

export interface PayloadReading {
  /** `big`: not read, ask first. `reading`: asked for. */
  readonly reading: PayloadJson | { readonly kind: 'big' | 'reading' };
  /** Reads all of it, after the next paint. */
  readonly readAll: () => void;
}

/** Nothing is read while it is not wanted. */
export function usePayloadJson(bytes: Uint8Array, isWanted: boolean): PayloadReading {
  const [isAsked, setIsAsked] = useState(false);
  const [late, setLate] = useState<PayloadJson | undefined>();
  const isBig = bytes.length > askAboveBytes;
  const early = useMemo(() => (isWanted && !isBig ? readPayloadJson(bytes) : undefined), [bytes, isWanted, isBig]);
  useEffect(() => {
    if (!isAsked) return;
    let isCurrent = true;
    afterPaint(() => {
      if (isCurrent) setLate(readPayloadJson(bytes));
    });
    return () => {
      isCurrent = false;
    };
  }, [isAsked, bytes]);
  return {
    reading: early ?? late ?? { kind: isAsked || !isBig ? 'reading' : 'big' },
    readAll: () => setIsAsked(true),
  };
}
