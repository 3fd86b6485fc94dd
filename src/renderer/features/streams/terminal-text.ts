/**
 * Terminal output in order: chunks of both streams become the text that the terminal is given.
 * Law: bytes that are missing are named where they are missing; bytes that come twice are shown once.
 */
import { formatCount } from '../../ui/format.ts';
import { terminalSafe } from '../../ui/visible-text.ts';
import type { TerminalChunk } from './session-payloads.ts';

export interface TerminalText {
  /** Text to write for the next chunk. */
  take(chunk: TerminalChunk): string;
  /** Bytes that never came, so far. */
  readonly missingBytes: number;
}

interface StreamState {
  nextOffset: number;
  decoder: TextDecoder;
}

/** CAN ends an escape sequence that the gap has cut; the colours begin anew behind it. */
function gapLine(bytes: number): string {
  return `\u0018\u001b[0m\r\n\u001b[2m— ${formatCount(bytes)} bytes not shown: they left the buffer, or passed while the connection was lost —\u001b[0m\r\n`;
}

/** Ends whatever sequence and mode the output before has left open: nothing may swallow or colour what the next command prints. */
export const taskBoundary = '\u0018\u001b[!p';

/** Creates the assembler of one session, from its first byte. */
export function createTerminalText(): TerminalText {
  const streams = new Map<TerminalChunk['stream'], StreamState>();
  let missingBytes = 0;
  return {
    take({ stream, offset, bytes }) {
      let state = streams.get(stream);
      if (state === undefined) {
        state = { nextOffset: 0, decoder: new TextDecoder() };
        streams.set(stream, state);
      }
      const missing = offset - state.nextOffset;
      const fresh = missing < 0 ? bytes.subarray(Math.min(bytes.length, -missing)) : bytes;
      let text = '';
      if (missing > 0) {
        missingBytes += missing;
        text = gapLine(missing);
        state.decoder = new TextDecoder();
      }
      state.nextOffset = Math.max(state.nextOffset, offset + bytes.length);
      return text + terminalSafe(state.decoder.decode(fresh, { stream: true }));
    },
    get missingBytes() {
      return missingBytes;
    },
  };
}
