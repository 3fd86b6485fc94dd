/**
 * Gathers a stream's raw bytes into chunks for the bus.
 * Law: bytes leave in their order, unchanged, each once, at most `flushWithinMs` after they came.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';

/** Largest chunk, in bytes. */
export const maxChunkBytes = 32 * 1024;
/** Longest that a byte waits for company, in ms. */
export const flushWithinMs = 50;

export interface TerminalChunker extends Disposable {
  /** Takes bytes; the caller does not write to them afterwards. */
  push(bytes: Uint8Array): void;
  /** Hands over what waits. */
  flush(): void;
  /** Bytes handed over since the session began. */
  readonly offset: number;
  /** Whether bytes wait for company. */
  readonly isWaiting: boolean;
}

/** What a chunker is made of. */
export interface TerminalChunkerOptions {
  readonly clock: Clock;
  /** Gets each chunk with the place of its first byte in the stream since the session began. */
  readonly emit: (offset: number, bytes: Uint8Array) => void;
  /** Runs before a chunk leaves early because it is full: lets a sister stream hand over what came before. */
  readonly onFull?: () => void;
}

/** Creates the chunker of one stream of a session. Disposing it discards what waits. */
export function createTerminalChunker({ clock, emit, onFull }: TerminalChunkerOptions): TerminalChunker {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let offset = 0;
  let timer: Disposable | undefined;

  function send(bytes: Uint8Array): void {
    const at = offset;
    offset += bytes.length;
    emit(at, bytes);
  }

  function clear(): void {
    timer?.dispose();
    timer = undefined;
    waiting = [];
    waitingBytes = 0;
  }

  function flush(): void {
    if (waitingBytes === 0) return;
    const [first] = waiting;
    const bytes = waiting.length === 1 && first !== undefined ? first : Buffer.concat(waiting, waitingBytes);
    clear();
    send(bytes);
  }

  return {
    push(bytes) {
      let rest = bytes;
      while (waitingBytes + rest.length >= maxChunkBytes) {
        onFull?.();
        const room = maxChunkBytes - waitingBytes;
        waiting.push(rest.subarray(0, room));
        waitingBytes = maxChunkBytes;
        rest = rest.subarray(room);
        flush();
      }
      if (rest.length === 0) return;
      waiting.push(rest);
      waitingBytes += rest.length;
      timer ??= clock.setTimer(flushWithinMs, flush);
    },
    flush,
    get offset() {
      return offset;
    },
    get isWaiting() {
      return waitingBytes > 0;
    },
    dispose: clear,
  };
}
