/** Keeps rows where they are while somebody is about to read or press one. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type HeldRows, holdOrder } from './list-moves.ts';

/** How long rows stay after a key moved among them. */
const keyHoldMs = 4000;

export interface Hold {
  readonly isHeld: boolean;
  readonly onHover: (isOver: boolean) => void;
  /** A key was pressed in the list. */
  readonly onKey: () => void;
}

/** Holds while the pointer is over the rows, and for a moment after each key. */
export function useHold(): Hold {
  const [isOver, setIsOver] = useState(false);
  const [keyCount, setKeyCount] = useState(0);
  useEffect(() => {
    if (keyCount === 0) return;
    const timer = setTimeout(() => setKeyCount(0), keyHoldMs);
    return () => clearTimeout(timer);
  }, [keyCount]);
  const onKey = useCallback(() => setKeyCount((count) => count + 1), []);
  return { isHeld: isOver || keyCount > 0, onHover: setIsOver, onKey };
}

export interface HeldRowsOptions<T> {
  readonly keyOf: (row: T) => string;
  readonly isHeld: boolean;
  /** Where this changes the rows are others, and none is held. */
  readonly of: string;
}

/** The rows as they stood when they began to be held, each as it is now, and those that came since. */
export function useHeldRows<T>(rows: readonly T[], { keyOf, isHeld, of }: HeldRowsOptions<T>): HeldRows<T> {
  const last = useRef({ of, rows });
  const held = isHeld && last.current.of === of ? holdOrder(last.current.rows, rows, keyOf) : { kept: rows, added: [] };
  useLayoutEffect(() => {
    last.current = { of, rows: held.kept };
  });
  return held;
}
