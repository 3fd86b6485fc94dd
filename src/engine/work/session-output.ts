/**
 * The terminal output of a session: both streams, chunked, in the order in which their first bytes came.
 * Law: a stream's offset counts from the session's beginning, across its commands.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutputStream } from './command-output.ts';
import type { SessionPublisher } from './session-publisher.ts';
import { createTerminalChunker, type TerminalChunker } from './terminal-chunker.ts';

export interface SessionOutput extends Disposable {
  /** What is pushed from now on was printed under that span; what waits is published first. */
  begin(span: TraceContext): void;
  /** Takes raw bytes of the command that has begun; the caller does not write to them afterwards. */
  push(stream: OutputStream, bytes: Uint8Array): void;
  /** Publishes what waits. */
  flush(): void;
}

/** What the output is made of. */
export interface SessionOutputOptions {
  readonly clock: Clock;
  readonly publisher: Pick<SessionPublisher, 'terminal'>;
  /** Span of the session, until a command begins. */
  readonly span: TraceContext;
}

/** Creates the output of one session. */
export function createSessionOutput({ clock, publisher, span }: SessionOutputOptions): SessionOutput {
  /** Streams with waiting bytes, in the order of their first. */
  let waiting: OutputStream[] = [];
  let current = span;

  function create(stream: OutputStream): TerminalChunker {
    return createTerminalChunker({
      clock,
      emit(offset, bytes) {
        waiting = waiting.filter((other) => other !== stream);
        publisher.terminal({ stream, offset, bytes }, current);
      },
      onFull() {
        const [first] = waiting;
        if (first !== undefined && first !== stream) chunkers[first].flush();
      },
    });
  }

  const chunkers: Readonly<Record<OutputStream, TerminalChunker>> = {
    stdout: create('stdout'),
    stderr: create('stderr'),
  };

  function flush(): void {
    for (const stream of waiting) chunkers[stream].flush();
  }

  return {
    begin(next) {
      flush();
      current = next;
    },
    push(stream, bytes) {
      chunkers[stream].push(bytes);
      if (chunkers[stream].isWaiting && !waiting.includes(stream)) waiting.push(stream);
    },
    flush,
    dispose() {
      chunkers.stdout.dispose();
      chunkers.stderr.dispose();
    },
  };
}
