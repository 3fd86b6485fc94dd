/**
 * Finds what belongs to a trace in the streams and in what was heard (docs/spec/trace.md T1).
 * Law: it only reads, a bounded part of each; only what holds the trace's id is decoded; whatever was not looked at is told.
 */

import { isVakError } from '../../shared/base/vak-error.ts';
import type { TraceSearch } from '../../shared/contract/trace-contract.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';
import { mayHold, readTraced, type TraceReading, type TraceRecord } from './trace-record.ts';

/** Streams that a trace goes through, by their short names. */
const streams = ['WORK', 'RECEIPTS', 'DLQ', 'APPROVALS', 'INBOX', 'AUDIT'] as const;
const pageLimit = 256;

/** What is looked at and kept at most. */
const traceBounds = {
  /** Messages of each stream, the newest. */
  perStream: 20_000,
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

export interface TraceGatheringDeps extends Omit<TraceReading, 'traceId'> {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly buffer: Pick<MessageBuffer, 'get' | 'oldestSeq' | 'newestSeq'>;
  /** Lets others run between two pages. */
  readonly rest: () => Promise<void>;
  readonly signal: AbortSignal;
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

async function searchStream(
  name: string,
  found: Found,
  reading: TraceReading & TraceGatheringDeps,
): Promise<TraceSearch> {
  const { durable, workspace, traceId, rest, signal } = reading;
  const needle = Buffer.from(traceId);
  const stream = durable.stream(`VAK_${name}_${workspace}`);
  const { firstSeq, lastSeq } = await stream.state();
  const fromSeq = Math.max(firstSeq, lastSeq - traceBounds.perStream + 1);
  let readCount = 0;
  for (let next: number | undefined = fromSeq; next !== undefined && next <= lastSeq; ) {
    const page = await stream.read({ fromSeq: next, limit: pageLimit, signal });
    for (const message of page.messages) {
      const record = mayHold(message.data, needle) ? readTraced(message, reading, { isStored: true }) : undefined;
      if (record !== undefined) found.add(record);
    }
    readCount += page.messages.length;
    next = page.nextSeq;
    await rest();
    signal.throwIfAborted();
  }
  return { stream: name, readCount, isWhole: fromSeq <= Math.max(1, firstSeq), problem: null };
}

async function searchStreams(found: Found, reading: TraceReading & TraceGatheringDeps): Promise<TraceSearch[]> {
  const searches: TraceSearch[] = [];
  for (const name of streams) {
    try {
      searches.push(await searchStream(name, found, reading));
    } catch (error) {
      // One that was not made, may not be read or is not reachable now says nothing of the others.
      if (!isVakError(error) || reading.signal.aborted) throw error;
      searches.push({ stream: name, readCount: 0, isWhole: false, problem: error.message });
    }
  }
  return searches;
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
