/**
 * What the two ends of a bus channel say to each other.
 * Law: a frame from the other process is checked before use; one that is not understood is left to others on the same port.
 */
import type { ErrorShape } from '../../../shared/base/vak-error.ts';
import type { BufferedDelivery, Message } from '../bus.ts';

/** A message in a batch; `request` is set when an answer is awaited. */
export interface WireMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly request?: number;
}

/** Peer → main. */
export type PeerFrame =
  | { readonly kind: 'publish'; readonly subject: string; readonly data: Uint8Array }
  | {
      readonly kind: 'subscribe';
      readonly id: number;
      readonly pattern: string;
      readonly policy: BufferedDelivery['kind'];
      readonly capacity: number;
    }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  | { readonly kind: 'batch-done'; readonly id: number }
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly subject: string;
      readonly data: Uint8Array;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'request-abort'; readonly id: number }
  | { readonly kind: 'respond'; readonly id: number; readonly data: Uint8Array };

/** Main → peer. */
export type HostFrame =
  | { readonly kind: 'credit'; readonly bytes: number }
  | {
      readonly kind: 'batch';
      readonly id: number;
      readonly messages: readonly WireMessage[];
      readonly dropped: number;
    }
  | { readonly kind: 'reply'; readonly id: number; readonly data: Uint8Array }
  | { readonly kind: 'reply-error'; readonly id: number; readonly error: ErrorShape };

/** Unacknowledged bytes above which a peer stops reading its own sources. */
export const windowBytes = 1024 * 1024;
/** Unacknowledged bytes above which a peer that does not wait loses its publishes, counted. */
export const hardLimitBytes = 4 * windowBytes;

/** Ports copy all the memory that bytes lie in, so what is a part of more goes by itself, and is kept by itself. */
export function alone(data: Uint8Array): Uint8Array {
  return data.length === data.buffer.byteLength ? data : new Uint8Array(data);
}

/** What a publish weighs in the window: its bytes and a share for the frame itself. */
export function weightOf(message: Pick<Message, 'subject' | 'data'>): number {
  return message.data.length + message.subject.length + 64;
}

/** A number by which one side names something. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
export const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 4096;
const isCount = (value: unknown, most: number): boolean => isId(value) && (value as number) >= 1 && value <= most;

/** Whether the fields of a frame are as its kind has them. */
export type FieldCheck = (frame: Record<string, unknown>) => boolean;

const peerChecks: Readonly<Record<PeerFrame['kind'], FieldCheck>> = {
  publish: (f) => isText(f['subject']) && isBytes(f['data']),
  subscribe: (f) =>
    isId(f['id']) &&
    isText(f['pattern']) &&
    (f['policy'] === 'drop-oldest' || f['policy'] === 'latest') &&
    isCount(f['capacity'], 65_536),
  unsubscribe: (f) => isId(f['id']),
  'batch-done': (f) => isId(f['id']),
  request: (f) => isId(f['id']) && isText(f['subject']) && isBytes(f['data']) && isCount(f['timeoutMs'], 3_600_000),
  'request-abort': (f) => isId(f['id']),
  respond: (f) => isId(f['id']) && isBytes(f['data']),
};

const hostChecks: Readonly<Record<HostFrame['kind'], FieldCheck>> = {
  credit: (f) => isId(f['bytes']),
  batch: (f) => isId(f['id']) && Array.isArray(f['messages']) && isId(f['dropped']),
  reply: (f) => isId(f['id']) && isBytes(f['data']),
  'reply-error': (f) => isId(f['id']) && typeof f['error'] === 'object' && f['error'] !== null,
};

/** A frame that was checked, or why there is none. */
export type Reading<Frame> = { readonly frame: Frame } | 'foreign' | 'malformed';

/** Reads a value from the other side. `foreign`: a kind that has no check here. */
export function readFrame<Frame>(value: unknown, checks: Readonly<Record<string, FieldCheck>>): Reading<Frame> {
  if (typeof value !== 'object' || value === null) return 'malformed';
  const kind = (value as { kind?: unknown }).kind;
  if (typeof kind !== 'string') return 'malformed';
  if (!Object.hasOwn(checks, kind)) return 'foreign';
  return checks[kind]?.(value as Record<string, unknown>) ? { frame: value as Frame } : 'malformed';
}

/** Reads a value that a peer sent. `foreign`: a kind of another protocol on the same port. */
export function readPeerFrame(value: unknown): Reading<PeerFrame> {
  return readFrame(value, peerChecks);
}

/** Reads a value that main sent. */
export function readHostFrame(value: unknown): Reading<HostFrame> {
  return readFrame(value, hostChecks);
}
