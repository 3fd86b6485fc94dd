/**
 * The app's dealings with key store and identity (product.md "Configuration", protocol.md I1–I4).
 * Law: a secret comes from the operator's prompt and goes to the key store; nothing here returns one, and nothing is made anew unasked.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import { type KeyStoreState, type SelfSummary, startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import { requireSelfTest } from '../crypto/require-self-test.ts';
import type { SelfTestResult } from '../crypto/self-test.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Vault } from '../ports/vault.ts';
import { writeFileAtomically } from './atomic-file.ts';
import type { BackupRecord } from './backup-record.ts';
import { fileError } from './file-error.ts';
import type { FileKeyStore } from './file-key-store.ts';
import type { StoredIdentity } from './key-store.ts';
import { createFirstIdentity, updateAndErase } from './operator-identity.ts';
import { settleOwnRecords } from './own-records.ts';
import { readBackupFile } from './read-backup-file.ts';
import { createSecret, type Secret } from './secret.ts';
import { selfSummary } from './self-summary.ts';
import { openBackup } from './store-backup.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

/** What the service is made of. */
export interface IdentityServiceDeps {
  readonly keyStore: FileKeyStore;
  readonly records: WorkspaceRecords;
  readonly backups: BackupRecord;
  readonly vault: Vault;
  readonly prompt: OperatorPrompt;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly selfTest: SelfTestResult;
  /** What was found damaged while the profile was opened; shown beside the key store's own notices. */
  readonly notices: readonly string[];
  readonly onChange: () => void;
}

export interface IdentityService {
  readonly calls: Services<AppContract>['identity'];
  keyStoreState(): KeyStoreState;
  self(): SelfSummary | null;
  /** The operator's identity; throws `locked`, `not-found`. */
  operator(): StoredIdentity;
  /** At start: opens the key store if that needs nobody. */
  open(): Promise<void>;
  dispose(): void;
}

const newPassphrase = {
  kind: 'new-passphrase',
  label: 'Passphrase',
  hint: 'It encrypts the keys of this profile. Nobody can restore it for you: keep it where you keep such things.',
} as const;

const unlockQuestion = {
  kind: 'passphrase',
  title: 'Unlock the key store',
  hint: 'The keys of this profile are encrypted under your passphrase.',
  label: 'Passphrase',
  action: 'Unlock',
} as const;

/** That a backup has these keys is worth knowing, and no reason for it to fail. */
async function noteBackup(note: () => Promise<void>, logger: Logger): Promise<void> {
  try {
    await note();
  } catch (error) {
    if (!isVakError(error)) throw error;
    logger.warn('identity.backup-not-noted', { code: error.code });
  }
}

/** Creates the service; call `open` once everything stands. */
export function createIdentityService(deps: IdentityServiceDeps): IdentityService {
  const { keyStore, records, backups, vault, prompt, clock, randomness, logger, selfTest, onChange } = deps;
  const { workspace } = records;
  const held = createDisposer();

  function keyStoreState(): KeyStoreState {
    const own = keyStore.state();
    const state = { ...own, notices: [...deps.notices, ...own.notices] };
    if (selfTest.ok) return state;
    const reason = `Known answers did not come out: ${selfTest.failed.join(', ')}. Nothing is opened with this runtime.`;
    return { ...state, kind: 'self-test-failed', reason };
  }

  function findOperator(): StoredIdentity | undefined {
    if (keyStore.state().kind !== 'unlocked') return undefined;
    const { identities, workspaces } = keyStore.read();
    return workspaces.some((one) => one.workspace === workspace)
      ? identities.find(({ kind }) => kind === 'human')
      : undefined;
  }

  function self(): SelfSummary | null {
    const identity = findOperator();
    if (identity === undefined) return null;
    const contents = keyStore.read();
    return selfSummary({ contents, identity, records, backup: backups.standing(contents), nowMs: clock.now() });
  }

  /** Does with a passphrase what the keychain cannot do alone: there is no real one, or it refuses. */
  async function withNewPassphrase(title: string, act: (passphrase?: Secret) => Promise<void>): Promise<void> {
    if (vault.backend().isReal) {
      try {
        return await act();
      } catch (error) {
        if (!isVakError(error, 'invalid-input')) throw error;
      }
    }
    await prompt.askSecret({ ...newPassphrase, title, action: 'Use this passphrase' }, (passphrase) => act(passphrase));
  }

  const options = (passphrase: Secret | undefined) => (passphrase === undefined ? {} : { passphrase });

  /** Puts right what a crash between two files, or a restored backup, left half done. */
  async function settleRecords(): Promise<void> {
    if (findOperator() === undefined) return;
    await settleOwnRecords(keyStore, { workspace, clock }, records);
    onChange();
  }

  async function makeIdentity(peer: string, name: string): Promise<void> {
    const first = { peer, name, workspace, clock, randomness };
    await updateAndErase(keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
    await settleRecords();
  }

  function checkOpen(): void {
    if (keyStore.state().kind !== 'unlocked') throw new VakError('locked', 'the key store is locked; unlock it first');
  }

  async function unlock(): Promise<void> {
    requireSelfTest(selfTest);
    const { kind, slots, keychain } = keyStore.state();
    if (kind === 'unlocked') return;
    const hasPassphrase = slots.includes('passphrase');
    // One that refused before may answer now. Without any slot this says what is wrong, and asks for nothing.
    if (!hasPassphrase || (slots.includes('keychain') && keychain.isReal)) {
      try {
        await keyStore.unlock({});
        return await settleRecords();
      } catch (error) {
        if (!isVakError(error, 'recovery-needed') || !hasPassphrase) throw error;
      }
    }
    await prompt.askSecret(unlockQuestion, (passphrase) => keyStore.unlock({ passphrase }));
    await settleRecords();
  }

  async function backup(): Promise<{ readonly path: string }> {
    checkOpen();
    const path = await prompt.chooseSaveFile({ title: 'Back up the key store', defaultName: 'vak.backup' });
    const title = 'Passphrase of the backup';
    await prompt.askSecret({ ...newPassphrase, title, action: 'Back up' }, async (passphrase) => {
      const bytes = await keyStore.backup(passphrase);
      const note = backups.prepare('made', keyStore.read());
      try {
        await writeFileAtomically(path, bytes);
      } catch (error) {
        throw fileError('write', path, error);
      }
      await noteBackup(note, logger);
    });
    return { path };
  }

  async function restore(): Promise<void> {
    requireSelfTest(selfTest);
    const path = await prompt.chooseOpenFile({ title: 'Restore a backup of the key store' });
    const bytes = await readBackupFile(path);
    let backupPassphrase: Secret | undefined;
    await prompt.askSecret(
      { kind: 'passphrase', title: 'Open the backup', hint: path, label: 'Passphrase of the backup', action: 'Open' },
      async (given) => {
        await openBackup(bytes, given);
        backupPassphrase = createSecret(given.reveal().slice());
      },
    );
    if (backupPassphrase === undefined) return;
    const opened = backupPassphrase;
    try {
      await withNewPassphrase('Passphrase for this machine', (passphrase) =>
        keyStore.restore(bytes, { backupPassphrase: opened, ...options(passphrase) }),
      );
    } finally {
      opened.dispose();
    }
    if (keyStore.state().kind === 'unlocked') await noteBackup(backups.prepare('restored', keyStore.read()), logger);
    await settleRecords();
  }

  for (const one of [keyStore, records.directory, backups]) held.add(one.onChange(onChange));

  return {
    keyStoreState,
    self,
    operator() {
      const found = findOperator();
      if (found !== undefined) return found;
      checkOpen();
      throw new VakError('not-found', 'this profile has no identity yet; finish the first start');
    },
    async open() {
      const { kind, keychain, slots } = keyStore.state();
      if (!selfTest.ok || kind !== 'locked' || !keychain.isReal || !slots.includes('keychain')) return;
      try {
        await keyStore.unlock({});
        await settleRecords();
      } catch (error) {
        // The state says why; the operator decides what to do about it.
        logger.warn('identity.not-opened', { code: isVakError(error) ? error.code : 'internal' });
      }
    },
    calls: {
      async setUp({ peer, displayName }) {
        requireSelfTest(selfTest);
        const { kind } = keyStore.state();
        if (kind === 'absent') {
          await withNewPassphrase('Choose a passphrase', (passphrase) => keyStore.create(options(passphrase)));
        } else if (kind !== 'unlocked' || findOperator() !== undefined) {
          throw new VakError('exists', 'this profile has a key store already; unlock it');
        }
        await makeIdentity(peer, displayName);
      },
      unlock,
      lock: () => keyStore.lock(),
      touch: () => keyStore.touch(),
      backup,
      restore,
      async changePassphrase() {
        checkOpen();
        const title = 'Change the passphrase';
        await prompt.askSecret({ ...newPassphrase, title, action: 'Change' }, (secret) =>
          keyStore.setPassphrase(secret),
        );
      },
      async startAnew({ confirmation, peer, displayName }) {
        requireSelfTest(selfTest);
        if (confirmation !== startAnewPhrase)
          throw new VakError('invalid-input', `confirmation: type “${startAnewPhrase}”`);
        await withNewPassphrase('Choose a passphrase', (passphrase) =>
          keyStore.startAnew({ confirmation, ...options(passphrase) }),
        );
        await makeIdentity(peer, displayName);
      },
    },
    dispose: () => held.dispose(),
  };
}
