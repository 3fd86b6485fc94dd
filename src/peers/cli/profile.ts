/** The profile that a command works on: its settings, and its key store when it is needed. */

import { createFileKeyStore, type FileKeyStore } from '../../engine/identity/file-key-store.ts';
import { type ProfileFiles, profileFiles } from '../../engine/settings/profile-files.ts';
import { openSettingsFile, type SettingsFile } from '../../engine/settings/settings-file.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { refuseValuesInArgv } from './argv-secrets.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { refuseReadOnly } from './settings-for.ts';

export interface Profile extends Disposable {
  readonly files: ProfileFiles;
  readonly settings: SettingsFile;
  /** Nothing of it is read before it is used. */
  readonly keyStore: FileKeyStore;
  readonly held: { add<T extends Disposable>(disposable: T): T };
}

/** Opens the profile, and says what in its settings is not used. */
async function openProfile(common: CommonOptions, host: CliHost): Promise<Profile> {
  const { clock, randomness, logger, vault, output } = host;
  const held = createDisposer();
  const files = profileFiles(common.profile);
  const settings = held.add(
    await openSettingsFile({ file: files.settings, clock, randomness, logger, watchEveryMs: 0 }),
  );
  const { idleLockMinutes, workspaceSecretEnv } = settings.settings();
  refuseValuesInArgv(common.typed, [workspaceSecretEnv], host.environment);
  for (const { message } of settings.problems()) output.talk(`vak: settings: ${message}`);
  const store = { file: files.keyStore, vault, clock, randomness, logger, idleLockMinutes };
  const keyStore = held.add(createFileKeyStore(store));
  return { files, settings, keyStore, held, dispose: () => held.dispose() };
}

/** Throws unless the settings are fit to work with: no secret in them, and the context that is named is there. */
export function checkProfile({ settings }: Profile, { context }: CommonOptions): void {
  const secret = settings.problems().find(({ code }) => code === 'secret-misplaced');
  if (secret !== undefined) throw new VakError('secret-misplaced', `settings: ${secret.message}`);
  if (context === undefined || settings.settings().contexts.some(({ name }) => name === context)) return;
  throw new VakError('invalid-input', '--context: there is none of this name; see vak context ls');
}

/** Opens the profile, runs the work, closes everything. Throws `read-only`. */
export async function withProfile<T>(
  common: CommonOptions,
  host: CliHost,
  work: (profile: Profile) => Promise<T> | T,
): Promise<T> {
  const profile = await openProfile(common, host);
  try {
    refuseReadOnly(profile.settings.settings(), common);
    return await work(profile);
  } finally {
    profile.dispose();
  }
}
