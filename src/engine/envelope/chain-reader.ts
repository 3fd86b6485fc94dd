/**
 * Reads the chains of many sources as their envelopes come, in any order (protocol.md E11, E12).
 * Law: bounded in chains and in what is kept of each; what was forgotten never makes a sound envelope look forged, and what
 * came is counted once, in whatever order it came.
 */
import type { LinkVerdict } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { type ChainPlaces, createChainPlaces } from './chain-places.ts';
import { leafOf, payloadHashOf } from './hashing.ts';
import { hasOwnPayload, judgeFirst, type LinkInput } from './link.ts';
import { createSeqRanges, type SeqRanges } from './seq-ranges.ts';
import { readVoidRecord } from './void-record.ts';

/** What was read. */
export interface ChainReading {
  readonly verdict: LinkVerdict;
  /** The first envelope of its source that was seen here. */
  readonly isFirst: boolean;
  readonly leaf: string;
}

/** One chain as it was seen. */
export interface ChainExtent {
  readonly source: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Of the envelope that came last in the chain. */
  readonly leaf: string;
  /** Places between first and last that nothing came for, and that were not declared void; with `uncounted`, at most. */
  readonly missing: number;
}

export interface ChainSummary {
  readonly envelopes: number;
  /** How often each verdict was given. */
  readonly verdicts: Readonly<Record<LinkVerdict['kind'], number>>;
  /** The one read last stands last. */
  readonly chains: readonly ChainExtent[];
  /** Chains that gave way to others. */
  readonly forgottenChains: number;
  /** What came, or was declared void, too scattered to be remembered: it may be among the missing. */
  readonly uncounted: number;
}

export interface ChainReader {
  /** Judges an envelope by what was read before it, and by the `void` records among that and its own. */
  read(envelope: Envelope): ChainReading;
  summary(): ChainSummary;
}

interface Head {
  firstSeq: number;
  seq: number;
  leaf: string;
}

interface Chain {
  readonly places: ChainPlaces;
  readonly voids: SeqRanges;
  /** Places that something came for, or that were declared void. */
  readonly settled: SeqRanges;
  /** Undefined while nothing but void records told of it. */
  head: Head | undefined;
}

function judge(chain: Chain, input: LinkInput): LinkVerdict {
  const { seqnum, prevhash } = input.envelope;
  const { head, places } = chain;
  if (!hasOwnPayload(input)) return { kind: 'forged-payload' };
  if (head === undefined) return judgeFirst(input);
  const isPast = seqnum <= head.seq;
  if (isPast && places.has(seqnum, input.leaf)) return { kind: 'reordered' };
  if (isPast && places.isKnown(seqnum)) return { kind: 'fork' };
  if (places.isKnown(seqnum - 1) && !places.has(seqnum - 1, prevhash)) return { kind: 'forged-link' };
  if (isPast) return { kind: 'reordered' };
  if (seqnum === head.seq + 1) return { kind: 'ok' };
  const [from, to] = [head.seq + 1, seqnum - 1];
  return chain.voids.covers(from, to) ? { kind: 'void', seq: to } : { kind: 'gap', from, to };
}

/** Puts an envelope into its chain. Rivals stay beside each other: which of them is true, only signatures tell. */
function put({ head, places }: Chain, { envelope, leaf }: LinkInput): Head {
  const { seqnum, prevhash } = envelope;
  places.claim(seqnum - 1, prevhash);
  places.see(seqnum, leaf);
  if (head === undefined) return { firstSeq: seqnum, seq: seqnum, leaf };
  const firstSeq = Math.min(head.firstSeq, seqnum);
  return seqnum > head.seq ? { firstSeq, seq: seqnum, leaf } : { ...head, firstSeq };
}

function extentOf(source: string, { settled }: Chain, head: Head): ChainExtent {
  const { firstSeq, seq: lastSeq, leaf } = head;
  return { source, firstSeq, lastSeq, leaf, missing: lastSeq - firstSeq + 1 - settled.countWithin(firstSeq, lastSeq) };
}

/** What is remembered at most. */
export interface ChainReaderOptions {
  readonly maxChains?: number;
  /** Places of one chain whose leaves are known. */
  readonly maxPlaces?: number;
  /** Separate runs of places of one chain that are counted. */
  readonly maxRanges?: number;
  /** The same, of all chains together. */
  readonly maxAllRanges?: number;
}

/** Creates a reader. */
export function createChainReader(options: ChainReaderOptions = {}): ChainReader {
  const { maxChains = 1024, maxPlaces = 256, maxRanges = 100_000, maxAllRanges = 1_000_000 } = options;
  const chains = new Map<string, Chain>();
  const verdicts = {
    ...{ ok: 0, gap: 0, void: 0, fork: 0, reordered: 0 },
    ...{ 'forged-payload': 0, 'forged-link': 0, 'foreign-source': 0 },
  };
  let envelopes = 0;
  let forgottenChains = 0;
  let uncounted = 0;
  let ranges = 0;

  function newChain(): Chain {
    const hasRoom = (size: number): boolean => size < maxRanges && ranges < maxAllRanges;
    const [voids, settled] = [createSeqRanges(hasRoom), createSeqRanges(hasRoom)];
    return { places: createChainPlaces(maxPlaces), voids, settled, head: undefined };
  }

  /** The chain of a source, which counts as read now. */
  function chainOf(source: string): Chain {
    const chain = chains.get(source) ?? newChain();
    chains.delete(source);
    chains.set(source, chain);
    const [oldest] = chains.keys();
    if (chains.size > maxChains && oldest !== undefined) {
      const forgotten = chains.get(oldest);
      ranges -= (forgotten?.voids.size() ?? 0) + (forgotten?.settled.size() ?? 0);
      chains.delete(oldest);
      forgottenChains++;
    }
    return chain;
  }

  /** Puts a place in; false if there was no room for it. */
  function addTo(set: SeqRanges, seq: number): boolean {
    const before = set.size();
    const isIn = set.add(seq);
    ranges += set.size() - before;
    return isIn;
  }

  function settle({ settled }: Chain, seq: number): void {
    if (!addTo(settled, seq)) uncounted++;
  }

  function takeVoid(envelope: Envelope): void {
    const record = readVoidRecord(envelope);
    if (record === undefined) return;
    const chain = chainOf(record.source);
    addTo(chain.voids, record.seq);
    settle(chain, record.seq);
    chain.places.claim(record.seq, record.leaf);
  }

  return {
    read(envelope) {
      const input = { envelope, leaf: leafOf(envelope), payloadHash: payloadHashOf(envelope) };
      const isOwn = hasOwnPayload(input);
      // Before its own link is judged: a record often stands right behind the place that it declares void.
      if (isOwn) takeVoid(envelope);
      const chain = chainOf(envelope.source);
      const isFirst = chain.head === undefined;
      const verdict = judge(chain, input);
      envelopes++;
      verdicts[verdict.kind]++;
      if (isOwn) {
        chain.head = put(chain, input);
        settle(chain, envelope.seqnum);
      }
      return { verdict, isFirst, leaf: input.leaf };
    },
    summary() {
      const extents = [...chains].flatMap(([source, chain]) =>
        chain.head === undefined ? [] : [extentOf(source, chain, chain.head)],
      );
      return { envelopes, verdicts: { ...verdicts }, chains: extents, forgottenChains, uncounted };
    },
  };
}
