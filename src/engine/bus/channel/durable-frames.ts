/**
 * What the two ends of a channel say to each other for the durable plane (protocol.md B3–B5).
 * Law: a call is open from its frame until the peer has taken its answer; parts of a flow go by credit, in both directions.
 */
import type { ErrorShape } from '../../../shared/base/vak-error.ts';
import type { KeyValueEntry } from '../durable.ts';
import { type FieldCheck, isBytes, isId, type Reading, readFrame } from './channel-frames.ts';
import type { DurableCall } from './durable-calls.ts';

/** A change of a watched bucket; without an entry the key was deleted. */
export interface WireChange {
  readonly key: string;
  readonly entry: KeyValueEntry | undefined;
}

/** Peer → main. Ids are the peer's; they only rise. */
export type PlanePeerFrame<Call = DurableCall> =
  | { readonly kind: 'durable-call'; readonly id: number; readonly call: Call }
  | { readonly kind: 'durable-abort'; readonly id: number }
  /** The answer is here: the call is over. */
  | { readonly kind: 'durable-taken'; readonly id: number }
  /** Main may send one more part, or batch of changes. */
  | { readonly kind: 'durable-next'; readonly id: number }
  /** A part of an object that is put, and that there are no more. */
  | { readonly kind: 'durable-part'; readonly id: number; readonly data: Uint8Array }
  | { readonly kind: 'durable-end'; readonly id: number };

/** Main → peer. */
export type PlaneHostFrame =
  | { readonly kind: 'durable-reply'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'durable-error'; readonly id: number; readonly error: ErrorShape }
  /** The peer may send one more part. */
  | { readonly kind: 'durable-next'; readonly id: number }
  | { readonly kind: 'durable-part'; readonly id: number; readonly data: Uint8Array }
  /** `isReady`: after these changes all that was there at the beginning has been told. */
  | {
      readonly kind: 'durable-changes';
      readonly id: number;
      readonly changes: readonly WireChange[];
      readonly isReady: boolean;
    };

/** Most calls of a peer that are open, pulls and flows apart, and what they may weigh. */
export const maxOpenCalls = 256;
export const maxOpenBytes = 4 * 1024 * 1024;
/** Most pulls of a peer that are open: each can bring a page of 5 MiB. */
export const maxOpenPulls = 32;
/** Most watches, and objects under way, of a peer. */
export const maxOpenFlows = 32;
/** Parts of an object that may be under way without an answer, each way. */
export const partWindow = 8;
/** Largest part of an object that a peer puts, bytes. */
export const maxPartBytes = 128 * 1024;

const hasId: FieldCheck = (f) => isId(f['id']);
const hasPart: FieldCheck = (f) => isId(f['id']) && isBytes(f['data']);

const peerChecks: Readonly<Record<PlanePeerFrame['kind'], FieldCheck>> = {
  'durable-call': (f) => isId(f['id']) && typeof f['call'] === 'object' && f['call'] !== null,
  'durable-abort': hasId,
  'durable-taken': hasId,
  'durable-next': hasId,
  'durable-part': hasPart,
  'durable-end': hasId,
};

const hostChecks: Readonly<Record<PlaneHostFrame['kind'], FieldCheck>> = {
  'durable-reply': hasId,
  'durable-error': (f) => isId(f['id']) && typeof f['error'] === 'object' && f['error'] !== null,
  'durable-next': hasId,
  'durable-part': hasPart,
  'durable-changes': (f) => isId(f['id']) && Array.isArray(f['changes']) && typeof f['isReady'] === 'boolean',
};

/** Reads a value that a peer sent; the call in it is still to be read. `foreign`: a kind of another protocol. */
export function readPlanePeerFrame(value: unknown): Reading<PlanePeerFrame<unknown>> {
  return readFrame(value, peerChecks);
}

/** Reads a value that main sent. */
export function readPlaneHostFrame(value: unknown): Reading<PlaneHostFrame> {
  return readFrame(value, hostChecks);
}
