/** Payloads of a session's messages as the view needs them. Law: hostile until checked; undefined for whatever does not fit. */
import { fromBase64 } from '../../../shared/base/bytes.ts';

export interface TerminalChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly offset: number;
  readonly bytes: Uint8Array;
}
export interface TokenDelta {
  readonly channel: 'assistant' | 'thinking';
  /** Counts the deltas of its channel from 0. */
  readonly index: number;
  readonly text: string;
}
export interface TelemetryPoint {
  readonly rssBytes: number;
  readonly cpuPercent: number;
}
export interface StatusChange {
  readonly state: string;
  readonly taskId: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly reason: string | undefined;
  /** What ended it, for programs. */
  readonly cause: string | undefined;
}

function fields(payload: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** `vak.events.terminal`. */
export function readTerminal(payload: string): TerminalChunk | undefined {
  const value = fields(payload);
  const offset = numberOf(value?.['offset']);
  const stream = value?.['stream'];
  const bytes = textOf(value?.['bytes']);
  if ((stream !== 'stdout' && stream !== 'stderr') || bytes === undefined) return undefined;
  if (offset === undefined || !Number.isSafeInteger(offset) || offset < 0) return undefined;
  try {
    return { stream, offset, bytes: fromBase64(bytes, 'bytes') };
  } catch {
    return undefined;
  }
}

/** `vak.events.tokens`. */
export function readTokens(payload: string): TokenDelta | undefined {
  const value = fields(payload);
  const channel = value?.['channel'];
  const index = numberOf(value?.['index']);
  const text = textOf(value?.['text']);
  if ((channel !== 'assistant' && channel !== 'thinking') || text === undefined) return undefined;
  if (index === undefined || !Number.isSafeInteger(index) || index < 0) return undefined;
  return { channel, index, text };
}

/** `vak.events.telemetry`. */
export function readTelemetry(payload: string): TelemetryPoint | undefined {
  const value = fields(payload);
  const rssBytes = numberOf(value?.['rssBytes']);
  const cpuPercent = numberOf(value?.['cpuPercent']);
  return rssBytes === undefined || cpuPercent === undefined ? undefined : { rssBytes, cpuPercent };
}

/** `vak.events.status`. */
export function readStatus(payload: string): StatusChange | undefined {
  const value = fields(payload);
  const state = textOf(value?.['state']);
  if (state === undefined) return undefined;
  const detail = (value?.['detail'] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    state,
    taskId: textOf(value?.['taskId']),
    exitCode: numberOf(detail['exitCode']),
    signal: textOf(detail['signal']),
    reason: textOf(detail['reason']),
    cause: textOf(detail['cause']),
  };
}
