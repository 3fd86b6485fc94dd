import { describe, expect, it, vi } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Workbench } from '../../workbench.tsx';
import { createKeyStoreActions, restoreKeyStore } from './key-store-actions.ts';

const closed = async () => {
  throw new VakError('aborted', 'the window was closed');
};

function setUp(identity: object) {
  const notify = vi.fn();
  const askRestore = vi.fn();
  const deps = { client: { identity } as unknown as Workbench['client'], notify };
  const actions = createKeyStoreActions(deps, askRestore);
  const run = async (id: string): Promise<void> => {
    await actions.find((action) => action.id === id)?.run();
  };
  return { deps, notify, askRestore, run, actions };
}

describe('actions of the key store', () => {
  it('says where the backup is after it was written', async () => {
    const { run, notify } = setUp({ backup: async () => ({ path: '/b/vak.backup' }) });
    await run('identity.backup');
    expect(notify).toHaveBeenCalledWith(expect.stringContaining('/b/vak.backup'));
  });

  it('says nothing when the window that asks was closed', async () => {
    const { deps, run, notify } = setUp({ backup: closed, changePassphrase: closed, restore: closed });
    await run('identity.backup');
    await run('identity.changePassphrase');
    await restoreKeyStore(deps);
    expect(notify).not.toHaveBeenCalled();
  });

  it('hands every other failure on', async () => {
    const { run, notify } = setUp({
      changePassphrase: async () => {
        throw new VakError('timeout', 'another process holds the file');
      },
    });
    await expect(run('identity.changePassphrase')).rejects.toMatchObject({ code: 'timeout' });
    expect(notify).not.toHaveBeenCalled();
  });

  it('asks before it restores', async () => {
    const restore = vi.fn();
    const { run, askRestore } = setUp({ restore });
    await run('identity.restore');
    expect(askRestore).toHaveBeenCalledOnce();
    expect(restore).not.toHaveBeenCalled();
  });

  it('locks by one key', () => {
    const { actions } = setUp({});
    expect(actions.find(({ id }) => id === 'identity.lock')?.keys).toEqual(['Mod+Shift+L']);
  });
});
