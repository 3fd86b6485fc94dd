/** The row of the letters that has the cursor; one that is not known yet is gone to when it is. */
import { useEffect, useState } from 'react';
import type { LetterSlot } from './letter-pages.ts';

export interface LetterCursor {
  /** `key`: of a row, known or not. */
  readonly selectKey: (key: string) => void;
  readonly selectedKey: string | undefined;
}

export function useLetterCursor({
  slots,
  letter,
  select,
}: {
  readonly slots: readonly LetterSlot[];
  /** Place of the letter that is selected; null: none is. */
  readonly letter: number | null;
  readonly select: (letter: number) => void;
}): LetterCursor {
  const [awaited, setAwaited] = useState<number | undefined>();
  const arrived = awaited === undefined ? undefined : slots[awaited]?.row;
  useEffect(() => {
    if (arrived === undefined) return;
    setAwaited(undefined);
    select(arrived.seq);
  }, [select, arrived]);
  const selectKey = (key: string): void => {
    const isKnown = !key.startsWith('#');
    setAwaited(isKnown ? undefined : Number(key.slice(1)));
    if (isKnown) select(Number(key));
  };
  const selectedKey = awaited === undefined ? (letter === null ? undefined : String(letter)) : `#${awaited}`;
  return { selectKey, selectedKey };
}
