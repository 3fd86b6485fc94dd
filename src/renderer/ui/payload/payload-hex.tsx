/** Bytes as hex: only the rows in sight exist, and only the bytes around them are fetched. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { describeError } from '../describe-error.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { useFixedWindow } from '../fixed-list.ts';
import { hexRowAt, hexRowBytesFor } from './hex-rows.ts';
import type { PayloadSource } from './payload-source.ts';
import { useSlice } from './use-slice.ts';
import './payload.css';

const rowPx = 18;
/** Bytes begin to be fetched at a multiple of this, so that a scroll asks seldom; twice as many come. */
const blockBytes = 32_768;

/** Bytes in a row of the list at its present width. */
function useRowBytes(list: RefObject<HTMLElement | null>): 8 | 16 {
  const [rowBytes, setRowBytes] = useState<8 | 16>(8);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setRowBytes(hexRowBytesFor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return rowBytes;
}

export function PayloadHex({ source }: { readonly source: PayloadSource }) {
  const list = useRef<HTMLDivElement>(null);
  const rowBytes = useRowBytes(list);
  const range = useFixedWindow(list, { count: Math.ceil(source.sizeBytes / rowBytes), rowPx });
  const { startIndex, endIndex } = range;
  const block = Math.floor((startIndex * rowBytes) / blockBytes) * blockBytes;
  const { bytes, error } = useSlice(source, block, 2 * blockBytes);
  const rows = Array.from({ length: Math.max(0, endIndex - startIndex) }, (_, at) => startIndex + at);
  return (
    <>
      {error !== undefined && (
        <div className="payload-wait">
          <ErrorNotice report={describeError('Read these bytes', error)} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div ref={list} className="payload-hex" tabIndex={0} role="region" aria-label="Bytes in hexadecimal">
        <div className="payload-hex-space" style={{ height: `${range.totalPx}px` }}>
          {rows.map((index) => {
            const row = hexRowAt(bytes ?? new Uint8Array(0), { index, rowBytes, from: block });
            return (
              <div key={index} className="payload-hex-row" style={{ transform: `translateY(${range.topOf(index)}px)` }}>
                <span className="dim">{row.offset}</span>
                <span>{row.hex}</span>
                <span className="dim">{row.ascii}</span>
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
