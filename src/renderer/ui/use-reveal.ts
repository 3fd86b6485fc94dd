/** Brings something into view when it appears, as what went wrong below the end of a long form. */
import { type RefObject, useEffect, useRef } from 'react';

/** `shown`: what appeared last; undefined: nothing. */
export function useReveal<T extends HTMLElement>(shown: unknown): RefObject<T | null> {
  const place = useRef<T>(null);
  useEffect(() => {
    if (shown !== undefined) place.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  return place;
}
