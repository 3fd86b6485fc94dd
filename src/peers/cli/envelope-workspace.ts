/** What a command about envelopes knows of the workspace: the environment's secret, and what a profile holds, if there is one. */
import { statSync } from 'node:fs';
import type { WorkspaceSecretEntry } from '../../engine/envelope/secret-registry.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import { environmentSecretId, passphraseFileName, readSecret } from '../../engine/settings/secret-sources.ts';
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { refuseSecretInArgv } from './argv-secrets.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { unlockKeyStore } from './passphrase.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';
import { type OpenWorkspace, openPlaces } from './workspace.ts';

export interface EnvelopeWorkspace {
  readonly profile: Profile;
  /** Undefined: there is no key store, it stays locked, or it does not know the workspace; `whyClosed` says which. */
  readonly open: OpenWorkspace | undefined;
  /** In a sentence; undefined if it is open. */
  readonly whyClosed: string | undefined;
  /** Secrets by id, the one to seal with last. */
  readonly secrets: readonly WorkspaceSecretEntry[];
}

/** What is wanted: `secrets` of any source; `grants` if they can be had without asking; `identity`: an open key store. */
export type Wanted = 'secrets' | 'grants' | 'identity';

/** Throws `invalid-input` for a profile that was named and is not there, and for a passphrase's file that cannot be read. */
export async function checkSources({ profile, isProfileGiven, typed }: CommonOptions, host: CliHost): Promise<void> {
  if (isProfileGiven && statSync(profile, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new VakError(
      'invalid-input',
      '--profile: there is no such folder; check the path, or make a profile there with vak id new',
    );
  }
  const path = host.environment[passphraseFileName] ?? '';
  if (path === '') return;
  const passphrase = await readSecretFile(path, passphraseFileName);
  try {
    refuseSecretInArgv(typed, toText(passphrase.reveal()), passphraseFileName);
  } finally {
    passphrase.dispose();
  }
}

/** The secret that `workspaceSecretEnv` names, from a file or the environment; its id is `env`. */
async function environmentSecret(
  { settings }: Profile,
  { typed }: CommonOptions,
  { environment }: CliHost,
): Promise<readonly WorkspaceSecretEntry[]> {
  const name = settings.settings().workspaceSecretEnv;
  const found = await readSecret(name, { environment });
  if (found === undefined) return [];
  try {
    refuseSecretInArgv(typed, toText(found.secret.reveal()), name);
  } catch (error) {
    found.secret.dispose();
    throw error;
  }
  return [{ id: environmentSecretId, secret: found.secret, state: 'active', openOnlyUntilMs: null }];
}

interface Asked {
  readonly workspace: string;
  /** Whether a person may be asked for the passphrase. */
  readonly isNeeded: boolean;
}

/** Opens the workspace of the profile, or says in a sentence why it stays closed. */
async function openIfThere(profile: Profile, asked: Asked, host: CliHost): Promise<OpenWorkspace | string> {
  const { keyStore } = profile;
  if (keyStore.state().kind === 'absent') return 'there is no key store in this profile (--profile)';
  const isAnswered = (host.environment[passphraseFileName] ?? '') !== '' || host.vault.backend().isReal;
  if (!isAnswered && !asked.isNeeded) {
    return `the key store is locked; with ${passphraseFileName} set, what it holds is used too`;
  }
  await unlockKeyStore(keyStore, host);
  const { workspace } = asked;
  if (!keyStore.read().workspaces.some((one) => one.workspace === workspace)) {
    return `this profile does not belong to workspace ${workspace} (--workspace)`;
  }
  return await openPlaces(profile, workspace, host);
}

/** Secrets of the key store under those of the environment. */
function storedSecrets(open: OpenWorkspace | undefined): readonly WorkspaceSecretEntry[] {
  const held = open?.contents().workspaces.find(({ workspace }) => workspace === open.workspace);
  return held?.secrets.filter(({ id }) => id !== environmentSecretId) ?? [];
}

/** Gathers what is wanted, runs the work, erases and closes everything. Throws `invalid-input` if an identity is wanted and there is no workspace. */
export async function withEnvelopeWorkspace<T>(
  { common, wanted }: { readonly common: CommonOptions; readonly wanted: Wanted },
  host: CliHost,
  work: (workspace: EnvelopeWorkspace) => Promise<T> | T,
): Promise<T> {
  await checkSources(common, host);
  return await withProfile(common, host, async (profile) => {
    checkProfile(profile, common);
    const { workspace } = common;
    const own = wanted === 'grants' ? [] : await environmentSecret(profile, common, host);
    try {
      const isNeeded = wanted === 'identity' || (wanted === 'secrets' && own.length === 0);
      const found = await openIfThere(profile, { workspace, isNeeded }, host);
      const [open, whyClosed] = typeof found === 'string' ? [undefined, found] : [found, undefined];
      if (wanted === 'identity' && open === undefined) {
        throw new VakError('invalid-input', `this profile has no workspace ${workspace}; make one with vak id new`);
      }
      const isLocked = profile.keyStore.state().kind === 'locked';
      if (wanted === 'secrets' && isLocked) host.output.talk(`vak: ${whyClosed}`);
      return await work({ profile, open, whyClosed, secrets: [...storedSecrets(open), ...own] });
    } finally {
      for (const { secret } of own) secret.dispose();
    }
  });
}
