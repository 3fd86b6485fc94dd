/** `vak id backup|restore`: the whole key store, sealed, out of the profile and back. */
import { resolve } from 'node:path';
import { settleOwnRecords } from '../../engine/identity/own-records.ts';
import { readBackupFile } from '../../engine/identity/read-backup-file.ts';
import { prepareNote } from './backups.ts';
import type { Command } from './command.ts';
import { passNeed } from './example-needs.ts';
import { checkInputFile } from './input-file.ts';
import { writeNewFile } from './new-file.ts';
import {
  backupPassphraseFileName,
  ofBackup,
  readNewPassphrase,
  restoreKeyStore,
  unlockKeyStore,
} from './passphrase.ts';
import { checkProfile, withProfile } from './profile.ts';
import { openPlaces } from './workspace.ts';

const backup: Command = {
  words: ['id', 'backup'],
  changes: 'machine',
  args: ['FILE'],
  options: {},
  summary: 'Writes the whole key store, sealed under a passphrase of its own, to a new file.',
  notes: `Prints {path, sizeBytes}. The backup's passphrase is read from the file that ${backupPassphraseFileName} names, or asked for.
A file that is there is not overwritten. Grants given to others are not in it. When it was made, and what has changed since, is told by
vak id show and vak doctor.`,
  needs: '~/backup-pass holds a passphrase of 10 characters at least, mode 0600',
  example: `${backupPassphraseFileName}=~/backup-pass vak id backup vak.backup`,
  async run({ args, common }, host) {
    const path = resolve(args[0] ?? '');
    return await withProfile(common, host, async (profile) => {
      checkProfile(profile, common);
      await unlockKeyStore(profile.keyStore, host);
      const passphrase = await readNewPassphrase(ofBackup, host);
      try {
        const bytes = await profile.keyStore.backup(passphrase);
        const note = await prepareNote(profile, { how: 'made', contents: profile.keyStore.read() }, host);
        await writeNewFile(path, bytes);
        await note();
        host.output.data({ path, sizeBytes: bytes.length }, path);
      } finally {
        passphrase.dispose();
      }
      return undefined;
    });
  },
};

const restore: Command = {
  words: ['id', 'restore'],
  changes: 'machine',
  args: ['FILE'],
  options: {},
  summary: 'Replaces the key store by that of a backup; what stood there is set aside.',
  notes: `Prints {path, identities: [names]}. Two passphrases: the backup's (${backupPassphraseFileName}), and the one that opens the key store
from now on (VAK_PASSPHRASE_FILE); or both are asked for.`,
  needs: `vak.backup is what vak id backup wrote, ~/backup-pass (mode 0600) holds its passphrase; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass ${backupPassphraseFileName}=~/backup-pass vak id restore vak.backup`,
  async run({ args, common }, host) {
    const path = resolve(args[0] ?? '');
    await checkInputFile(path);
    const bytes = await readBackupFile(path);
    return await withProfile(common, host, async (profile) => {
      checkProfile(profile, common);
      await restoreKeyStore(profile.keyStore, bytes, host);
      const contents = profile.keyStore.read();
      await (await prepareNote(profile, { how: 'restored', contents }, host))();
      for (const { workspace } of contents.workspaces) {
        const open = await openPlaces(profile, workspace, host);
        await settleOwnRecords(profile.keyStore, { workspace, clock: host.clock }, open);
      }
      const identities = contents.identities.map(({ peer }) => peer);
      host.output.talk('grants of others are in no backup: see vak grant ls');
      host.output.data({ path, identities }, identities.join('\n'));
      return undefined;
    });
  },
};

export const idBackupCommands: readonly Command[] = [backup, restore];
