/** What the profile knows of backups of its key store, for commands. */
import { type BackupRecord, openBackupRecord } from '../../engine/identity/backup-record.ts';
import type { KeyStoreContents } from '../../engine/identity/key-store.ts';
import { backupAdvice } from '../../shared/base/backup-words.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { BackupStanding } from '../../shared/contract/identity-contract.ts';
import type { CliHost } from './command.ts';
import type { Profile } from './profile.ts';

/** Opens it; it is closed with the profile. */
async function openBackups({ files, held }: Profile, { clock, randomness, output }: CliHost): Promise<BackupRecord> {
  const report = (error: Error): void => output.talk(`vak: ${error.message}`);
  return held.add(await openBackupRecord({ path: files.backupRecord, clock, randomness, report }));
}

/** Prepares to note what a backup holds, or what came out of one. A failure of that is told, and no failure of the backup. */
export async function prepareNote(
  profile: Profile,
  { how, contents }: { readonly how: 'made' | 'restored'; readonly contents: KeyStoreContents },
  host: CliHost,
): Promise<() => Promise<void>> {
  const tell = (error: unknown): void => {
    if (!isVakError(error)) throw error;
    host.output.talk(`vak: when the last backup was made is not noted: ${error.message}`);
  };
  try {
    const note = (await openBackups(profile, host)).prepare(how, contents);
    return () => note().catch(tell);
  } catch (error) {
    tell(error);
    return () => Promise.resolve();
  }
}

/** How the keys stand to their last backup; without the keys only when that was. Throws what opening a file of the profile throws. */
export async function backupStanding(
  profile: Profile,
  contents: KeyStoreContents | undefined,
  host: CliHost,
): Promise<BackupStanding> {
  const backups = await openBackups(profile, host);
  return contents === undefined ? { last: backups.last(), changed: [] } : backups.standing(contents);
}

/** `2026-11-30T18:20:00.000Z`, or `never`. */
export function backupTime({ last }: BackupStanding): string {
  if (last === null) return 'never';
  return `${new Date(last.atMs).toISOString()}${last.how === 'restored' ? ' (restored from one then)' : ''}`;
}

/** The same, and what it lacks. */
export function backupLine(standing: BackupStanding): string {
  const advice = backupAdvice(standing);
  return `${backupTime(standing)}${advice === undefined ? '' : `. ${advice}`}`;
}
