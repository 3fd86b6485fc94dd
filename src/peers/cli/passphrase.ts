/** Where a passphrase comes from without a window: the file that a variable names, or the terminal. */

import type { FileKeyStore, KeyStoreWayBack } from '../../engine/identity/file-key-store.ts';
import type { KeyStore } from '../../engine/identity/key-store.ts';
import type { Secret } from '../../engine/identity/secret.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import { passphraseFileName } from '../../engine/settings/secret-sources.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CliHost } from './command.ts';

/** Variable that names the file with the passphrase of a backup. */
export const backupPassphraseFileName = 'VAK_BACKUP_PASSPHRASE_FILE';

const maxTries = 3;

function needFile(variable: string, what: string): VakError {
  const message = `${variable}: is not set; let it name a file (mode 0600) with ${what}, or run this in a terminal`;
  return new VakError('invalid-input', message);
}

interface Wanted {
  readonly variable: string;
  /** For questions and errors: "the key store's passphrase". */
  readonly what: string;
}

const ofKeyStore: Wanted = { variable: passphraseFileName, what: "the key store's passphrase" };
/** What opens a backup. */
export const ofBackup: Wanted = { variable: backupPassphraseFileName, what: "the backup's passphrase" };

async function fromFile({ variable }: Wanted, { environment }: CliHost): Promise<Secret | undefined> {
  const path = environment[variable];
  return path === undefined || path === '' ? undefined : await readSecretFile(path, variable);
}

function isSame(a: Secret, b: Secret): boolean {
  return Buffer.compare(a.reveal(), b.reveal()) === 0;
}

/** A passphrase that is to be used from now on: from the file, or typed twice. Whoever takes it disposes it. */
export async function readNewPassphrase(wanted: Wanted, host: CliHost): Promise<Secret> {
  const given = await fromFile(wanted, host);
  if (given !== undefined) return given;
  const { terminal } = host;
  if (!terminal.isInteractive) throw needFile(wanted.variable, wanted.what);
  const first = await terminal.ask(`New passphrase: ${wanted.what}`);
  const second = await terminal.ask('The same again');
  const isRepeated = isSame(first, second);
  second.dispose();
  if (isRepeated) return first;
  first.dispose();
  throw new VakError('invalid-input', 'passphrase: the two are not the same; try again');
}

/** Hands a passphrase to `attempt`; one that was typed wrong may be typed again. Throws `wrong-passphrase`, `aborted`. */
async function withPassphrase<T>(
  wanted: Wanted,
  host: CliHost,
  attempt: (passphrase: Secret) => Promise<T>,
): Promise<T> {
  const { terminal, output } = host;
  const given = await fromFile(wanted, host);
  if (given === undefined && !terminal.isInteractive) throw needFile(wanted.variable, wanted.what);
  for (let count = 1; ; count++) {
    const passphrase = given ?? (await terminal.ask(`Type ${wanted.what}`));
    try {
      return await attempt(passphrase);
    } catch (error) {
      if (given !== undefined || count === maxTries || !isVakError(error, 'wrong-passphrase')) throw error;
      output.complain(error.message);
    } finally {
      passphrase.dispose();
    }
  }
}

/** Opens the key store of a profile. Throws `not-found`, `locked`, and what unlocking throws. */
export async function unlockKeyStore(keyStore: KeyStore, host: CliHost): Promise<void> {
  const { kind, slots } = keyStore.state();
  if (kind === 'absent')
    throw new VakError('not-found', 'there is no key store in this profile; make one with vak id new');
  if (kind === 'unlocked') return;
  if (host.vault.backend().isReal && slots.includes('keychain')) return await keyStore.unlock({});
  if (kind === 'locked' && !slots.includes('passphrase')) {
    throw new VakError(
      'locked',
      'the key store opens with the keychain of the app only; set a passphrase for it in the app',
    );
  }
  await withPassphrase(ofKeyStore, host, (passphrase) => keyStore.unlock({ passphrase }));
}

/** Whether opening it asks nobody: a keychain or a file answers. */
export function opensUnasked(keyStore: KeyStore, { vault, environment }: CliHost): boolean {
  const isOfKeychain = vault.backend().isReal && keyStore.state().slots.includes('keychain');
  return isOfKeychain || (environment[passphraseFileName] ?? '') !== '';
}

/**
 * What opens the open key store again after it was locked, with nobody there to be asked; whoever takes it disposes it. A key is kept only
 * where a passphrase was typed.
 */
export function wayBackInto(keyStore: FileKeyStore, host: CliHost): KeyStoreWayBack {
  if (!opensUnasked(keyStore, host)) return keyStore.keepWayBack();
  const quiet: CliHost = { ...host, terminal: { ...host.terminal, isInteractive: false } };
  return { unlock: () => unlockKeyStore(keyStore, quiet), dispose: () => {} };
}

/** Makes the key store of a profile, behind a passphrase where there is no real keychain. */
export async function makeKeyStore(keyStore: KeyStore, host: CliHost): Promise<void> {
  if (host.vault.backend().isReal) return await keyStore.create({});
  const passphrase = await readNewPassphrase(ofKeyStore, host);
  try {
    await keyStore.create({ passphrase });
  } finally {
    passphrase.dispose();
  }
}

/** Replaces the key store by a backup, behind a passphrase where there is no real keychain. */
export async function restoreKeyStore(keyStore: KeyStore, backup: Uint8Array, host: CliHost): Promise<void> {
  const passphrase = host.vault.backend().isReal ? undefined : await readNewPassphrase(ofKeyStore, host);
  try {
    await withPassphrase(ofBackup, host, (backupPassphrase) =>
      keyStore.restore(backup, { backupPassphrase, ...(passphrase === undefined ? {} : { passphrase }) }),
    );
  } finally {
    passphrase?.dispose();
  }
}
