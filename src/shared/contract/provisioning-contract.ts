/**
 * What a workspace needs on the server of the connection in use, and making it (protocol.md §1; `vak provision`).
 * Law: what is shown is what is made; nothing is changed by looking.
 */
import { z } from 'zod';
import { call, snapshot } from './define-contract.ts';

/** A stream or bucket of the workspace. Ages in ms, sizes in bytes; null: without bound. */
export interface ProvisioningPart {
  readonly name: string;
  readonly kind: 'stream' | 'key-value';
  /** What comes of it, or came: it was made, changed to be as it should, or is so already. */
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Of a stream. */
  readonly subjects: readonly string[];
  readonly maxAgeMs: number | null;
  readonly maxBytes: number | null;
  readonly whenFull: 'refuse-new' | 'drop-old' | null;
  /** Values of a key that a bucket keeps; null: it is none. */
  readonly history: number | null;
  /** Copies of a new one; what is there keeps the number that whoever runs the server gave it. */
  readonly replicas: number;
}

export interface ProvisioningPlan {
  /** Name of the context that it is for. */
  readonly environment: string;
  readonly parts: readonly ProvisioningPart[];
}

export interface ProvisioningState {
  /** Streams of the workspace that the server lacks; empty also while that is not known. */
  readonly lacking: readonly string[];
}

export const provisioningContract = {
  /** Says what would be made or changed. Throws `disconnected`, `unsupported` (no JetStream), `unauthorized`, `conflict` … */
  plan: call(z.object({}))<ProvisioningPlan>(),
  /**
   * Makes it. `environment`: the one that was shown; throws `conflict` if it is another by now, `read-only`, and what the server says;
   * what was made before stays.
   */
  make: call(z.object({ environment: z.string().min(1).max(256) }))<ProvisioningPlan>(),
  state: snapshot<ProvisioningState>(),
} as const;
