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
}

/** A secret by its name, never its value. */
export interface SecretStatus {
  readonly name: string;
  readonly isSet: boolean;
  /** Where the one in use comes from. */
  readonly source: 'file' | 'environment' | 'key store' | null;
  readonly help: string;
}

export interface SettingsState {
  readonly path: string;
  readonly values: readonly SettingValue[];
  readonly secrets: readonly SecretStatus[];
  /** What is wrong in the file: key, what was found, what is allowed. The defaults stand in for those keys. */
  readonly problems: readonly { readonly key: string; readonly message: string }[];
}

const key = z.string().min(1).max(200);

export const settingsContract = {
  /** Throws `invalid-input` with what is allowed, `secret-misplaced` for a value that looks like a secret. */
  set: call(z.object({ key, value: z.union([z.string().max(4096), z.number(), z.boolean()]) }))<void>(),
  /** Returns the key to its default. */
  reset: call(z.object({ key }))<void>(),
  /** Asks for the secret in a window of its own and keeps it in the key store. */
  setSecret: call(z.object({ name: key }))<void>(),
  deleteSecret: call(z.object({ name: key }))<void>(),
  current: snapshot<SettingsState>(),
} as const;
