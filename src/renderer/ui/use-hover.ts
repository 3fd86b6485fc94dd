/** Whether the pointer is over an element: what lies over it for a while, as a dialog does, changes nothing. */
import { type PointerEvent, useCallback, useEffect, useRef } from 'react';

interface Hover {
  readonly onPointerEnter: () => void;
  readonly onPointerLeave: (event: PointerEvent<HTMLElement>) => void;
}

function isWithin(element: HTMLElement, { clientX, clientY }: { readonly clientX: number; readonly clientY: number }) {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
}

/** Tells when the pointer comes over the element, and when it is outside of its box again. */
export function useHover(onHover: ((isOver: boolean) => void) | undefined): Hover {
  /** Ends waiting for the pointer to leave the box of an element that is covered. */
  const stop = useRef<(() => void) | undefined>(undefined);
  const stopWaiting = useCallback(() => {
    stop.current?.();
    stop.current = undefined;
  }, []);
  useEffect(() => stopWaiting, [stopWaiting]);
  return {
    onPointerEnter: () => {
      stopWaiting();
      onHover?.(true);
    },
    onPointerLeave: (event) => {
      const element = event.currentTarget;
      if (!isWithin(element, event)) {
        onHover?.(false);
        return;
      }
      const onMove = (moved: globalThis.PointerEvent): void => {
        if (element.isConnected && isWithin(element, moved)) return;
        stopWaiting();
        onHover?.(false);
      };
      window.addEventListener('pointermove', onMove, true);
      stop.current = () => window.removeEventListener('pointermove', onMove, true);
    },
  };
}
