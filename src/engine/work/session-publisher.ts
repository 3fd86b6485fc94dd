/**
 * What a session says about itself on the bus: `vak.events.<ws>.<session>.*` (protocol.md §1, §3).
 * Law: every payload fits its schema by type; once the bus is closed, saying is silently over.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { StatusPayload, TelemetryPayload, TerminalPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus } from '../bus/bus.ts';

export interface SessionPublisher {
  status(payload: StatusPayload): void;
  terminal(stream: TerminalPayload['stream'], offset: number, bytes: Uint8Array): void;
  telemetry(payload: TelemetryPayload): void;
  /** Resolves when the bus takes more; false once it is closed. */
  isWritable(): Promise<boolean>;
}

/** Whose words these are. */
export interface SessionPublisherOptions {
  readonly bus: Bus;
  readonly workspace: string;
  readonly session: string;
}

/** Creates the publisher of one session; throws `invalid-subject` for a workspace or session that is no token. */
export function createSessionPublisher({ bus, workspace, session }: SessionPublisherOptions): SessionPublisher {
  const subjectOf = (verb: string) => buildSubject({ plane: 'events', workspace, entity: session, verb });
  const subjects = { status: subjectOf('status'), terminal: subjectOf('terminal'), telemetry: subjectOf('telemetry') };

  function publish(subject: string, payload: object): void {
    try {
      bus.publish(subject, utf8(JSON.stringify(payload)));
    } catch (error) {
      if (!isVakError(error, 'closed')) throw error;
    }
  }

  return {
    status: (payload) => publish(subjects.status, payload),
    terminal(stream, offset, bytes) {
      const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
      publish(subjects.terminal, { stream, offset, bytes: base64 } satisfies TerminalPayload);
    },
    telemetry: (payload) => publish(subjects.telemetry, payload),
    async isWritable() {
      try {
        await bus.whenWritable();
        return true;
      } catch (error) {
        if (!isVakError(error, 'closed')) throw error;
        return false;
      }
    },
  };
}
