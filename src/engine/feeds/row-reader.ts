/**
 * What a row of the live table says about a message beside its place: who, what, and how far it can be trusted.
 * Law: a row is made of what was decided about its message; making it decides nothing but what is asked for here.
 */
import { toText } from '../../shared/base/bytes.ts';
import type { RefusalReason } from '../../shared/contract/trust-report.ts';
import { packMarks } from '../../shared/protocol/trust-marks.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { Intake } from '../envelope/intake.ts';
import { marksOf } from '../envelope/message-trust.ts';
import type { HeldMessage } from './message-buffer.ts';
import { lineOf, previewOf } from './preview.ts';
import type { SubjectReader } from './subject-reader.ts';

export interface RowFacts {
  /** As the envelope claims; of anything else the peer whose session the subject names. */
  readonly peer: string | null;
  readonly preview: string;
  /** See `unpackMarks`. */
  readonly marks: number;
}

export interface RowReader {
  /** Reads a message as a row; its signature is checked only if that is asked for. */
  read(held: HeldMessage, isChecked: boolean): RowFacts;
  /** As the envelope claims, else as the subject names it. */
  peerOf(held: HeldMessage): string | null;
  /** Id of the trace that the envelope names. */
  traceOf(held: HeldMessage): string | null;
  /** What words are looked for in: the first 64 KiB of the opened payload, or why there is none. */
  textOf(held: HeldMessage): string;
}

/** What rows are made from. */
export interface RowReaderDeps {
  readonly subjects: SubjectReader;
  readonly reader: EnvelopeReader;
  readonly intake: Pick<Intake, 'admit' | 'open'>;
  readonly peerOf: (session: string) => string | null;
}

/** Bytes of a payload that words are looked for in. */
const searchedBytes = 64 * 1024;
/** `00-<trace id>-…` (W3C Trace Context). */
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

/** Refused for what it is not, and not for what it says: the row shows what came. */
const isReadable: ReadonlySet<RefusalReason> = new Set(['malformed', 'plain', 'unsigned']);

/** Creates the reader of rows. */
export function createRowReader({ subjects, reader, intake, peerOf }: RowReaderDeps): RowReader {
  /** The opened payload, or why it is not shown. */
  function payloadOf(held: HeldMessage): Uint8Array | string {
    const { refusal } = held.trust;
    if (refusal !== undefined && !isReadable.has(refusal.reason)) return refusal.why;
    const opened = intake.open(held);
    return opened.kind === 'failed' ? opened.failure.why : opened.bytes;
  }

  function previewFor(held: HeldMessage, isChecked: boolean): string {
    if (isChecked) intake.admit(held);
    const found = payloadOf(held);
    if (typeof found === 'string') return lineOf(found);
    return previewOf(subjects.read(held.subject).type, found);
  }

  function peerFor({ subject, data }: HeldMessage): string | null {
    const reading = reader.read(data);
    if (reading.kind !== 'none') return reading.envelope.agentid;
    const { session } = subjects.read(subject);
    return session === null ? null : peerOf(session);
  }

  return {
    peerOf: peerFor,
    traceOf({ data }) {
      const reading = reader.read(data);
      if (reading.kind === 'none') return null;
      return traceparent.exec(reading.envelope.traceparent ?? '')?.[1] ?? null;
    },
    textOf(held) {
      const found = payloadOf(held);
      return typeof found === 'string' ? found : toText(found.subarray(0, searchedBytes));
    },
    read(held, isChecked) {
      // The preview first: reading the message is what may find out more about it.
      const preview = previewFor(held, isChecked);
      return { peer: peerFor(held), preview, marks: packMarks(marksOf(held.trust)) };
    },
  };
}
