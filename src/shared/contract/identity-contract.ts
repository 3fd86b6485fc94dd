/**
 * Who this profile is, and the key store behind it.
 * Law: no call takes or gives a secret: where one is needed, main asks for it in a window of its own.
 */
import { z } from 'zod';
import { call, snapshot } from './define-contract.ts';

/** What must be typed to start anew. */
export const startAnewPhrase = 'start anew';

/** The key store as the app shows it. */
export interface KeyStoreState {
  /**
   * `absent`: none was ever made. `locked`: waits for `unlock`. `recovery`: its keychain has changed or refuses.
   * `corrupt`: neither the file nor its last good copy can be read. `self-test-failed`: nothing is opened.
   */
  readonly kind: 'absent' | 'locked' | 'unlocked' | 'recovery' | 'corrupt' | 'self-test-failed';
  readonly keychain: { readonly name: string; readonly isReal: boolean };
  /** Ways to open it. */
  readonly slots: readonly ('keychain' | 'passphrase')[];
  /** Why it is in recovery, corrupt or failed its self-test; for people. */
  readonly reason: string | null;
  /** Things that went otherwise than expected and lost nothing, e.g. that the last good copy was opened. */
  readonly notices: readonly string[];
  /** Minutes without use after which it locks; 0: never. */
  readonly idleLockMinutes: number;
}

/** A grant as it is shown (I4). */
export interface GrantSummary {
  readonly peer: string;
  readonly sign: string;
  readonly roles: readonly string[];
  readonly queues: readonly string[];
  readonly serial: number;
  /** Seconds since the epoch; 0: without end. */
  readonly notAfter: number;
}

/** What of a key store is lost with it. */
export type BackedUpKind = 'identity' | 'box-key' | 'root' | 'secret' | 'credential' | 'room-key';

/** How the keys stand to their last backup that this profile knows of. */
export interface BackupStanding {
  /** Null: none was ever made. `restored`: the keys came out of one then, ms since the epoch. */
  readonly last: { readonly atMs: number; readonly how: 'made' | 'restored' } | null;
  /** What it lacks, or has otherwise; empty without a backup. */
  readonly changed: readonly { readonly kind: BackedUpKind; readonly count: number }[];
}

/** This peer's card and standing; null while locked. */
export interface SelfSummary {
  readonly workspace: string;
  readonly peer: string;
  readonly kind: 'human' | 'bot' | 'process';
  readonly name: string;
  readonly sign: string;
  /** X25519 public key, base64url. */
  readonly box: string;
  readonly boxExpiresAtMs: number;
  readonly cardSerial: number;
  readonly rootPublic: string;
  readonly holdsRoot: boolean;
  /** Its own grant in force; none: it may nothing. */
  readonly grants: readonly GrantSummary[];
  /** What every peer of the workspace was granted last, its own among them; revoked ones have no role. */
  readonly workspaceGrants: readonly GrantSummary[];
  /** Workspace secrets by id, never their bytes. */
  readonly secrets: readonly { readonly id: string; readonly state: 'active' | 'open-only' | 'revoked' }[];
  /** Of the whole key store. */
  readonly backup: BackupStanding;
}

const name = z.string().min(1).max(64);

export const identityContract = {
  /** Makes key store and identity; asks for a passphrase in its own window where there is no real keychain. Throws `aborted` if that is closed. */
  setUp: call(z.object({ peer: name, displayName: name }))<void>(),
  /** Opens the key store; asks for the passphrase if the keychain cannot. */
  unlock: call(z.object({}))<void>(),
  lock: call(z.object({}))<void>(),
  /** The user is there: begins the idle time anew. */
  touch: call(z.object({}))<void>(),
  /** Asks where to write it and for a passphrase; gives the file's path. */
  backup: call(z.object({}))<{ readonly path: string }>(),
  /** Asks for the file and its passphrase. */
  restore: call(z.object({}))<void>(),
  changePassphrase: call(z.object({}))<void>(),
  /** Sets the old store aside and makes a new one; `confirmation` must be the phrase that the screen shows. */
  startAnew: call(z.object({ confirmation: z.string().max(64), peer: name, displayName: name }))<void>(),
  keyStore: snapshot<KeyStoreState>(),
  self: snapshot<SelfSummary | null>(),
} as const;
