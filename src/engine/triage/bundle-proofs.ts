/**
 * Inclusion proofs of what lies in a bundle (protocol.md E14, docs/spec/triage.md D11).
 * Law: it only reads, a bounded part of the streams; where a place of the chain is not visible here there is no proof, and none is guessed.
 */
import { toBase64 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { leafInput } from '../../shared/protocol/leaf-input.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { KnownEnvelope } from './bundle-envelopes.ts';
import { type BundleProof, bundleBounds } from './bundle-format.ts';

export interface BundleProofsDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  /** Lets others run, and throws if it is to end. */
  readonly rest: () => Promise<void>;
}

/** Streams that hold chains of kind d: none of their messages is taken out when it was read. */
const streams = ['DLQ', 'RECEIPTS', 'APPROVALS', 'AUDIT', 'CHAIN'] as const;
/** Messages that are looked at in each of them. */
const maxRead = 20_000;
const pageLimit = 256;

interface Checkpoint {
  readonly seq: number;
  readonly message: StoredMessage;
}

/** A chain as far as it is visible. */
interface SeenChain {
  readonly leaves: Map<number, Uint8Array>;
  readonly checkpoints: Checkpoint[];
}

interface WantedChain extends SeenChain {
  readonly wanted: number[];
}

/** The chains that are looked for, and the time of the earliest of all. */
function wantedIn(envelopes: readonly KnownEnvelope[]) {
  const chains = new Map<string, WantedChain>();
  let fromMs = Number.POSITIVE_INFINITY;
  for (const { source, seq, storedMs } of envelopes) {
    if (!source.endsWith('-d')) continue;
    const chain: WantedChain = chains.get(source) ?? { wanted: [], leaves: new Map(), checkpoints: [] };
    chain.wanted.push(seq);
    chains.set(source, chain);
    fromMs = Math.min(fromMs, storedMs);
  }
  return { chains, fromMs };
}

type Wanted = ReturnType<typeof wantedIn>;

function noteCheckpoint(message: StoredMessage, { chains }: Wanted, judge: StoredJudge): void {
  const verdict = judge(message);
  if (verdict.kind !== 'accepted') return;
  try {
    const { source, seq } = decodePayload('vak.audit.checkpoint', verdict.payload);
    if (source === verdict.envelope.source) chains.get(source)?.checkpoints.push({ seq, message });
  } catch (error) {
    if (!isVakError(error)) throw error;
  }
}

function note(message: StoredMessage, wanted: Wanted, { judge, reader }: BundleProofsDeps): void {
  const reading = reader.read(message.data);
  if (reading.kind !== 'envelope') return;
  const { source, seqnum, type } = reading.envelope;
  const chain = wanted.chains.get(source);
  if (chain === undefined) return;
  chain.leaves.set(Number(seqnum), leafInput(reading.envelope));
  if (type === 'vak.audit.checkpoint') noteCheckpoint(message, wanted, judge);
}

async function readOne(name: string, wanted: Wanted, deps: BundleProofsDeps): Promise<void> {
  const stream = deps.durable.stream(`VAK_${name}_${deps.workspace}`);
  let next: { fromSeq: number } | { fromMs: number } | undefined = { fromMs: wanted.fromMs };
  for (let count = 0; next !== undefined && count < maxRead; ) {
    const { messages, nextSeq } = await stream.read({ ...next, limit: pageLimit });
    for (const message of messages) note(message, wanted, deps);
    count += messages.length;
    next = nextSeq === undefined ? undefined : { fromSeq: nextSeq };
    await deps.rest();
  }
}

/** Leaf inputs from a place to another; undefined where one is not visible. */
function inputsOf({ leaves }: SeenChain, from: number, to: number): string[] | undefined {
  if (to - from >= bundleBounds.proofLeaves) return undefined;
  const found: string[] = [];
  for (let seq = from; seq <= to; seq++) {
    const input = leaves.get(seq);
    if (input === undefined) return undefined;
    found.push(toBase64(input));
  }
  return found;
}

/** For each checkpoint the proof from the first place before it that is wanted and from which on all is visible. */
function* proofsOf(source: string, chain: WantedChain): Generator<BundleProof> {
  let after = -1;
  for (const { seq: to, message } of chain.checkpoints.toSorted((a, b) => a.seq - b.seq)) {
    const places = chain.wanted.filter((seq) => seq > after && seq <= to).sort((a, b) => a - b);
    for (const from of places) {
      const leaves = inputsOf(chain, from, to);
      if (leaves === undefined) continue;
      const { subject, storedMs, data } = message;
      yield { kind: 'proof', source, checkpoint: { subject, storedMs, envelope: toBase64(data) }, leaves };
      break;
    }
    after = to;
  }
}

/** Proofs of what can be proven. Throws what reading and resting throw. */
export async function* findProofs(
  envelopes: readonly KnownEnvelope[],
  deps: BundleProofsDeps,
): AsyncGenerator<BundleProof> {
  const wanted = wantedIn(envelopes);
  if (wanted.chains.size === 0) return;
  for (const name of streams) {
    try {
      await readOne(name, wanted, deps);
    } catch (error) {
      // A stream that was not made yet has nothing.
      if (!isVakError(error, 'not-found')) throw error;
    }
  }
  for (const [source, chain] of wanted.chains) yield* proofsOf(source, chain);
}
