/**
 * Settings of this profile (product.md "Configuration").
 * Law: a secret goes in by a window of main's own and never comes out; here only whether it is set, and where from.
 */
import { z } from 'zod';
import { call, snapshot } from './define-contract.ts';

/** A setting as it stands: what the file says, else the default. */
export interface SettingValue {
  readonly key: string;
  readonly value: string | number | boolean | null;
  readonly isDefault: boolean;
  /** One line of help. */
  readonly help: string;
  /** What is allowed, for people. */
  readonly allowed: string;
  /** When another value counts. */
  readonly applies: 'at-once' | 'next-connection' | 'next-start';
  /** Of `next-start`: another value was in force when the app was started. */
  readonly isWaiting: boolean;
}

/** A secret by its name, never its value. */
export interface SecretStatus {
  readonly name: string;
  readonly isSet: boolean;
  /** Where the one in use comes from. */
  readonly source: 'file' | 'environment' | 'key store' | null;
  readonly help: string;
}

/** A secret of the workspace by its id (E7), never its bytes. */
export interface WorkspaceSecretStatus {
  readonly id: string;
  readonly state: 'active' | 'open-only' | 'revoked';
  /** Of `open-only`: from then on (ms since the epoch) it opens nothing any more; null: for good. */
  readonly openOnlyUntilMs: number | null;
  /** The newest active one: what this profile and its peers send now is sealed under it. */
  readonly isSealing: boolean;
  /** One from the environment opens and is not changed here. */
  readonly source: 'environment' | 'key store';
}

/** The key that the operator's own messages are sealed with now; another one is derived each day and each start (E7). */
export interface SealingKey {
  readonly secretId: string;
  readonly sealedCount: number;
  /** After so many a fresh key is derived. */
  readonly limitCount: number;
}

/** What a stream of the workspace keeps (protocol.md §1), and what it holds now. */
export interface StreamHolding {
  /** Its name in the table: `WORK`, `DLQ` … */
  readonly kind: string;
  readonly name: string;
  /** As the engine has it; null: it is not there. */
  readonly kept: KeptLimits | null;
  /** As the settings and the table ask for it. */
  readonly asked: KeptLimits;
  readonly messageCount: number;
  readonly bytes: number;
}

/** Limits of a stream; null: none. `until-done`: a message goes when it is acknowledged. */
export interface KeptLimits {
  readonly retention: 'limits' | 'until-done';
  readonly maxAgeMs: number | null;
  readonly maxBytes: number | null;
  readonly whenFull: 'refuse-new' | 'drop-old';
}

export interface Holdings {
  /** Null: the operator has sealed nothing yet on this connection. */
  readonly sealingKey: SealingKey | null;
  /** Null while no engine is there, and why. */
  readonly streams: readonly StreamHolding[] | null;
  readonly why: string | null;
}

export interface SettingsState {
  readonly path: string;
  readonly values: readonly SettingValue[];
  readonly secrets: readonly SecretStatus[];
  /** Oldest first; empty while the key store is locked. */
  readonly workspaceSecrets: readonly WorkspaceSecretStatus[];
  /**
   * What is wrong in the file: key, what was found, what is allowed. The defaults stand in for those keys. `line`: where it stands in the
   * file, from 1; null where there is no such place.
   */
  readonly problems: readonly { readonly key: string; readonly message: string; readonly line: number | null }[];
}

const key = z.string().min(1).max(200);
const secretId = z.string().min(1).max(64);

export const settingsContract = {
  /** Throws `invalid-input` with what is allowed, `secret-misplaced` for a value that looks like a secret. */
  set: call(z.object({ key, value: z.union([z.string().max(4096), z.number(), z.boolean()]) }))<void>(),
  /** Returns the key to its default. */
  reset: call(z.object({ key }))<void>(),
  /** Asks for the secret in a window of its own and keeps it in the key store. */
  setSecret: call(z.object({ name: key }))<void>(),
  deleteSecret: call(z.object({ name: key }))<void>(),
  /**
   * Adds a secret to the workspace: a random one, or one that is asked for in a window of its own. `id` null: the next free one. Throws
   * `exists`, `invalid-input`, `aborted` if the window is closed.
   */
  addSecret: call(z.object({ id: secretId.nullable(), from: z.enum(['random', 'typed']) }))<{ readonly id: string }>(),
  /** Lets a secret seal (`active`), or only open, until a time or for good (null). Throws `not-found`, `conflict` for one that was revoked. */
  setSecretUse: call(
    z.object({ id: secretId, use: z.enum(['active', 'open-only']), untilMs: z.int().positive().nullable() }),
  )<void>(),
  /** What the window shows and that secret opens: how many of the messages in the buffer are sealed under it. */
  secretReach: call(z.object({ id: secretId }))<{ readonly sealedCount: number; readonly bufferedCount: number }>(),
  /** Takes a secret out of use for good. Throws `invalid-input` unless `confirmedId` is its id, `not-found`. */
  revokeSecret: call(z.object({ id: secretId, confirmedId: z.string().max(64) }))<void>(),
  /** Looks at what the engine keeps now; whoever shows it asks again. */
  holdings: call(z.object({}))<Holdings>(),
  current: snapshot<SettingsState>(),
} as const;
