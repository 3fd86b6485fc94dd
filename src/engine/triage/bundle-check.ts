/**
 * Verifies a bundle line by line (docs/spec/triage.md D11).
 * Law: a byte that is not as it was signed is found, and its line named; the same file gives the same verdict, whoever looks.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import {
  checkBundleEnvelope,
  checkBundleProof,
  type EnvelopeFinding,
  type ProofFinding,
} from './bundle-envelope-check.ts';
import { type BundleLine, type BundleManifest, digestOfLine, parseBundleLine } from './bundle-format.ts';
import { type BundleGlance, glanceAtBundle, isCanonical } from './bundle-glance.ts';
import { type BundleIntegrity, changedLine, cutAtLineOf, judgeIntegrity } from './bundle-integrity.ts';
import { type RawBundleLine, readBundleLines } from './bundle-lines.ts';
import { type BundleSignature, type BundleSigners, createBundleSigners } from './bundle-signers.ts';

export interface BundleLineVerdict {
  readonly line: number;
  /** Of the line; `unreadable`: it is none of a bundle. */
  readonly kind: string;
  readonly isOk: boolean;
  readonly errors: readonly string[];
  readonly envelope?: EnvelopeFinding;
  readonly proof?: Omit<ProofFinding, 'leaves'>;
  /** What it says; undefined: it is unreadable. */
  readonly content: BundleLine | undefined;
  /** Where it lies, to be read again; undefined: it is unreadable. */
  readonly place: BundlePlace | undefined;
}

/** Where a line lies in its file, without its end, and what it was. */
export interface BundlePlace {
  readonly offset: number;
  readonly sizeBytes: number;
  /** SHA-256, 64 lower hex digits. */
  readonly digest: string;
}

export interface BundleSummary {
  /** All is as it was signed, and who signed it is known. */
  readonly isOk: boolean;
  /** All is as it was signed, by whomever. */
  readonly isSound: boolean;
  readonly manifest: BundleManifest | undefined;
  readonly signature: BundleSignature | undefined;
  readonly lineCount: number;
  readonly badLineCount: number;
  readonly envelopeCount: number;
  /** Signed by keys that the root granted; whose signature holds, and nobody here knows whose it is. */
  readonly validCount: number;
  readonly soundCount: number;
  readonly provenCount: number;
  /** The last line of a file that was cut off before its end; undefined: it has its end. */
  readonly cutAtLine: number | undefined;
  /** What is wrong with the file as a whole, in sentences. */
  readonly errors: readonly string[];
}

export interface BundleCheckOptions {
  /** The file from its beginning, each time that it is called. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Public nkey of a workspace's root, if it is known here. `claimed`: the one that the bundle names. */
  readonly rootOf: (workspace: string, claimed: string | undefined) => string | undefined;
  readonly onLine: (verdict: BundleLineVerdict) => Promise<void> | void;
  readonly signal: AbortSignal;
}

/**
 * The root to judge by: what is known for a name, unless the bundle names another one. Then it is of another workspace of that name, and
 * nothing is known of who may sign there.
 */
export function rootUnlessOther(known: string | undefined, claimed: string | undefined): string | undefined {
  return claimed === undefined || claimed === known ? known : undefined;
}

interface ReadableLine {
  readonly number: number;
  readonly bytes: Uint8Array;
}

interface Judging {
  readonly whole: BundleIntegrity;
  readonly signature: BundleSignature | undefined;
  readonly signers: BundleSigners;
  /** Leaves that proofs show. */
  readonly proven: ReadonlySet<string>;
}

function provenIn({ proofs }: BundleGlance, signers: BundleSigners): ReadonlySet<string> {
  const leaves = new Set<string>();
  for (const proof of proofs) {
    const { finding, errors } = checkBundleProof(proof, signers);
    if (errors.length === 0) for (const leaf of finding?.leaves ?? []) leaves.add(leaf);
  }
  return leaves;
}

/** What a readable line holds beside its words. */
function findingsOf(content: BundleLine, { signers, proven }: Judging) {
  if (content.kind === 'envelope') {
    const { finding, errors } = checkBundleEnvelope(content, signers, proven);
    return { errors, ...(finding === undefined ? {} : { envelope: finding }) };
  }
  if (content.kind !== 'proof') return { errors: [] };
  const { finding, errors } = checkBundleProof(content, signers);
  if (finding === undefined) return { errors };
  const { leaves: _, ...proof } = finding;
  return { errors, proof };
}

/** What is wrong with the manifest. */
function faultsOfFirst(content: BundleLine, bytes: Uint8Array, { signature }: Judging): readonly string[] {
  if (content.kind !== 'manifest') return ['It is no manifest.'];
  return [
    ...(isCanonical(bytes, content) ? [] : [changedLine]),
    ...(signature?.kind === 'invalid' ? [signature.why] : []),
  ];
}

/** What is wrong with another line as a line; of the index only one form is right. */
function isAnother(content: BundleLine, { number, bytes }: ReadableLine, { whole }: Judging): boolean {
  return whole.isChanged(number) || (content.kind === 'index' && !isCanonical(bytes, content));
}

function judgeLine({ number, bytes, offset, isWhole }: RawBundleLine, judging: Judging): BundleLineVerdict {
  const unreadable = (why: string): BundleLineVerdict => ({
    ...{ line: number, kind: 'unreadable', isOk: false, errors: [why], content: undefined, place: undefined },
  });
  if (bytes === undefined) return unreadable('It is longer than a line may be.');
  let content: BundleLine;
  try {
    content = parseBundleLine(bytes);
  } catch (error) {
    if (isVakError(error)) return unreadable(`${error.message}.`);
    throw error;
  }
  const found = findingsOf(content, judging);
  const ending = isWhole ? [] : ['No line break ends it: the file was cut off or changed.'];
  const faults = number === 1 ? faultsOfFirst(content, bytes, judging) : [];
  const isOther = number > 1 && isAnother(content, { number, bytes }, judging);
  const errors = [...faults, ...(isOther ? [judging.whole.whyChanged] : []), ...found.errors, ...ending];
  const kind = content.kind === 'part' ? content.name : content.kind;
  const place = { offset, sizeBytes: bytes.length, digest: digestOfLine(bytes) };
  return { line: number, kind, isOk: errors.length === 0, ...found, errors, content, place };
}

/** Adds up what lines say. */
function createTally() {
  const counts = { lineCount: 0, badLineCount: 0, envelopeCount: 0, validCount: 0, soundCount: 0, provenCount: 0 };
  return {
    counts,
    note({ isOk, envelope }: BundleLineVerdict): void {
      counts.lineCount++;
      counts.badLineCount += isOk ? 0 : 1;
      if (envelope === undefined) return;
      counts.envelopeCount++;
      counts.validCount += envelope.signature === 'valid' ? 1 : 0;
      counts.soundCount += envelope.signature === 'sound' ? 1 : 0;
      counts.provenCount += envelope.isProven ? 1 : 0;
    },
  };
}

function judgingOf(glance: BundleGlance, rootOf: BundleCheckOptions['rootOf']): Judging {
  const { manifest, grants, claimedRoot } = glance;
  const ws = manifest?.ws ?? '';
  const known = manifest === undefined ? undefined : rootOf(ws, claimedRoot);
  // Grants stand towards the end: where they were cut off nobody is known, which is no forgery.
  const isUngranted = manifest !== undefined && cutAtLineOf(glance) !== undefined && !grants.has(manifest.peer);
  const root = isUngranted ? undefined : known;
  const lookup = { grants: (peer: string) => grants.get(peer) ?? [], grantedPeers: () => [...grants.keys()] };
  const signers = createBundleSigners({ ws, root, grants: lookup });
  const signature = manifest === undefined ? undefined : signers.ofManifest(manifest);
  return { whole: judgeIntegrity(glance, signature), signature, signers, proven: provenIn(glance, signers) };
}

/** Verifies it. Throws as {@link readBundleLines} does, and what `open` and `onLine` throw. */
export async function checkBundle({ open, rootOf, onLine, signal }: BundleCheckOptions): Promise<BundleSummary> {
  const glance = await glanceAtBundle(open(), signal);
  const judging = judgingOf(glance, rootOf);
  const { whole, signature } = judging;
  const { counts, note } = createTally();
  for await (const raw of readBundleLines(open(), signal)) {
    const verdict = judgeLine(raw, judging);
    note(verdict);
    await onLine(verdict);
  }
  const isSound = counts.badLineCount === 0 && whole.errors.length === 0;
  const { manifest } = glance;
  return {
    isOk: isSound && signature?.kind === 'valid',
    isSound,
    manifest,
    signature,
    ...counts,
    cutAtLine: whole.cutAtLine,
    errors: whole.errors,
  };
}
