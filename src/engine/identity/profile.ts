/**
 * A profile, opened: its settings, its key store, the records of its workspace (product.md "Configuration").
 * Law: what is found damaged is set aside and said, and never keeps the rest from opening.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { type FileHeadStore, openFileHeadStore } from '../envelope/file-head-store.ts';
import { type IncidentMemory, openIncidentMemory } from '../operations/incident-memory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Vault } from '../ports/vault.ts';
import { type ProfileFiles, profileFiles } from '../settings/profile-files.ts';
import { openSettingsFile, type SettingsFile } from '../settings/settings-file.ts';
import { type BackupRecord, openBackupRecord } from './backup-record.ts';
import { createFileKeyStore, type FileKeyStore } from './file-key-store.ts';
import { openWorkspaceRecords, type WorkspaceRecords } from './workspace-records.ts';

/** How often settings are looked at for changes from outside, ms. */
const watchSettingsMs = 1_000;

export interface Profile {
  readonly files: ProfileFiles;
  readonly settings: SettingsFile;
  readonly keyStore: FileKeyStore;
  readonly records: WorkspaceRecords;
  /** Chain heads of the peers that this profile starts. */
  readonly heads: FileHeadStore;
  /** What outlives a start about incidents. */
  readonly incidents: IncidentMemory;
  /** When its keys were backed up last. */
  readonly backups: BackupRecord;
  /** What was found damaged and set aside while opening; for people. */
  readonly notices: readonly string[];
  /** Locks, writes what was seen, closes. */
  close(): Promise<void>;
}

/** What opening takes. */
export interface ProfileOptions {
  readonly folder: string;
  readonly workspace: string;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

/** Opens the profile in a folder; nothing is made before it is needed. */
export async function openProfile({ folder, workspace, vault, ...ports }: ProfileOptions): Promise<Profile> {
  const { clock, randomness, logger } = ports;
  const files = profileFiles(folder);
  const notices: string[] = [];
  const settings = await openSettingsFile({ file: files.settings, ...ports, watchEveryMs: watchSettingsMs });
  const report = (error: Error): void => logger.warn('profile.damaged', { message: error.message });

  async function openRecords(): Promise<WorkspaceRecords> {
    const options = { files, workspace, clock, randomness, report };
    // Directory, serials and pins are three files: each may be damaged once.
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        return await openWorkspaceRecords(options);
      } catch (error) {
        if (!isVakError(error, 'corrupt')) throw error;
        notices.push(error.message);
      }
    }
    return await openWorkspaceRecords(options);
  }

  const records = await openRecords();
  const heads = await openFileHeadStore({ path: files.heads, clock, randomness, report });
  const incidents = await openIncidentMemory({ path: files.incidents, clock, randomness, report });
  const backups = await openBackupRecord({ path: files.backupRecord, clock, randomness, report });
  const { idleLockMinutes } = settings.settings();
  const keyStore = createFileKeyStore({ file: files.keyStore, vault, ...ports, idleLockMinutes });
  return {
    ...{ files, settings, keyStore, records, heads, incidents, backups, notices },
    async close() {
      keyStore.dispose();
      settings.dispose();
      backups.dispose();
      await incidents.close();
      await heads.close();
      await records.close();
    },
  };
}
