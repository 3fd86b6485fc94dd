/**
 * One session's events with their opened payloads, for its terminal, charts and text.
 * Law: a frame holds at most 64 KiB of payload, or one message; what is refused is counted and not passed on (E8).
 */
import { toText } from '../../shared/base/bytes.ts';
import type { SessionFrame } from '../../shared/contract/streams-contract.ts';
import type { Intake } from '../envelope/intake.ts';
import type { FeedSource, FrameBuilder } from './feed-pump.ts';
import { maxFrameBytes, maxFrameRows } from './rows-source.ts';
import type { SubjectReader } from './subject-reader.ts';

function createSessionFrame(intake: Pick<Intake, 'admit'>): FrameBuilder {
  const items: SessionFrame['items'][number][] = [];
  let refused = 0;
  let bytes = 0;
  return {
    get isEmpty() {
      return items.length === 0 && refused === 0;
    },
    add(held, before) {
      const { seq, atMs } = held;
      const isFull = items.length >= maxFrameRows || bytes + held.data.length > maxFrameBytes;
      if (isFull && items.length > 0) return false;
      const admission = intake.admit(held);
      if (before?.wasRefused === true) refused--;
      if (admission.kind === 'refused') refused++;
      if (admission.kind !== 'accepted') return true;
      const { envelope, payload } = admission;
      items.push({ seq, atMs, type: envelope.type, payload: toText(payload) });
      bytes += held.data.length;
      return true;
    },
    build(dropped, scannedSeq) {
      const frame: SessionFrame = { items, refused, dropped, scannedSeq };
      return JSON.stringify(frame);
    },
  };
}

/** What a session's events are made from. */
export interface SessionSourceOptions {
  readonly session: string;
  readonly reader: SubjectReader;
  readonly intake: Pick<Intake, 'admit'>;
}

/** Everything that belongs to one session. */
export function createSessionSource({ session, reader, intake }: SessionSourceOptions): FeedSource {
  return {
    accepts: (subject) => reader.read(subject).session === session,
    createFrame: () => createSessionFrame(intake),
  };
}
