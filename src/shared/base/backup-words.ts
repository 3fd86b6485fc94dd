/** What is said of the last backup of a key store, to people in the app and on the command line. Law: pure; it names no key. */
import type { BackedUpKind, BackupStanding } from '../contract/identity-contract.ts';

const nouns: Readonly<Record<BackedUpKind, readonly [one: string, many: string]>> = {
  identity: ['identity', 'identities'],
  'box-key': ['key for sealed messages', 'keys for sealed messages'],
  root: ['workspace', 'workspaces'],
  secret: ['workspace secret', 'workspace secrets'],
  credential: ['credential', 'credentials'],
  'room-key': ['room key', 'room keys'],
};

/** `1 identity and 2 workspace secrets`: what is new or other since the backup; undefined: nothing. */
export function changedWords({ changed }: Pick<BackupStanding, 'changed'>): string | undefined {
  const parts = changed.map(({ kind, count }) => `${count} ${nouns[kind][count === 1 ? 0 : 1]}`);
  const last = parts.pop();
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** Why there should be a backup now, and what it is good for; undefined: the last one has everything. */
export function backupAdvice(standing: BackupStanding): string | undefined {
  if (standing.last === null) return 'Without a backup these keys are lost with this machine.';
  const changed = changedWords(standing);
  return changed === undefined ? undefined : `Not in it yet, or changed since: ${changed}. Back up again.`;
}
