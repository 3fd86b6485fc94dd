/**
 * The lines of an incident bundle (docs/spec/triage.md D11): a manifest that is signed, what it is about, its end, and the digests of all.
 * Law: every byte of the file is under the manifest's signature or has one form only, so that none can change unseen.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { fromHex, toText, utf8 } from '../../shared/base/bytes.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { grantRecord } from '../../shared/protocol/identity-records.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';

/** Bounds of a bundle, for who writes and who reads one. */
export const bundleBounds = {
  /** Of a line without its end: an envelope of 1 MiB in base64, and what is said of it. */
  lineBytes: 2 * 1024 * 1024,
  lines: 200_000,
  fileBytes: 512 * 1024 * 1024,
  letters: 10_000,
  /** Of an inclusion proof (E14), with the envelope's own and the checkpoint's. */
  proofLeaves: 257,
  /** Digests that one line of the index has. */
  indexed: 4_096,
} as const;

/** What is said of a file that is too large. */
export function bundleSizeWords(sizeBytes: number): string {
  const mebibyte = 1024 * 1024;
  return `${Math.ceil(sizeBytes / mebibyte)} MiB, a bundle has at most ${bundleBounds.fileBytes / mebibyte} MiB`;
}

const token = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ms = z.int().min(0);
const base64 = z.string().max(1_500_000);
const subject = z.string().max(512);

const manifestLine = z.strictObject({
  kind: z.literal('manifest'),
  v: z.literal(1),
  ws: token,
  /** The operator who made it. */
  peer: token,
  operationId: token,
  createdAt: time,
  /** SHA-256 over the digests of the lines between manifest and index. */
  digest: hex64,
  signer: z.string().regex(/^U[A-Z2-7]{55}$/),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
});
export type BundleManifest = z.infer<typeof manifestLine>;

/** Digests of lines, one after the other, from line `from` on; lines count from 1. */
const indexLine = z.strictObject({
  kind: z.literal('index'),
  from: z.int().min(2),
  digests: z.string().regex(/^[0-9a-f]+$/),
});
export type BundleIndex = z.infer<typeof indexLine>;

/** An envelope as it was stored. `isWithheld`: without its payload, for it was not sealed. */
const envelopeLine = z.strictObject({
  kind: z.literal('envelope'),
  of: z.enum(['letter', 'task', 'receipt', 'audit', 'ancestor']),
  /** Place of the letter that it belongs to; null: of several. */
  letter: z.int().min(1).nullable(),
  id: z.string().max(64),
  subject,
  /** When it was stored: by the grants of that time it is judged. */
  storedMs: ms,
  isWithheld: z.boolean(),
  envelope: base64,
});
export type BundleEnvelope = z.infer<typeof envelopeLine>;

const grantLine = z.strictObject({ kind: z.literal('grant'), storedMs: ms, record: grantRecord });
export type BundleGrant = z.infer<typeof grantLine>;

/** An inclusion proof (E14) of the envelopes of a chain from one on: a signed checkpoint, and the leaf inputs from there to it. */
const proofLine = z.strictObject({
  kind: z.literal('proof'),
  source: z.string().max(512),
  checkpoint: z.strictObject({ subject, storedMs: ms, envelope: base64 }),
  leaves: z.array(z.string().max(4_096)).min(1).max(bundleBounds.proofLeaves),
});
export type BundleProof = z.infer<typeof proofLine>;

/** What a bundle says about itself, first. */
export interface BundleAbout {
  readonly kind: 'about';
  readonly environment: string;
  readonly scope: string;
  readonly reason: string | null;
  readonly letterCount: number;
  readonly isRedacted: boolean;
  /** Public nkey of the workspace's root as whoever made it knows it; null: it is not known there. */
  readonly root: string | null;
}

/** What a bundle says about itself, last. */
export interface BundleEnd {
  readonly kind: 'end';
  /** Lines by their kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was taken out, by its kind. */
  readonly redacted: Readonly<Record<string, number>>;
  readonly leftOut: readonly { readonly why: string; readonly count: number }[];
  readonly notes: readonly string[];
}

const partKind = z.looseObject({ kind: z.string().regex(/^[a-z-]{1,32}$/) });

/** A line that was read; of a kind that nobody knows, or that is for people alone, a `part`. */
export type BundleLine =
  | BundleManifest
  | BundleIndex
  | BundleEnvelope
  | BundleGrant
  | BundleProof
  | { readonly kind: 'part'; readonly name: string; readonly value: Readonly<Record<string, unknown>> };

const schemas = {
  manifest: manifestLine,
  index: indexLine,
  envelope: envelopeLine,
  grant: grantLine,
  proof: proofLine,
} as const;
const isKnown = (kind: string): kind is keyof typeof schemas => Object.hasOwn(schemas, kind);

const refuse = (why: string): never => {
  throw new VakError('invalid-payload', why);
};

/** How deep a line may be nested: what we write is far from it. */
const maxDepth = 32;

/** Deeper than a reader of JSON should go is not read. */
function checkDepth(text: string): void {
  let [depth, isText] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isText) {
      if (sign === '\\') at++;
      else isText = sign !== '"';
    } else if (sign === '"') isText = true;
    else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth--;
    if (depth > maxDepth) refuse(`line: nested deeper than ${maxDepth}`);
  }
}

/** Reads a line. Throws `invalid-payload` that says what is wrong with it. */
export function parseBundleLine(bytes: Uint8Array): BundleLine {
  const text = toText(bytes);
  checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('line: is no JSON');
  }
  const part = partKind.safeParse(value);
  if (!part.success) return refuse('line: is no object with a kind');
  const { kind } = part.data;
  if (!isKnown(kind)) return { kind: 'part', name: kind, value: part.data };
  const parsed = schemas[kind].safeParse(value);
  if (!parsed.success) return refuse(`${kind}: ${firstIssue(parsed.error)}`);
  return parsed.data;
}

/** The bytes of a line, without its end. */
export function bundleLineBytes(line: object): Uint8Array {
  return utf8(JSON.stringify(line));
}

/** SHA-256 of a line, 64 lower hex digits. */
export function digestOfLine(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** SHA-256 over the digests of lines, which are in lower hex. */
export function digestOfDigests(digests: readonly string[]): string {
  return hash('sha256', Buffer.from(digests.join(''), 'hex'), 'hex');
}

/** What the manifest's signature is over. */
export function manifestMessage({
  ws,
  peer,
  operationId,
  createdAt,
  digest,
}: Omit<BundleManifest, 'kind' | 'v' | 'signer' | 'signature'>): Uint8Array {
  const bytes = fromHex(digest, 'digest');
  return labelledFields('vak-bundle-v1', [ws, peer, operationId, createdAt, bytes]);
}
