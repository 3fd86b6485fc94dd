/**
 * W3C trace context, level 2 (protocol.md E4): reading, writing, child spans.
 * Law: ids are never zero; a child keeps trace id, flags and tracestate; tracestate never stands without a valid traceparent.
 */
import { toHex } from '../base/bytes.ts';
import { readTracestate } from './tracestate.ts';

/** A place in a trace. */
export interface TraceContext {
  /** 32 lower hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower hex digits, not all zero. */
  readonly spanId: string;
  /** 0–255: bit 0 sampled, bit 1 random trace id; the others are kept as they came. */
  readonly flags: number;
  readonly tracestate: string | undefined;
}

/** What a `traceparent` says. */
export interface Traceparent {
  /** 0–254. */
  readonly version: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const formLength = 55;
const onlyZeros = /^0+$/;
/** Sampled, and its trace id was drawn at random (level 2, §3.2.2.5.2). */
const newTraceFlags = 0x03;
/** Draws before a source of randomness that gives only zeros is taken for broken. */
const maxDraws = 8;

/** Reads a `traceparent`: version 00 is exactly 55 characters, a higher one is read by its first 55; undefined if invalid (E4). */
export function parseTraceparent(text: string): Traceparent | undefined {
  if (text.length > formLength && text[formLength] !== '-') return undefined;
  const found = form.exec(text.slice(0, formLength));
  if (found === null) return undefined;
  const [, version, traceId, spanId, flags] = found as unknown as [string, string, string, string, string];
  if (version === 'ff' || (version === '00' && text.length !== formLength)) return undefined;
  if (onlyZeros.test(traceId) || onlyZeros.test(spanId)) return undefined;
  return { version: Number.parseInt(version, 16), traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** The context of two attributes as they came; undefined without a valid `traceparent`, an invalid `tracestate` is dropped (E4). */
export function readTraceContext(traceparent?: string, tracestate?: string): TraceContext | undefined {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (parent === undefined) return undefined;
  const { traceId, spanId, flags } = parent;
  return { traceId, spanId, flags, tracestate: readTracestate(tracestate) };
}

/** The `traceparent` of a context, version 00. */
export function formatTraceparent(context: TraceContext): string {
  return `00-${context.traceId}-${context.spanId}-${context.flags.toString(16).padStart(2, '0')}`;
}

function drawId(randomBytes: (length: number) => Uint8Array, length: number): string {
  for (let draw = 0; draw < maxDraws; draw++) {
    const bytes = randomBytes(length);
    if (bytes.length === length && bytes.some((byte) => byte !== 0)) return toHex(bytes);
  }
  throw new Error(`randomness gave no usable ${length} bytes in ${maxDraws} draws`);
}

/** A new trace, sampled, with random ids. */
export function startTrace(randomBytes: (length: number) => Uint8Array): TraceContext {
  return {
    traceId: drawId(randomBytes, 16),
    spanId: drawId(randomBytes, 8),
    flags: newTraceFlags,
    tracestate: undefined,
  };
}

/** A span below `context`: same trace id, flags and tracestate, new span id (E4). */
export function childOf(context: TraceContext, randomBytes: (length: number) => Uint8Array): TraceContext {
  return { ...context, spanId: drawId(randomBytes, 8) };
}
