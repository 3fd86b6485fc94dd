/**
 * One engine of the fabric, whole: its live plane, its durable plane, and how its connection is (protocol.md §5).
 * Law: both engines give exactly this; who uses it cannot tell which one it is.
 */
import type { Bus } from './bus.ts';
import type { BusStatusSource } from './bus-status.ts';
import type { DurablePlane } from './durable.ts';

/** What an engine cannot do, and what it would need (B9). */
export interface MissingFeature {
  readonly feature: string;
  readonly needs: string;
}

export interface FabricFacts {
  readonly kind: 'embedded' | 'nats';
  /** Of a server: its name and version; of the embedded engine null. */
  readonly server: { readonly name: string; readonly version: string } | null;
  /** Largest message, in bytes. */
  readonly maxMessageBytes: number;
  readonly missing: readonly MissingFeature[];
}

/** What of a fabric a peer uses: its life is its host's. */
export type PeerFabric = Pick<Fabric, 'bus' | 'durable' | 'status' | 'onStatus'>;

export interface Fabric extends BusStatusSource {
  readonly bus: Bus;
  readonly durable: DurablePlane;
  facts(): FabricFacts;
  /** Sends a word there and back; ms. Throws `timeout`, `disconnected`, `closed`. */
  ping(): Promise<number>;
  /** Delivers what waits, then ends everything. */
  close(): Promise<void>;
}
