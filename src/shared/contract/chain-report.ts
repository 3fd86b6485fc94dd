/**
 * What is visible of one source's chain, gathered from the streams (protocol.md E10–E14, docs/spec/trace.md T6–T9).
 * Law: every text was made visible, every list is bounded, and what is not visible here is told apart from what is wrong.
 */
import type { ChainKind } from '../protocol/chain-kind.ts';
import type { TraceSearch } from './trace-search.ts';

/** A source of which something lies in the streams. */
export interface ChainSource {
  readonly source: string;
  /** Null: it is none of the fabric's. */
  readonly peer: string | null;
  readonly session: string | null;
  readonly kind: ChainKind | null;
  /** Envelopes that claim to be its, unchecked. */
  readonly count: number;
  /** When the newest of them was stored, ms since the epoch. */
  readonly lastMs: number;
}

export interface ChainSources {
  /** The newest first, 1 000 at most. */
  readonly sources: readonly ChainSource[];
  readonly leftOutCount: number;
  readonly searches: readonly TraceSearch[];
  readonly readAtMs: number;
}

/** Places of a chain, both included. */
export interface ChainRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** An envelope of the chain, as it lies in a stream. */
export interface ChainSide {
  readonly id: string;
  readonly type: string;
  /** 64 lower hex digits (E10). */
  readonly leaf: string;
  readonly prevhash: string;
  readonly storedMs: number;
  readonly stream: string;
  readonly streamSeq: number;
  /** Public key that it names; null: it is not signed. */
  readonly signer: string | null;
}

/**
 * What is wrong at a place. `link`: it names another predecessor than the one that is here. `payload`: the payload is not the one that
 * its hash names. `checkpoint`: a checkpoint names another head than what is here. Hashes are 64 lower hex digits.
 */
export interface ChainFault {
  readonly kind: 'link' | 'payload' | 'checkpoint';
  readonly seq: number;
  readonly expected: string;
  readonly found: string;
  readonly id: string;
}

/** Two envelopes or more at one place, each soundly signed. */
export interface ChainFork {
  readonly seq: number;
  readonly sides: readonly ChainSide[];
}

/** `isTail`: behind the last that is here, and a signed checkpoint says that it was. */
export interface ChainMissing extends ChainRange {
  readonly isTail: boolean;
}

/** `matches`: what is here at its place is what it names. `unseen`: nothing is here at its place. */
export type CheckpointState = 'matches' | 'contradicts' | 'unseen' | 'refused';

export interface ChainCheckpoint {
  readonly seq: number;
  readonly head: string;
  /** When its sender says it was made, and when it was stored; ms since the epoch. */
  readonly atMs: number;
  readonly storedMs: number;
  readonly peer: string;
  readonly signer: string | null;
  readonly state: CheckpointState;
  /** Why it does not count; null: it does. */
  readonly why: string | null;
}

/** A place that its sender says was refused for good (E12). */
export interface ChainVoid {
  readonly seq: number;
  readonly leaf: string;
  readonly reason: string;
}

/** How a chain follows on another of the same peer. `other`: what is here at that place is not what is named. */
export interface ChainRestart {
  readonly source: string;
  readonly seq: number;
  readonly leaf: string;
  readonly state: 'matches' | 'other' | 'unseen';
}

/** What claims to be of the chain and does not count. */
export interface ChainRefused {
  readonly seq: number;
  readonly id: string;
  readonly storedMs: number;
  readonly why: string;
}

export interface ChainReport {
  readonly source: string;
  readonly peer: string | null;
  readonly session: string | null;
  readonly kind: ChainKind | null;
  /** Envelopes that count, each once. */
  readonly count: number;
  /** Null: there are none. */
  readonly seen: ChainRange | null;
  /** Of the last envelope that counts. */
  readonly headLeaf: string | null;
  /** Runs whose signatures and links all hold. */
  readonly verified: readonly ChainRange[];
  readonly verifiedCount: number;
  /** The lowest place first. */
  readonly faults: readonly ChainFault[];
  readonly forks: readonly ChainFork[];
  readonly missing: readonly ChainMissing[];
  readonly missingCount: number;
  readonly voids: readonly ChainVoid[];
  readonly checkpoints: readonly ChainCheckpoint[];
  /** The chain before it; null: it names none, or its beginning is not here. */
  readonly resumes: ChainRestart | null;
  /** Chains that follow on it. */
  readonly resumedBy: readonly ChainRestart[];
  readonly refused: readonly ChainRefused[];
  /** One of the lists was longer than what is shown: 200 of each. */
  readonly isCut: boolean;
  readonly searches: readonly TraceSearch[];
  /** Envelopes of the chain beyond the 20 000 that were looked at. */
  readonly leftOutCount: number;
  readonly readAtMs: number;
}

/** Where a proof was written, and what it covers. */
export interface ChainProofSaved extends ChainRange {
  readonly path: string;
}

/** What became of the check of a proof's file. */
export interface ChainProofVerdict {
  readonly name: string;
  readonly isOk: boolean;
  readonly source: string;
  /** Null: it could not be read so far. */
  readonly range: ChainRange | null;
  /** `sound`: by a key that nobody here knows. */
  readonly signature: 'valid' | 'sound' | 'unsigned' | 'invalid' | null;
  readonly errors: readonly string[];
}
