/**
 * Whether an envelope in a bundle is what was published, and lies in its sender's chain (docs/spec/triage.md D11, protocol.md E10, E13, E14).
 * Law: all is computed from the bytes; what the line says of them is compared, and not believed.
 */
import { hash } from 'node:crypto';
import { fromBase64, toText } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { isSameSender } from '../../shared/protocol/envelope-fields.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { leafOf, payloadHashOf } from '../envelope/hashing.ts';
import type { BundleEnvelope, BundleProof } from './bundle-format.ts';
import type { BundleSignature, BundleSigners } from './bundle-signers.ts';

export interface EnvelopeFinding {
  readonly id: string;
  readonly type: string;
  readonly by: string;
  /** 64 lower hex digits (E10). */
  readonly leaf: string;
  readonly isSealed: boolean;
  /** Of the payload against its hash; `withheld`: it is not in the bundle. */
  readonly payload: 'ok' | 'changed' | 'withheld';
  readonly signature: BundleSignature['kind'];
  readonly signer: string | null;
  /** A proof in the bundle shows that it lies in its sender's chain. */
  readonly isProven: boolean;
}

export interface ProofFinding {
  readonly source: string;
  /** Places of the chain that it covers. */
  readonly from: number;
  readonly to: number;
  /** 64 lower hex digits each. */
  readonly leaves: readonly string[];
  readonly signature: BundleSignature['kind'];
}

/** What was found, and what is wrong with it, in sentences. */
export interface Checked<T> {
  readonly finding: T | undefined;
  readonly errors: readonly string[];
}

/** Bytes that come after the sequence number in a leaf's input: `|prev|payloadhash`. */
const tailLength = 1 + 64 + 1 + 64;
const placeLength = 8;

interface LeafPlace {
  readonly seq: number;
  readonly previous: string;
  readonly leaf: string;
}

/** What the input of a leaf says; undefined: it is too short for one. */
function placeOf(input: Uint8Array): LeafPlace | undefined {
  const at = input.length - tailLength - placeLength;
  if (at < 0) return undefined;
  const seq = Number(new DataView(input.buffer, input.byteOffset + at).getBigUint64(0));
  const previous = toText(input.subarray(at + placeLength + 1, at + placeLength + 1 + 64));
  return { seq, previous, leaf: hash('sha256', input, 'hex') };
}

function decoded<T>(read: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (isVakError(error)) return { error: `${error.message}.` };
    throw error;
  }
}

const sayWhy = (signature: BundleSignature): readonly string[] => (signature.kind === 'invalid' ? [signature.why] : []);

/** Checks an envelope's line. `proven`: leaves that proofs of the bundle show. Never throws for what it holds. */
export function checkBundleEnvelope(
  line: BundleEnvelope,
  signers: BundleSigners,
  proven: ReadonlySet<string>,
): Checked<EnvelopeFinding> {
  const read = decoded(() => decodeEnvelope(fromBase64(line.envelope, 'envelope')));
  if ('error' in read) return { finding: undefined, errors: [read.error] };
  const envelope = read.value;
  const { id, type, agentid: by, subject, payloadhash, seal } = envelope;
  const leaf = leafOf(envelope);
  const isThere = payloadHashOf(envelope) === payloadhash;
  const payload = line.isWithheld ? 'withheld' : isThere ? 'ok' : 'changed';
  const signature = signers.ofEnvelope(envelope, line.subject, line.storedMs);
  const errors = [
    ...(payload === 'changed' ? ['Its payload is not the one that its hash names.'] : []),
    ...(id === line.id ? [] : ['Its id is another than its line says.']),
    ...(subject === undefined || subject === line.subject ? [] : ['Its subject is another than its line says.']),
    ...sayWhy(signature),
  ];
  const { kind, signer } = signature;
  const isSealed = seal !== undefined;
  const finding = {
    id,
    type,
    by,
    leaf,
    isSealed,
    payload,
    signature: kind,
    signer,
    isProven: proven.has(leaf),
  } as const;
  return { finding, errors };
}

/** Why the inputs do not lead to the head that the checkpoint names. */
function findBrokenLink(places: readonly (LeafPlace | undefined)[], seq: number, head: string): string | undefined {
  let before: LeafPlace | undefined;
  for (const place of places) {
    if (place === undefined) return 'One of its leaf inputs is too short.';
    const follows = before === undefined || (place.seq === before.seq + 1 && place.previous === before.leaf);
    if (!follows) return `Its leaf inputs do not follow each other at place ${place.seq}.`;
    before = place;
  }
  if (before?.seq === seq && before.leaf === head) return undefined;
  return 'Its leaf inputs do not lead to the head that the checkpoint names.';
}

/** The checkpoint, as it was signed. Throws `invalid-payload`. */
function readCheckpoint(envelope: Envelope) {
  return decodePayload('vak.audit.checkpoint', payloadBytesOf(envelope));
}

/** Checks a proof's line. Never throws for what it holds. */
export function checkBundleProof(line: BundleProof, signers: BundleSigners): Checked<ProofFinding> {
  const { source, checkpoint, leaves } = line;
  const read = decoded(() => {
    const envelope = decodeEnvelope(fromBase64(checkpoint.envelope, 'checkpoint'));
    const inputs = leaves.map((one) => placeOf(fromBase64(one, 'leaves')));
    return { envelope, inputs, said: readCheckpoint(envelope) };
  });
  if ('error' in read) return { finding: undefined, errors: [read.error] };
  const { envelope, inputs, said } = read.value;
  const signature = signers.ofEnvelope(envelope, checkpoint.subject, checkpoint.storedMs);
  const broken = findBrokenLink(inputs, said.seq, said.head);
  const errors = [
    ...(said.source === source && isSameSender(envelope.source, source) ? [] : ['Its checkpoint is of another chain.']),
    ...(payloadHashOf(envelope) === envelope.payloadhash ? [] : ['Its checkpoint was changed.']),
    ...(signature.kind === 'unsigned' ? ['Its checkpoint is not signed.'] : []),
    ...sayWhy(signature),
    ...(broken === undefined ? [] : [broken]),
  ];
  const places = inputs.filter((one) => one !== undefined);
  const [from, to] = [places[0]?.seq ?? 0, said.seq];
  return { finding: { source, from, to, leaves: places.map(({ leaf }) => leaf), signature: signature.kind }, errors };
}
