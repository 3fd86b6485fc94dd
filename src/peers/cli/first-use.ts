/** An identity of `--identity` that is not there yet is made at its first use, as the app gives its own workers theirs (cli.md). */
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { createCredentialIssuer, eraseCredentials } from '../../engine/identity/peer-credentials.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { chosenIdentity, type OpenWorkspace } from './workspace.ts';

/** What it may: what the workers of this machine may. */
export const firstUseRights = { roles: ['worker'], queues: ['local'] } as const;

/** The identity to speak as. Throws what choosing throws if none is named, and `forbidden` if this profile does not hold the root that would grant it something. */
export async function speakingIdentity(
  open: OpenWorkspace,
  { identity: peer }: CommonOptions,
  host: CliHost,
): Promise<StoredIdentity> {
  const isThere = open.contents().identities.some((one) => one.peer === peer);
  if (peer === undefined || isThere) return chosenIdentity(open.contents(), peer);
  const { clock, randomness, output } = host;
  const issue = createCredentialIssuer({ keyStore: open.profile.keyStore, records: open, clock, randomness });
  eraseCredentials(await issue({ peer, ...firstUseRights }));
  output.talk(`vak: identity ${peer} is made, with the role worker of the queue local`);
  return chosenIdentity(open.contents(), peer);
}
