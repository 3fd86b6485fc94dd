/** Keys of `vak config bus`: two plain settings, and the names of secrets. */
import { secretNames } from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { showKey } from '../../shared/settings/settings-problem.ts';
import type { Profile } from './profile.ts';

/** Settings that stand in the file. */
export const plainKeys = ['natsUrl', 'workspaceSecretEnv'] as const;

/** Whether a key stands in the settings file and takes its value from the command line. */
export function isPlainKey(key: string): boolean {
  return (plainKeys as readonly string[]).includes(key);
}

/** Names of the profile's secrets. */
export function secretKeys({ settings }: Profile): readonly string[] {
  return secretNames(settings.settings().workspaceSecretEnv);
}

/** Throws `invalid-input` that lists the keys. */
export function checkBusKey(key: string, profile: Profile): void {
  const keys = [...plainKeys, ...secretKeys(profile)];
  if (keys.includes(key)) return;
  throw new VakError('invalid-input', `${showKey(key)}: is no bus setting; allowed: ${keys.join(', ')}`);
}
