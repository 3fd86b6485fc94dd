/** The live table's scrollbar over rows that come and go; a native one would jump with every eviction. */
import { type PointerEvent, useRef } from 'react';
import type { TableModel } from './table-model.ts';

const minThumbPx = 24;

export interface TableScrollbarProps {
  readonly model: TableModel;
  /** Id of the element that it scrolls. */
  readonly controls: string;
}

export function TableScrollbar({ model, controls }: TableScrollbarProps) {
  const { scroll } = model;
  const grabbedAt = useRef<number | null>(null);
  const rangePx = scroll.maxPx - scroll.minPx;
  const trackPx = scroll.heightPx;
  const thumbPx = Math.max(minThumbPx, (trackPx * trackPx) / (rangePx + trackPx || 1));
  const share = rangePx === 0 ? 0 : (scroll.topPx - scroll.minPx) / rangePx;
  const offsetPx = share * (trackPx - thumbPx);

  const dragTo = (event: PointerEvent, grabPx: number): void => {
    const track = event.currentTarget.getBoundingClientRect();
    const place = (event.clientY - track.top - grabPx) / Math.max(1, trackPx - thumbPx);
    scroll.scrollTo(scroll.minPx + place * (scroll.maxPx - scroll.minPx));
    model.touch();
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const within = event.clientY - event.currentTarget.getBoundingClientRect().top - offsetPx;
    grabbedAt.current = within >= 0 && within <= thumbPx ? within : thumbPx / 2;
    dragTo(event, grabbedAt.current);
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (grabbedAt.current !== null) dragTo(event, grabbedAt.current);
  };
  const onPointerUp = (): void => {
    grabbedAt.current = null;
  };
  return (
    <div
      className="live-scrollbar"
      role="scrollbar"
      tabIndex={-1}
      aria-label="Place in the table"
      aria-controls={controls}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      data-testid="live-scrollbar"
      hidden={rangePx === 0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <div className="live-thumb" style={{ height: `${thumbPx}px`, transform: `translateY(${offsetPx}px)` }} />
    </div>
  );
}
