/**
 * What a session says about itself: `vak.events.<ws>.<session>.*` (protocol.md §1, §3), each event a span of its own (E4).
 * Law: every payload fits its schema by type, and its span is a child of the one that it is told under.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import type { StatusPayload, TelemetryPayload, TerminalPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { childOf, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Where a session's words go. */
export interface SessionOutlet {
  /** Hands over one event; `trace` is the event's own span. Does not throw what the session could not mend. */
  publish(subject: string, payload: Uint8Array, trace: TraceContext): void;
  /** Resolves when more is taken; false once nothing is taken any more. */
  isWritable(): Promise<boolean>;
}

/** Bytes of a command's output and their place (E16). */
export interface TerminalChunk {
  readonly stream: TerminalPayload['stream'];
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** `parent`: the span under which something happened. */
export interface SessionPublisher {
  status(payload: StatusPayload, parent: TraceContext): void;
  terminal(chunk: TerminalChunk, parent: TraceContext): void;
  telemetry(payload: TelemetryPayload, parent: TraceContext): void;
  /** As {@link SessionOutlet.isWritable}. */
  isWritable(): Promise<boolean>;
}

/** Whose words these are, and where they go. */
export interface SessionPublisherOptions {
  readonly outlet: SessionOutlet;
  readonly randomness: Randomness;
  readonly workspace: string;
  readonly session: string;
}

/** Creates the publisher of one session; throws `invalid-subject` for a workspace or session that is no token. */
export function createSessionPublisher(options: SessionPublisherOptions): SessionPublisher {
  const { outlet, randomness, workspace, session } = options;
  const subjectOf = (verb: string) => buildSubject({ plane: 'events', workspace, entity: session, verb });
  const subjects = { status: subjectOf('status'), terminal: subjectOf('terminal'), telemetry: subjectOf('telemetry') };

  function publish(verb: keyof typeof subjects, payload: object, parent: TraceContext): void {
    outlet.publish(subjects[verb], utf8(JSON.stringify(payload)), childOf(parent, randomness.bytes));
  }

  return {
    status: (payload, parent) => publish('status', payload, parent),
    terminal({ stream, offset, bytes }, parent) {
      const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
      publish('terminal', { stream, offset, bytes: base64 } satisfies TerminalPayload, parent);
    },
    telemetry: (payload, parent) => publish('telemetry', payload, parent),
    isWritable: () => outlet.isWritable(),
  };
}
