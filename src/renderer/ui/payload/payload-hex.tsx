/** Bytes as hex: only the rows in sight exist. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useFixedWindow } from '../fixed-list.ts';
import { hexRowAt, hexRowBytesFor } from './hex-rows.ts';
import './payload.css';

const rowPx = 18;

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

export function PayloadHex({ bytes }: { readonly bytes: Uint8Array }) {
  const list = useRef<HTMLDivElement>(null);
  const rowBytes = useRowBytes(list);
  const { startIndex, endIndex, totalPx } = useFixedWindow(list, { count: Math.ceil(bytes.length / rowBytes), rowPx });
  const rows = Array.from({ length: Math.max(0, endIndex - startIndex) }, (_, at) => startIndex + at);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div ref={list} className="payload-hex" tabIndex={0} role="region" aria-label="Bytes in hexadecimal">
        <div className="payload-hex-space" style={{ height: `${totalPx}px` }}>
          {rows.map((index) => {
            const row = hexRowAt(bytes, index, rowBytes);
            return (
              <div key={index} className="payload-hex-row" style={{ transform: `translateY(${index * rowPx}px)` }}>
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
