/**
 * Looks for what was heard on the bus and is still in the buffer (docs/spec/triage.md D12: what surrounds a failure).
 * Law: a search looks at a bounded part of the buffer, newest first, and decodes only what holds what is looked for.
 */
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';

export interface HeardEnvelope {
  readonly envelope: Envelope;
  readonly subject: string;
  /** Arrival, ms since the epoch. */
  readonly atMs: number;
  /** As it came; nobody may write to it. */
  readonly data: Uint8Array;
}

/** A session, and a time: both ends are in it, ms since the epoch. */
export interface HeardSpan {
  readonly session: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface HeardMessages {
  /** The envelope of that id. */
  byId(id: string): HeardEnvelope | undefined;
  /** The ephemeral session in which a peer told of its work in a trace, the last one up to a time. */
  sessionOf(asked: { readonly traceId: string; readonly peer: string; readonly untilMs: number }): string | undefined;
  /** What a session told of itself in a time, oldest first. */
  eventsOf(span: HeardSpan): readonly HeardEnvelope[];
}

export interface HeardMessagesDeps {
  readonly workspace: string;
  readonly buffer: Pick<MessageBuffer, 'get' | 'oldestSeq' | 'newestSeq'>;
  readonly reader: EnvelopeReader;
}

const maxMessages = 20_000;
const maxBytes = 32 * 1024 * 1024;

/** Creates it over the buffer of the app. */
export function createHeardMessages({ workspace, buffer, reader }: HeardMessagesDeps): HeardMessages {
  /** Newest first. */
  function* lately(): Generator<HeldMessage> {
    let bytes = 0;
    const last = Math.max(buffer.oldestSeq, buffer.newestSeq - maxMessages);
    for (let seq = buffer.newestSeq; seq >= last && bytes <= maxBytes; seq--) {
      const held = buffer.get(seq);
      if (held === undefined) return;
      bytes += held.data.length;
      yield held;
    }
  }

  function find(needle: string, isIt: (found: HeardEnvelope) => boolean): HeardEnvelope | undefined {
    const wanted = Buffer.from(needle);
    for (const { data, subject, atMs } of lately()) {
      if (!Buffer.from(data.buffer, data.byteOffset, data.length).includes(wanted)) continue;
      const reading = reader.read(data);
      const found = reading.kind === 'envelope' ? { envelope: reading.envelope, subject, atMs, data } : undefined;
      if (found !== undefined && isIt(found)) return found;
    }
    return undefined;
  }

  const events = `vak.events.${workspace}.`;
  return {
    byId: (id) => find(id, ({ envelope }) => envelope.id === id),
    sessionOf({ traceId, peer, untilMs }) {
      const found = find(traceId, ({ envelope, subject, atMs }) => {
        const { agentid, traceparent } = envelope;
        const isTold = subject.startsWith(events) && agentid === peer && atMs <= untilMs;
        return isTold && traceparent?.slice(3, 35) === traceId;
      });
      return found?.envelope.sessionid;
    },
    eventsOf({ session, fromMs, untilMs }) {
      const found: HeardEnvelope[] = [];
      for (const { data, subject, atMs } of lately()) {
        if (atMs < fromMs) break;
        if (atMs > untilMs || !subject.startsWith(`${events}${session}.`)) continue;
        const reading = reader.read(data);
        if (reading.kind === 'envelope') found.push({ envelope: reading.envelope, subject, atMs, data });
      }
      return found.reverse();
    },
  };
}
