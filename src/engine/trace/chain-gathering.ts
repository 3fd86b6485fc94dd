/**
 * Finds what lies in the streams of one source's chain, and what its peer says of that chain elsewhere (docs/spec/trace.md T6, T7).
 * Law: it only reads; what is kept is bounded, and holds no payload.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { ChainCheckpoint, ChainRestart, ChainVoid } from '../../shared/contract/chain-report.ts';
import type { TraceSearch } from '../../shared/contract/trace-search.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { isSameSender } from '../../shared/protocol/envelope-fields.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader, ReadEnvelope } from '../envelope/envelope-reader.ts';
import { readVoidRecord } from '../envelope/void-record.ts';
import { type ChainJudging, type ChainRecord, refusalOf, toChainRecord } from './chain-record.ts';
import { readStreams, type StreamSearchDeps } from './stream-search.ts';

/** Streams in which envelopes with a place in a chain lie, by their short names. */
export const chainStreams = [
  'WORK',
  'INBOX',
  'RECEIPTS',
  'APPROVALS',
  'DLQ',
  'ROOMS',
  'KEYS',
  'AUDIT',
  'CHAIN',
] as const;
const maxRecords = 20_000;
/** Places of the peer's other chains that are remembered, for where a chain follows on another. */
const maxOthers = 100_000;
const maxSaid = 4_096;

/** A place of another chain of the same peer. */
interface OtherPlace {
  readonly leaf: string;
  readonly stream: string;
  readonly streamSeq: number;
}

export interface GatheredChain {
  readonly records: readonly ChainRecord[];
  readonly leftOutCount: number;
  readonly voids: readonly ChainVoid[];
  /** Those that count not have a reason; their state is not told yet. */
  readonly checkpoints: readonly Omit<ChainCheckpoint, 'state'>[];
  /** Heads of this chain that other chains name as what was before them, with those chains. */
  readonly followers: readonly Omit<ChainRestart, 'state'>[];
  /** What the chain itself names as before it. */
  readonly named: ChainRestart | null;
  readonly searches: readonly TraceSearch[];
}

export interface ChainGatheringDeps extends StreamSearchDeps, ChainJudging {
  readonly reader: EnvelopeReader;
}

/** A head as `resumes` names it: `<source>#<seq>:<leaf>`; a foreign source may hold a number sign. */
function parseHead(text: string): { source: string; seq: number; leaf: string } {
  const end = text.lastIndexOf('#');
  const [seq = '', leaf = ''] = text.slice(end + 1).split(':');
  return { source: text.slice(0, end), seq: Number(seq), leaf };
}

function readCheckpoint(envelope: Envelope) {
  if (envelope.type !== 'vak.audit.checkpoint') return undefined;
  try {
    return decodePayload('vak.audit.checkpoint', payloadBytesOf(envelope));
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/** Why a void record says so. */
function voidReason(envelope: Envelope): string {
  return visibleText(decodePayload('vak.audit.void', payloadBytesOf(envelope)).reason);
}

/** What is kept of what passes. */
function createGathered(source: string, deps: ChainGatheringDeps) {
  const records: ChainRecord[] = [];
  const voids = new Map<number, ChainVoid>();
  const checkpoints: Omit<ChainCheckpoint, 'state'>[] = [];
  const followers: Omit<ChainRestart, 'state'>[] = [];
  const others = new Map<string, OtherPlace[]>();
  let leftOutCount = 0;

  function noteOwn(read: ReadEnvelope, message: StoredMessage): void {
    if (records.length >= maxRecords) leftOutCount++;
    else records.push(toChainRecord(read, message, deps));
  }

  function noteOther({ envelope, leaf }: ReadEnvelope, { stream, seq: streamSeq }: StoredMessage): void {
    const key = `${envelope.source}#${envelope.seqnum}`;
    const known = others.get(key);
    if (known === undefined && others.size < maxOthers) others.set(key, [{ leaf, stream, streamSeq }]);
    else if (known !== undefined && known.length < 4) known.push({ leaf, stream, streamSeq });
  }

  function noteCheckpoint(read: ReadEnvelope, message: StoredMessage): void {
    const said = readCheckpoint(read.envelope);
    if (said?.source !== source || checkpoints.length >= maxSaid) return;
    const { agentid, signed } = read.envelope;
    checkpoints.push({
      ...{ seq: said.seq, head: said.head, atMs: Date.parse(said.at), storedMs: message.storedMs },
      ...{ peer: visibleText(agentid), signer: signed?.signer ?? null, why: refusalOf(read, message, deps) },
    });
  }

  function noteVoid(read: ReadEnvelope, message: StoredMessage): void {
    const said = readVoidRecord(read.envelope);
    if (said?.source !== source || voids.size >= maxSaid) return;
    if (deps.judge(message).kind !== 'accepted') return;
    voids.set(said.seq, { seq: said.seq, leaf: said.leaf, reason: voidReason(read.envelope) });
  }

  function noteFollower(read: ReadEnvelope, message: StoredMessage): void {
    const { resumes, source: by } = read.envelope;
    if (resumes === undefined || by === source || followers.length >= maxSaid) return;
    const head = parseHead(resumes);
    if (head.source === source && refusalOf(read, message, deps) === null)
      followers.push({ ...head, source: visibleText(by) });
  }

  return {
    ...{ records, voids, checkpoints, followers, others },
    leftOutCount: () => leftOutCount,
    take(message: StoredMessage): void {
      const read = deps.reader.read(message.data);
      if (read.kind !== 'envelope' || !isSameSender(read.envelope.source, source)) return;
      if (read.envelope.source === source) noteOwn(read, message);
      else noteOther(read, message);
      noteCheckpoint(read, message);
      noteVoid(read, message);
      noteFollower(read, message);
    },
  };
}

/** What is known of the head that a chain names as before it. */
async function restartOf(
  resumes: string,
  others: ReadonlyMap<string, readonly OtherPlace[]>,
  deps: ChainGatheringDeps,
): Promise<ChainRestart> {
  const head = parseHead(resumes);
  const here = others.get(`${head.source}#${head.seq}`) ?? [];
  const told = { ...head, source: visibleText(head.source) };
  if (here.some(({ leaf }) => leaf === head.leaf)) return { ...told, state: 'matches' };
  for (const { stream, streamSeq } of here) {
    const message = await deps.durable.stream(stream).get(streamSeq);
    const read = message === undefined ? undefined : deps.reader.read(message.data);
    if (message === undefined || read?.kind !== 'envelope') continue;
    if (refusalOf(read, message, deps) === null) return { ...told, state: 'other' };
  }
  return { ...told, state: 'unseen' };
}

/** Gathers it. Throws the signal's reason, and what `rest` throws. */
export async function gatherChain(source: string, deps: ChainGatheringDeps): Promise<GatheredChain> {
  const gathered = createGathered(source, deps);
  const searches = await readStreams(chainStreams, deps, gathered.take);
  const { records, voids, checkpoints, followers, others } = gathered;
  const resumes = records.find((one) => one.why === null && one.resumes !== undefined)?.resumes;
  const named = resumes === undefined ? null : await restartOf(resumes, others, deps);
  const leftOutCount = gathered.leftOutCount();
  return { records, voids: [...voids.values()], checkpoints, followers, named, searches, leftOutCount };
}
