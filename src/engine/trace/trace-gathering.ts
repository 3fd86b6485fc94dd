/**
 * Finds what belongs to a trace in the streams and in what was heard (docs/spec/trace.md T1).
 * Law: it only reads, a bounded part of each; only what holds the trace's id is decoded; whatever was not looked at is told.
 */

import type { TraceSearch } from '../../shared/contract/trace-search.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';
import { readStreams, type StreamSearchDeps } from './stream-search.ts';
import { mayHold, readTraced, type TraceReading, type TraceRecord } from './trace-record.ts';

/** Streams that a trace goes through, by their short names. */
export const traceStreams = ['WORK', 'RECEIPTS', 'DLQ', 'APPROVALS', 'INBOX', 'AUDIT'] as const;

/** What is looked at and kept at most. */
export const traceBounds = {
  /** Messages of what was heard, and their bytes. */
  heard: 65_536,
  heardBytes: 64 * 1024 * 1024,
  /** Messages of the trace. */
  records: 1_000,
} as const;

/** Events of one session in the trace: counted, not kept. */
export interface LiveSession {
  readonly session: string;
  readonly peer: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

export interface GatheredTrace {
  readonly records: readonly TraceRecord[];
  readonly live: readonly LiveSession[];
  readonly searches: readonly TraceSearch[];
  readonly heardCount: number;
  readonly isHeardWhole: boolean;
  readonly leftOutCount: number;
}

export interface TraceGatheringDeps extends Omit<TraceReading, 'traceId'>, StreamSearchDeps {
  readonly buffer: Pick<MessageBuffer, 'get' | 'oldestSeq' | 'newestSeq'>;
}

/** What was found, each envelope once: what lies in a stream rather than what was heard. */
function createFound() {
  const byId = new Map<string, TraceRecord>();
  let leftOutCount = 0;
  return {
    add(record: TraceRecord): void {
      const key = `${record.envelope.source}|${record.envelope.id}`;
      const known = byId.get(key);
      if (known === undefined && byId.size >= traceBounds.records) leftOutCount++;
      else if (known === undefined) byId.set(key, record);
      // A forgery in another's name takes nothing away.
      else if (record.saying.kind !== 'refused' || known.saying.kind === 'refused')
        byId.set(key, { ...record, heardSeq: record.heardSeq ?? known.heardSeq });
    },
    records: () => [...byId.values()],
    leftOutCount: () => leftOutCount,
  };
}

type Found = ReturnType<typeof createFound>;
type Live = ReturnType<typeof createLive>;

/** Counts what sessions told live. */
function createLive() {
  const sessions = new Map<string, { peer: string; fromMs: number; toMs: number; count: number }>();
  return {
    note(session: string, peer: string, atMs: number): boolean {
      const known = sessions.get(session);
      if (known === undefined && sessions.size >= 64) return false;
      const { fromMs, toMs, count } = known ?? { fromMs: atMs, toMs: atMs, count: 0 };
      sessions.set(session, {
        ...{ peer, count: count + 1 },
        ...{ fromMs: Math.min(fromMs, atMs), toMs: Math.max(toMs, atMs) },
      });
      return true;
    },
    all: (): LiveSession[] => [...sessions].map(([session, one]) => ({ session, ...one })),
  };
}

async function searchStreams(found: Found, reading: TraceReading & TraceGatheringDeps): Promise<TraceSearch[]> {
  const needle = Buffer.from(reading.traceId);
  return await readStreams(traceStreams, reading, (message) => {
    const record = mayHold(message.data, needle) ? readTraced(message, reading, { isStored: true }) : undefined;
    if (record !== undefined) found.add(record);
  });
}

/** Whether a message that was heard is an event of the trace that nothing speaks against. */
function isEventOf({ data, trust }: HeldMessage, { traceId, reader }: TraceReading): Envelope | undefined {
  const said = reader.read(data);
  if (said.kind !== 'envelope' || trust.refusal !== undefined) return undefined;
  return said.envelope.traceparent?.slice(3, 35) === traceId ? said.envelope : undefined;
}

/** What becomes of a message that was heard and holds the trace's id; false: there is no room for it. */
function takeHeard(
  held: HeldMessage,
  { found, live }: { readonly found: Found; readonly live: Live },
  reading: TraceReading & TraceGatheringDeps,
): boolean {
  const { seq, subject, data, atMs } = held;
  if (subject.startsWith(`vak.events.${reading.workspace}.`)) {
    const event = isEventOf(held, reading);
    return event === undefined || live.note(subject.split('.')[3] ?? '', event.agentid, atMs);
  }
  const message: StoredMessage = { stream: '', seq, subject, data, storedMs: atMs, messageId: undefined };
  const record = readTraced(message, reading, { isStored: false, heardSeq: seq });
  if (record !== undefined) found.add(record);
  return true;
}

/** Newest first. */
async function searchHeard(found: Found, reading: TraceReading & TraceGatheringDeps) {
  const { buffer, traceId, rest, signal } = reading;
  const needle = Buffer.from(traceId);
  const live = createLive();
  let [bytes, heardCount, leftOut] = [0, 0, 0];
  const newest = buffer.newestSeq;
  let seq = newest;
  for (; seq > newest - traceBounds.heard && bytes <= traceBounds.heardBytes; seq--) {
    const held = buffer.get(seq);
    if (held === undefined) break;
    bytes += held.data.length;
    heardCount++;
    if (heardCount % 4_096 === 0) await rest();
    signal.throwIfAborted();
    if (mayHold(held.data, needle) && !takeHeard(held, { found, live }, reading)) leftOut++;
  }
  return { live: live.all(), heardCount, isHeardWhole: buffer.get(seq) === undefined, leftOut };
}

/** Gathers a trace. Throws what `rest` throws and the signal's reason. */
export async function gatherTrace(traceId: string, deps: TraceGatheringDeps): Promise<GatheredTrace> {
  const reading = { ...deps, traceId };
  const found = createFound();
  deps.signal.throwIfAborted();
  // What was heard first: the same in a stream takes its place.
  const { leftOut, ...heard } = await searchHeard(found, reading);
  const searches = await searchStreams(found, reading);
  return { records: found.records(), searches, ...heard, leftOutCount: found.leftOutCount() + leftOut };
}
