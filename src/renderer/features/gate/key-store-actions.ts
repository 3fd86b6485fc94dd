/** What can be done with the open key store. Where a secret is needed, main asks for it in a window of its own. */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Action } from '../../actions/action-registry.ts';
import type { Workbench } from '../../workbench.tsx';

/** Closing main's window is an answer, not a failure. */
async function unlessClosed(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isVakError(error, 'aborted')) throw error;
  }
}

export function createKeyStoreActions(
  { client, notify }: Pick<Workbench, 'client' | 'notify'>,
  askRestore: () => void,
): readonly Action[] {
  const group = 'Key store';
  return [
    {
      id: 'identity.lock',
      title: 'Lock the key store',
      group,
      keys: ['Mod+Shift+L'],
      run: () => client.identity.lock({}),
    },
    {
      id: 'identity.backup',
      title: 'Back up the key store…',
      group,
      run: () =>
        unlessClosed(async () => {
          const { path } = await client.identity.backup({});
          notify(`The backup is written, sealed under its passphrase: ${path}`);
        }),
    },
    { id: 'identity.restore', title: 'Restore the key store from a backup…', group, run: askRestore },
    {
      id: 'identity.changePassphrase',
      title: 'Change the passphrase of the key store…',
      group,
      run: () =>
        unlessClosed(async () => {
          await client.identity.changePassphrase({});
          notify('The key store opens with the new passphrase from now on.');
        }),
    },
  ];
}

/** Restores after it was guarded. */
export function restoreKeyStore({ client, notify }: Pick<Workbench, 'client' | 'notify'>): Promise<void> {
  return unlessClosed(async () => {
    await client.identity.restore({});
    notify('The key store is the backup’s now; the one before was set aside.');
  });
}
