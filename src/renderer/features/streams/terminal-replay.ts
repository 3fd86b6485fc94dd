/**
 * Terminal output as it stood at any time: what was printed is kept beside what the terminal shows.
 * Law: forward only what is new is written, backward all of it anew; bounded, the oldest output gives way and is counted.
 */

/** Output that is kept, in UTF-16 units. */
export const maxOutputLength = 1024 * 1024;

/** Takes the terminal's text; calls `onTaken` when it has been parsed. */
export interface TerminalSink {
  write(text: string, onTaken: () => void): void;
  /** Empties it behind what was written before. */
  clear(onTaken: () => void): void;
}

export interface TerminalReplay {
  /** Whether the terminal has taken all that it was given. */
  readonly isTaken: boolean;
  /** UTF-16 units that cannot be shown at an earlier time any more. */
  readonly forgottenLength: number;
  /** Keeps what was printed; `show` writes it. */
  add(text: string, atMs: number): void;
  /** Shows the output up to a time; undefined: all of it, and what comes. */
  show(atMs: number | undefined): void;
}

interface Chunk {
  readonly atMs: number;
  readonly text: string;
}

/** Creates it over an empty terminal. `onTaken` is called whenever the terminal has taken something. */
export function createTerminalReplay(terminal: TerminalSink, onTaken: () => void): TerminalReplay {
  const chunks: Chunk[] = [];
  /** Chunks before the first that is kept. */
  let goneCount = 0;
  let length = 0;
  let forgottenLength = 0;
  /** Chunks that the terminal was given, from the very first on. */
  let shownCount = 0;
  let untaken = 0;
  let wanted: number | undefined;
  let isClearing = false;

  function settle(): void {
    untaken--;
    // A hand that drags the cursor asks faster than a terminal is filled: only the last wish counts.
    if (isClearing && untaken === 0) {
      isClearing = false;
      fill();
    }
    onTaken();
  }
  const write = (text: string): void => {
    if (text === '') return;
    untaken++;
    terminal.write(text, settle);
  };

  function countUpTo(atMs: number | undefined): number {
    if (atMs === undefined) return goneCount + chunks.length;
    const at = chunks.findIndex((chunk) => chunk.atMs > atMs);
    return goneCount + (at < 0 ? chunks.length : at);
  }

  function fill(): void {
    const target = countUpTo(wanted);
    if (target < shownCount || (shownCount < goneCount && target > shownCount)) {
      shownCount = goneCount;
      isClearing = true;
      untaken++;
      terminal.clear(settle);
      return;
    }
    const text = chunks.slice(shownCount - goneCount, target - goneCount).map((chunk) => chunk.text);
    shownCount = target;
    write(text.join(''));
  }

  return {
    get isTaken() {
      return untaken === 0;
    },
    get forgottenLength() {
      return forgottenLength;
    },
    add(text, atMs) {
      if (text === '') return;
      chunks.push({ text, atMs: Math.max(atMs, chunks.at(-1)?.atMs ?? 0) });
      length += text.length;
    },
    show(atMs) {
      wanted = atMs;
      if (!isClearing) fill();
      while (length > maxOutputLength && chunks.length > 1) {
        const gone = chunks.shift() as Chunk;
        goneCount++;
        length -= gone.text.length;
        forgottenLength += gone.text.length;
      }
    },
  };
}
