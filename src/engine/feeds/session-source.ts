/**
 * One session's events with their payloads, for its terminal, charts and text.
 * Law: a frame holds at most 64 KiB of payload, or one message; payloads pass as the text that came.
 */
import { toText } from '../../shared/base/bytes.ts';
import type { SessionFrame } from '../../shared/contract/streams-contract.ts';
import type { FeedSource, FrameBuilder } from './feed-pump.ts';
import { maxFrameBytes, maxFrameRows } from './rows-source.ts';
import type { SubjectReader } from './subject-reader.ts';

function createSessionFrame(reader: SubjectReader): FrameBuilder {
  const items: SessionFrame['items'][number][] = [];
  let bytes = 0;
  return {
    get isEmpty() {
      return items.length === 0;
    },
    add({ seq, atMs, subject, data }) {
      const isFull = items.length >= maxFrameRows || bytes + data.length > maxFrameBytes;
      if (isFull && items.length > 0) return false;
      items.push({ seq, atMs, type: reader.read(subject).type, payload: toText(data) });
      bytes += data.length;
      return true;
    },
    build(dropped, scannedSeq) {
      const frame: SessionFrame = { items, dropped, scannedSeq };
      return JSON.stringify(frame);
    },
  };
}

/** Everything that belongs to one session. */
export function createSessionSource(session: string, reader: SubjectReader): FeedSource {
  return {
    accepts: (subject) => reader.read(subject).session === session,
    createFrame: () => createSessionFrame(reader),
  };
}
