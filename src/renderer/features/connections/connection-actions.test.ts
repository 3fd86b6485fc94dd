import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { swarmStateOf } from '../../../../tests/support/swarm-state.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import type { Mirror } from '../../state/mirror-store.ts';
import { createViewStore } from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';
import { createConnectionActions, createUseActions } from './connection-actions.ts';
import { createConnectionWork } from './connection-work.ts';

const common = { url: null, colour: 'grey', isReadOnly: false, credentials: 'none' } as const;
const contexts = [
  { ...common, name: 'embedded', kind: 'embedded' },
  { ...common, name: 'prod', kind: 'remote' },
] as const;

function setUp(state?: Partial<ConnectionsState>) {
  const mirror = createStore<Mirror>(() =>
    state === undefined
      ? {}
      : { 'connections.state': { status: { kind: 'connected', sinceMs: 0 }, ...state } as ConnectionsState },
  );
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  const calls = {
    use: vi.fn(async () => {}),
    test: vi.fn(async () => ({ rttMs: 1, server: null, jetStream: null, missing: [] })),
    importNats: vi.fn(async () => ({ imported: [], skipped: [] })),
    remove: vi.fn(async () => {}),
    importCredentials: vi.fn(async () => ({ isImported: false })),
  };
  const client = { connections: calls } as unknown as Workbench['client'];
  const notify = vi.fn();
  const work = createConnectionWork({ client: calls, notify });
  const deps = { client, mirror, view, notify, work };
  const actions = [...createConnectionActions(deps), ...createUseActions(deps, contexts)];
  const find = (id: string) => {
    const action = actions.find((one) => one.id === id);
    if (action === undefined) throw new Error(`no ${id}`);
    return action;
  };
  return { find, actions, mirror, view, work, notify, ...calls };
}

describe('actions of connections', () => {
  it('there is one to use each context, off for the one in use', async () => {
    const { find, use, notify } = setUp({ current: 'embedded' });
    expect(find('connections.use.embedded').disabledReason?.()).toBe('it is in use already');
    expect(find('connections.use.prod').disabledReason?.()).toBeUndefined();
    await find('connections.use.prod').run();
    expect(use).toHaveBeenCalledWith({ name: 'prod' });
    expect(notify).toHaveBeenCalledWith(expect.stringContaining('prod'));
  });

  it('asks first when workers would go along, and shows where it ends', async () => {
    const { find, use, mirror, view, work } = setUp({ current: 'embedded' });
    const workers = ['idle', 'busy', 'dead'].map((state) => ({ state }) as WorkerSummary);
    mirror.setState({ 'swarm.state': swarmStateOf({ workers }) });
    await find('connections.use.prod').run();
    expect(use).not.toHaveBeenCalled();
    expect(view.getState().view).toBe('settings');
    expect(work.store.getState().moving).toEqual({ context: contexts[1], workerCount: 2 });
  });

  it('says nothing of a use that failed: whoever runs it reports that', async () => {
    const { find, use, notify } = setUp({ current: 'embedded' });
    use.mockRejectedValue(new Error('no route'));
    await expect(Promise.resolve(find('connections.use.prod').run())).rejects.toThrow('no route');
    expect(notify).not.toHaveBeenCalled();
  });

  it('tests the one in use, and shows where the result stands', async () => {
    const { find, test, view } = setUp({ current: 'prod' });
    await find('connections.test').run();
    expect(test).toHaveBeenCalledWith({ name: 'prod' });
    expect(view.getState().view).toBe('settings');
  });

  it('nothing is used or tested before it is known what there is', () => {
    const { find } = setUp();
    expect(find('connections.test').disabledReason?.()).toBe('it is not known yet');
    expect(find('connections.use.prod').disabledReason?.()).toBe('it is not known yet');
  });

  it('imports, and opens the dialog of a new one', async () => {
    const { find, view, work } = setUp({ current: 'embedded' });
    await find('connections.importNats').run();
    expect([view.getState().view, work.store.getState().imported?.kind]).toEqual(['settings', 'done']);
    await find('connections.add').run();
    expect(work.store.getState().editing).toEqual({ context: undefined });
  });
});
