/**
 * The first look through a bundle: what its manifest and index say, whose grants and proofs it brings (docs/spec/triage.md D11).
 * Law: it believes nothing; what it holds of a file is bounded, however the file was made.
 */

import { isVakError } from '../../shared/base/vak-error.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import type { Stored } from '../ports/directory.ts';
import {
  type BundleManifest,
  type BundleProof,
  bundleLineBytes,
  digestOfLine,
  parseBundleLine,
} from './bundle-format.ts';
import { type RawBundleLine, readBundleLines } from './bundle-lines.ts';

/** What a line is in the file, whatever it says. */
export interface IndexedDigests {
  /** Line of the index. */
  readonly line: number;
  readonly from: number;
  readonly digests: readonly string[];
}

export interface BundleGlance {
  /** Undefined: the first line is none. */
  readonly manifest: BundleManifest | undefined;
  /** Public nkey of the workspace's root, as whoever made it says; undefined: it does not say. */
  readonly claimedRoot: string | undefined;
  /** Digests of the lines between manifest and index as they are, from line 2 on. */
  readonly actual: readonly string[];
  readonly index: readonly IndexedDigests[];
  /** By peer, as they stand there. */
  readonly grants: ReadonlyMap<string, readonly Stored<Grant>[]>;
  readonly proofs: readonly (BundleProof & { readonly line: number })[];
}

const maxGrants = 50_000;
const maxProofs = 20_000;
/** Leaf inputs of all proofs. */
const maxLeaves = 200_000;

interface Gathered {
  claimedRoot: string | undefined;
  readonly actual: string[];
  readonly index: IndexedDigests[];
  readonly grants: Map<string, Stored<Grant>[]>;
  readonly proofs: (BundleProof & { readonly line: number })[];
  grantCount: number;
  leafCount: number;
}

function noteGrant(gathered: Gathered, { record, storedMs }: Stored<Grant>): void {
  if (gathered.grantCount++ >= maxGrants) return;
  const { peer } = record;
  const own = gathered.grants.get(peer) ?? [];
  own.push({ record, storedMs });
  gathered.grants.set(peer, own);
}

function noteProof(gathered: Gathered, proof: BundleProof & { readonly line: number }): void {
  gathered.leafCount += proof.leaves.length;
  if (gathered.proofs.length < maxProofs && gathered.leafCount <= maxLeaves) gathered.proofs.push(proof);
}

function rootIn({ root }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof root === 'string' ? root : undefined;
}

/** What a line brings; a line that is none of ours brings nothing, and is told of by the second look. */
function note(gathered: Gathered, { number, bytes }: RawBundleLine): void {
  if (bytes === undefined) {
    gathered.actual.push(digestOfLine(new Uint8Array()));
    return;
  }
  const line = parsed(bytes);
  if (line?.kind === 'index') {
    const digests = line.digests.match(/.{64}/g) ?? [];
    gathered.index.push({ line: number, from: line.from, digests });
    return;
  }
  gathered.actual.push(digestOfLine(bytes));
  if (line?.kind === 'grant') noteGrant(gathered, line);
  if (line?.kind === 'part' && line.name === 'about') gathered.claimedRoot ??= rootIn(line.value);
  if (line?.kind === 'proof') noteProof(gathered, { ...line, line: number });
}

function parsed(bytes: Uint8Array) {
  if (bytes.length === 0) return undefined;
  try {
    return parseBundleLine(bytes);
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

function manifestOf({ bytes }: RawBundleLine): BundleManifest | undefined {
  const line = bytes === undefined ? undefined : parsed(bytes);
  return line?.kind === 'manifest' ? line : undefined;
}

/** Whether a line has the one form that what it says has. */
export function isCanonical(bytes: Uint8Array, line: object): boolean {
  return Buffer.from(bytes).equals(bundleLineBytes(line));
}

/** Looks through it. Throws as {@link readBundleLines} does. */
export async function glanceAtBundle(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<BundleGlance> {
  const gathered: Gathered = {
    ...{ actual: [], index: [], grants: new Map(), proofs: [], grantCount: 0, leafCount: 0, claimedRoot: undefined },
  };
  let manifest: BundleManifest | undefined;
  for await (const line of readBundleLines(source, signal)) {
    if (line.number === 1) manifest = manifestOf(line);
    else note(gathered, line);
  }
  for (const own of gathered.grants.values()) own.sort((a, b) => a.storedMs - b.storedMs);
  const { actual, index, grants, proofs, claimedRoot } = gathered;
  return { manifest, claimedRoot, actual, index, grants, proofs };
}
