/** The row of the letters that has the cursor; one that is not known yet is gone to when it is. */
import { useEffect } from 'react';
import type { LetterPagesState } from './letter-pages.ts';

export interface LetterCursor {
  /** `key`: of a row, known or not. */
  readonly selectKey: (key: string) => void;
  readonly selectedKey: string | undefined;
}

export interface LetterCursorParts {
  readonly state: Pick<LetterPagesState, 'slots' | 'slotsOf' | 'filter'>;
  /** Place of the letter that is selected; null: none is. */
  readonly letter: number | null;
  /** Row that was gone to before its letter was known. */
  readonly awaitedRow: number | null;
  /** Ends the waiting, too. */
  readonly select: (letter: number) => void;
  readonly awaitRow: (index: number) => void;
}

export function useLetterCursor({ state, letter, awaitedRow, select, awaitRow }: LetterCursorParts): LetterCursor {
  // Of another filter another letter would stand there.
  const arrived = awaitedRow === null || state.slotsOf !== state.filter ? undefined : state.slots[awaitedRow]?.row;
  useEffect(() => {
    if (arrived !== undefined) select(arrived.seq);
  }, [select, arrived]);
  const selectKey = (key: string): void => {
    if (key.startsWith('#')) awaitRow(Number(key.slice(1)));
    else select(Number(key));
  };
  const selectedKey = awaitedRow === null ? (letter === null ? undefined : String(letter)) : `#${awaitedRow}`;
  return { selectKey, selectedKey };
}
