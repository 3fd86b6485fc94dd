/**
 * The task that a dead letter holds (protocol.md W4): its bytes as they were, wherever they lie.
 * Law: not a byte of it is altered; what is not the task that the letter names is never given out as it.
 */
import { hash } from 'node:crypto';
import { fromBase64, toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { type JsonNode, scanJson } from '../../shared/base/json-scan.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { DeadLetter } from '../work/dead-letter-judge.ts';
import type { TaskEnvelopeFacts } from './letter-book.ts';

/** Where the envelope is: in the letter, or in the bucket of who wrote it. */
type HeldPlace =
  | { readonly kind: 'here'; readonly data: Uint8Array }
  | { readonly kind: 'object'; readonly bucket: string; readonly object: string; readonly sha256: string };

/** Largest task on the wire: 1 MiB (E2). */
const maxBytes = 1024 * 1024;

const fieldOf = (node: JsonNode | undefined, name: string): JsonNode | undefined =>
  node?.kind === 'object' ? node.members.find((member) => member.name === name)?.value : undefined;
const textOf = (node: JsonNode | undefined): string => (node?.kind === 'string' ? node.value : '');

/** The envelope as the letter's own JSON has it: numbers that JavaScript would round stay as they are (E3). */
function placeIn(payload: Uint8Array): HeldPlace {
  const text = toTextStrict(payload, 'dead letter');
  const found = fieldOf(scanJson(text, { field: 'dead letter' }), 'envelope');
  if (found?.kind === 'string') return { kind: 'here', data: fromBase64(found.value, 'envelope') };
  if (found !== undefined && fieldOf(found, 'specversion') !== undefined) {
    return { kind: 'here', data: utf8(text.slice(found.start, found.end)) };
  }
  const [bucket, object, sha256] = ['bucket', 'object', 'sha256'].map((name) => textOf(fieldOf(found, name)));
  return { kind: 'object', bucket: bucket ?? '', object: object ?? '', sha256: sha256 ?? '' };
}

async function readObject(place: HeldPlace & { readonly kind: 'object' }, durable: DurablePlane, signal?: AbortSignal) {
  const bucket = durable.objects(place.bucket);
  const info = await bucket.info(place.object);
  if (info === undefined) {
    throw new VakError('not-found', 'the task: it lay in the bucket of who wrote the dead letter, and is not there');
  }
  if (info.sizeBytes > maxBytes) {
    throw new VakError('limit-exceeded', `the task: ${info.sizeBytes} bytes, at most ${maxBytes} are taken`);
  }
  const parts: Uint8Array[] = [];
  for await (const part of bucket.get(place.object, signal === undefined ? {} : { signal })) parts.push(part);
  const data = new Uint8Array(Buffer.concat(parts));
  if (hash('sha256', data, 'hex') === place.sha256) return data;
  throw new VakError('corrupt', 'the task: what lies in the bucket is not what the dead letter names by its digest');
}

export interface HeldTaskDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  /** Who wrote the letter. */
  readonly by: string;
  readonly signal?: AbortSignal;
}

/**
 * The bytes of the task that a dead letter holds, given the letter's opened payload. Throws `not-found`, `corrupt`, `limit-exceeded`,
 * and what reading the bucket throws.
 */
export async function readHeldTask(payload: Uint8Array, { workspace, durable, by, signal }: HeldTaskDeps) {
  const place = placeIn(payload);
  if (place.kind === 'here') return place.data;
  if (place.bucket !== mediaBucket(workspace, by)) {
    throw new VakError('corrupt', `the task: it is said to lie in a bucket that is not the one of ${by}`);
  }
  return await readObject(place, durable, signal);
}

const maxType = 255;
const maxKeyId = 192;
const boundedText = (value: unknown, max: number): string | null =>
  typeof value === 'string' && value !== '' && value.length <= max ? value : null;

/** What the letter's own text says of the task's envelope; undefined: it lies elsewhere. */
export function factsIn({ envelope }: Pick<DeadLetter, 'envelope'>): TaskEnvelopeFacts | undefined {
  if (typeof envelope === 'string') return { type: null, key: null };
  if ('bucket' in envelope && !('specversion' in envelope)) return undefined;
  const said = envelope as Readonly<Record<string, unknown>>;
  const [keyId, peer] = [boundedText(said['keyid'], maxKeyId), boundedText(said['agentid'], 64)];
  return { type: boundedText(said['type'], maxType), key: keyId === null || peer === null ? null : { keyId, peer } };
}
