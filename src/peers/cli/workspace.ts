/** The workspace that a command works on: the open key store, and where cards and grants lie. */

import type { KeyStoreContents, StoredIdentity } from '../../engine/identity/key-store.ts';
import { settleOwnRecords } from '../../engine/identity/own-records.ts';
import { openWorkspaceRecords, type WorkspaceRecords } from '../../engine/identity/workspace-records.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { unlockKeyStore } from './passphrase.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';

export interface OpenWorkspace extends WorkspaceRecords {
  readonly profile: Profile;
  /** What the key store holds now. */
  contents(): KeyStoreContents;
}

/** Opens the records of the workspace; they are closed with the profile. */
export async function openPlaces(profile: Profile, workspace: string, host: CliHost): Promise<OpenWorkspace> {
  const { clock, randomness, output } = host;
  const report = (error: VakError): void => output.talk(`vak: ${error.message}`);
  const { files, held, keyStore } = profile;
  const records = await openWorkspaceRecords({ files, workspace, clock, randomness, report });
  held.add({ dispose: () => records.dispose() });
  return { ...records, profile, contents: () => keyStore.read() };
}

/** Opens profile, key store and workspace, puts right what a crash left half done, runs the work, closes everything. */
export async function withWorkspace<T>(
  common: CommonOptions,
  host: CliHost,
  work: (open: OpenWorkspace) => Promise<T> | T,
): Promise<T> {
  return await withProfile(common, host, async (profile) => {
    checkProfile(profile, common);
    await unlockKeyStore(profile.keyStore, host);
    const contents = profile.keyStore.read();
    const { workspace } = common;
    if (!contents.workspaces.some((one) => one.workspace === workspace)) {
      throw new VakError(
        'not-found',
        `this profile does not belong to workspace ${workspace}; make one with vak id new`,
      );
    }
    const open = await openPlaces(profile, workspace, host);
    await settleOwnRecords(profile.keyStore, { workspace, clock: host.clock }, open);
    return await work(open);
  });
}

/** The identity of `--identity`, else the only one there is, else the only person. Throws `not-found`, `invalid-input`. */
export function chosenIdentity({ identities }: KeyStoreContents, wanted: string | undefined): StoredIdentity {
  const names = identities.map(({ peer }) => peer).join(', ');
  const people = identities.filter(({ kind }) => kind === 'human');
  const [only] = identities.length === 1 ? identities : people;
  if (wanted === undefined && identities.length > 1 && people.length !== 1) {
    throw new VakError('invalid-input', `--identity: this profile has several, name one of ${names}`);
  }
  const found = wanted === undefined ? only : identities.find(({ peer }) => peer === wanted);
  if (found !== undefined) return found;
  const there = names === '' ? 'it has none' : `it has ${names}`;
  throw new VakError('not-found', `identity: this profile has none of this name, ${there}; make one with vak id new`);
}
