/**
 * Connections: named contexts, the one in use, and how it is (product.md "Engines and headless peers", protocol.md B8, B9).
 * Law: no secret is in it; what is shown of the present connection says since when it may be old.
 */
import { z } from 'zod';
import type { ErrorShape } from '../base/vak-error.ts';
import { call, snapshot } from './define-contract.ts';
import { offeredId } from './links-contract.ts';

export const connectionKinds = ['embedded', 'managed', 'remote'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

/** A named connection as the settings have it. */
export interface ConnectionContext {
  readonly name: string;
  readonly kind: ConnectionKind;
  /** Servers of a remote one, as the settings have them. */
  readonly url: string | null;
  readonly colour: string;
  readonly isReadOnly: boolean;
  /** Whether credentials are kept for it, and of what kind. */
  readonly credentials: 'none' | 'password' | 'token' | 'nkey' | 'jwt';
}

/** How the present connection is; times in ms since the epoch. */
export type ConnectionStatus =
  | { readonly kind: 'connecting' | 'connected' | 'stale'; readonly sinceMs: number }
  | {
      readonly kind: 'reconnecting';
      readonly sinceMs: number;
      readonly attempt: number;
      readonly error: ErrorShape | null;
    }
  | { readonly kind: 'closed'; readonly sinceMs: number; readonly error: ErrorShape | null };

/** A time without a connection. `toMs` null: it lasts. Seqs are places in the engine's buffer around it. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** The last message before it. */
  readonly afterSeq: number;
}

export interface MissingFeature {
  readonly feature: string;
  readonly needs: string;
}

export interface ConnectionsState {
  readonly contexts: readonly ConnectionContext[];
  /** Name of the one in use, or that is being changed to. */
  readonly current: string;
  readonly status: ConnectionStatus;
  /** Since when what is shown may be old; null: it is not. */
  readonly staleSinceMs: number | null;
  readonly server: { readonly name: string; readonly version: string } | null;
  readonly rttMs: number | null;
  readonly missing: readonly MissingFeature[];
  /** What the operator has published and no server has acknowledged yet; null while there is no outbox. */
  readonly outbox: {
    readonly waitingCount: number;
    readonly oldestMs: number | null;
    /** Why nothing is kept, or some of what was left is not sent. */
    readonly problem: ErrorShape | null;
  } | null;
  /** Newest last, at most 32. */
  readonly outages: readonly Outage[];
  /** Why a change of the connection failed last; the one before stays in use. */
  readonly problem: ErrorShape | null;
}

/** What a test of a connection found. */
export interface ConnectionTest {
  readonly rttMs: number;
  readonly server: { readonly name: string; readonly version: string } | null;
  /** Null: the server has no JetStream. Bytes; −1: no limit, null: not told. */
  readonly jetStream: { readonly memoryBytes: number | null; readonly storageBytes: number | null } | null;
  readonly missing: readonly MissingFeature[];
}

const name = z.string().min(1).max(64);

export const connectionsContract = {
  /** Connects beside the present connection, measures, and closes again. Throws what connecting throws. */
  test: call(z.object({ name }))<ConnectionTest>(),
  /** Changes to a context; resolves when it is in use. Throws what connecting throws: then the one before stays. */
  use: call(z.object({ name }))<void>(),
  /** Adds a context or changes it. Throws `invalid-input` that names the field. */
  save: call(
    z.object({
      name,
      kind: z.enum(['managed', 'remote']),
      url: z.string().max(2048).nullable(),
      colour: z.string().max(32),
      isReadOnly: z.boolean(),
    }),
  )<void>(),
  /** Takes a context away with its credentials. Throws `invalid-input` for the one in use and for the embedded one. */
  remove: call(z.object({ name }))<void>(),
  /** Takes over the contexts of the `nats` command line; credentials go into the key store. */
  importNats: call(z.object({}))<{
    readonly imported: readonly string[];
    readonly skipped: readonly { readonly name: string; readonly why: string }[];
  }>(),
  /**
   * Asks for a `.creds` file, or takes the one that waits as `linkId` (links-contract.ts), and keeps what is in it for a context; false if
   * nothing was chosen. Throws `conflict` when that file does not wait any more.
   */
  importCredentials: call(z.object({ name, linkId: offeredId }))<{ readonly isImported: boolean }>(),
  state: snapshot<ConnectionsState>(),
} as const;
