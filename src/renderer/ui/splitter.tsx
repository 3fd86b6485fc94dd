/** The handle between two panels or at the edge of a column: drag it, or move it with the arrow keys; double click resets. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { clampSize, type Size } from './use-size.ts';
import './splitter.css';

export interface SplitterProps {
  /** Accessible name: "Width of the session list". */
  readonly label: string;
  readonly size: Size;
  /** Whether what it sizes lies before (left of) or after the handle. */
  readonly sizes: 'before' | 'after';
  readonly className?: string;
}

const stepPx = 8;

export function Splitter({ label, size, sizes, className = '' }: SplitterProps) {
  const drag = useRef<{ readonly startX: number; readonly startPx: number } | null>(null);
  const direction = sizes === 'before' ? 1 : -1;
  const widthAt = (event: PointerEvent, from: { startX: number; startPx: number }): number =>
    clampSize(size, from.startPx + direction * (event.clientX - from.startX));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    drag.current = { startX: event.clientX, startPx: size.px };
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (drag.current !== null) size.preview(widthAt(event, drag.current));
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (drag.current !== null) size.commit(widthAt(event, drag.current));
    drag.current = null;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? 4 * stepPx : stepPx;
    const next = {
      ArrowLeft: size.px - direction * step,
      ArrowRight: size.px + direction * step,
      Home: size.minPx,
      End: size.maxPx,
      Enter: size.initialPx,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    size.commit(next);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={size.px}
      aria-valuemin={size.minPx}
      aria-valuemax={size.maxPx}
      className={`splitter ${className}`}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDoubleClick={() => size.commit(size.initialPx)}
      onKeyDown={onKeyDown}
    />
  );
}
