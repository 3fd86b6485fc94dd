/**
 * What the test button says of a connection (issue's "Connections").
 * Law: it reads and pings, and changes nothing; what cannot be known is told as unknown, never guessed.
 */

import type { ErrorShape } from '../../shared/base/vak-error.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { StorageLimits } from '../bus/durable.ts';
import type { Fabric, FabricFacts } from '../bus/fabric.ts';

/** The durable plane as this client may see it. */
export type DurableReport =
  | {
      readonly kind: 'on';
      readonly streamCount: number;
      readonly messageCount: number;
      readonly bytes: number;
      /** Sum of the streams' bounds; null: one of them has none. */
      readonly reservedBytes: number | null;
    }
  /** `needs`: what would turn it on. */
  | { readonly kind: 'off'; readonly needs: string }
  /** It is there, and this client may not list its streams. */
  | { readonly kind: 'unknown'; readonly error: ErrorShape };

export interface ConnectionReport {
  readonly kind: FabricFacts['kind'];
  /** Median of five round trips. */
  readonly rttMs: number;
  readonly server: FabricFacts['server'];
  readonly maxMessageBytes: number;
  /** Null: there is no durable plane. */
  readonly jetStream: StorageLimits | null;
  readonly durable: DurableReport;
  readonly missing: FabricFacts['missing'];
}

const pings = 5;

function checkGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new VakError('aborted', 'test of the connection: cancelled');
}

/** Rejects with `aborted` as soon as it is cancelled, whatever the engine waits for. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  checkGoing(signal);
  if (signal === undefined) return await work;
  let cancel: () => void = () => {};
  const cancelled = new Promise<never>((_, reject) => {
    cancel = () => reject(new VakError('aborted', 'test of the connection: cancelled'));
    signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function medianOfPings(fabric: Fabric, signal: AbortSignal | undefined): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < pings; i++) took.push(await unlessAborted(fabric.ping(), signal));
  return took.sort((a, b) => a - b)[Math.floor(pings / 2)] as number;
}

async function reportDurable(fabric: Fabric, signal: AbortSignal | undefined): Promise<DurableReport> {
  const lacking = fabric.facts().missing.find(({ feature }) => feature === 'streams');
  if (lacking !== undefined) return { kind: 'off', needs: lacking.needs };
  try {
    const streams = await unlessAborted(fabric.durable.streams(), signal);
    const bounds = streams.map(({ spec }) => spec.maxBytes);
    return {
      kind: 'on',
      streamCount: streams.length,
      messageCount: streams.reduce((sum, one) => sum + one.messageCount, 0),
      bytes: streams.reduce((sum, one) => sum + one.bytes, 0),
      reservedBytes: bounds.includes(null) ? null : bounds.reduce<number>((sum, bound) => sum + (bound ?? 0), 0),
    };
  } catch (error) {
    if (!isVakError(error)) throw error;
    if (error.code === 'unsupported') return { kind: 'off', needs: error.message };
    if (error.code === 'unauthorized') return { kind: 'unknown', error: error.toShape() };
    throw error;
  }
}

async function readLimits(fabric: Fabric, signal: AbortSignal | undefined): Promise<StorageLimits> {
  try {
    return await unlessAborted(fabric.durable.limits(), signal);
  } catch (error) {
    if (isVakError(error) && error.code === 'unauthorized') return { memoryBytes: null, storageBytes: null };
    throw error;
  }
}

/** Tests a connection that is open. Throws `aborted`, `timeout`, `disconnected`, `closed`. */
export async function testConnection(fabric: Fabric, signal?: AbortSignal): Promise<ConnectionReport> {
  const rttMs = await medianOfPings(fabric, signal);
  const durable = await reportDurable(fabric, signal);
  const { kind, server, maxMessageBytes, missing } = fabric.facts();
  const jetStream = durable.kind === 'off' ? null : await readLimits(fabric, signal);
  return { kind, rttMs, server, maxMessageBytes, jetStream, durable, missing };
}
