import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { swarmStateOf } from '../../../../tests/support/swarm-state.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { SwarmState, WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import type { Mirror } from '../../state/mirror-store.ts';
import { createViewStore } from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';
import { createSwarmActions } from './swarm-actions.ts';

function setUp(swarm?: Partial<SwarmState>, isReadOnly = false, status = 'connected') {
  const contexts = [{ name: 'prod', isReadOnly }];
  const mirror = createStore<Mirror>(() => ({
    ...(swarm !== undefined && { 'swarm.state': swarmStateOf({ state: 'stopped', ...swarm }) }),
    'connections.state': { contexts, current: 'prod', status: { kind: status } } as unknown as ConnectionsState,
  }));
  const calls = {
    start: vi.fn(async () => {}),
    stop: vi.fn(async () => {}),
    burst: vi.fn(async () => ({ publishedCount: 10_000, session: 'burst-1' })),
  };
  const client = { swarm: calls, developer: calls } as unknown as Workbench['client'];
  const notify = vi.fn();
  const advise = vi.fn();
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  const actions = createSwarmActions({ client, mirror, view, notify, advise }, vi.fn());
  const find = (id: string) => {
    const action = actions.find((one) => one.id === id);
    if (action === undefined) throw new Error(`no ${id}`);
    return action;
  };
  return { actions, find, notify, advise, ...calls };
}

const worker = (state: WorkerSummary['state']) => ({ state }) as WorkerSummary;

describe('actions of the local swarm', () => {
  it.each([
    [undefined, 'it is not known yet', 'it is not known yet'],
    [{ state: 'stopped' }, undefined, 'it is stopped'],
    [{ state: 'starting' }, 'it is starting', undefined],
    [{ state: 'running' }, 'it is running', undefined],
    [{ state: 'stopping' }, 'it is stopping', 'it is stopping'],
    [{ state: 'stopped', workers: [worker('idle')] }, undefined, undefined],
    [{ state: 'stopped', workers: [worker('dead'), worker('ended')] }, undefined, 'it is stopped'],
  ] as const)('with %j: start %s, stop %s', (swarm, start, stop) => {
    const { find } = setUp(swarm);
    expect(find('swarm.start').disabledReason?.()).toBe(start);
    expect(find('swarm.stop').disabledReason?.()).toBe(stop);
  });

  it('B9 whatever publishes is off in a read-only context, and says why; what ends something is not', () => {
    const { actions } = setUp({ state: 'running', workers: [worker('idle')] }, true);
    const reasons = new Map(actions.map(({ id, disabledReason }) => [id, disabledReason?.()]));
    expect(reasons.get('swarm.stop')).toBeUndefined();
    reasons.delete('swarm.stop');
    expect([...reasons.keys()].slice(0, 3)).toEqual(['swarm.start', 'swarm.run', 'developer.burst']);
    expect(new Set(reasons.values())).toEqual(
      new Set(['the connection prod is read-only; use another one or change it in Settings, Connections']),
    );
  });

  it('starts four workers and says so after they have started', async () => {
    const { find, start, notify } = setUp({});
    await find('swarm.start').run();
    expect(start).toHaveBeenCalledWith({ workers: 4 });
    expect(notify).toHaveBeenCalledWith(expect.stringContaining('has started'));
  });

  it('says how many test messages the bus took; fewer than were asked for is not said to be done', async () => {
    const { find, burst, notify, advise } = setUp({});
    await find('developer.burst').run();
    expect(burst).toHaveBeenCalledWith(expect.objectContaining({ count: 10_000, form: 'sealed' }));
    expect(notify).toHaveBeenCalledWith(expect.stringMatching(/10.000.*burst-1/), expect.anything());
    burst.mockResolvedValueOnce({ publishedCount: 9_000, session: 'burst-1' });
    await find('developer.burst').run();
    expect(notify).toHaveBeenCalledTimes(1);
    expect(advise).toHaveBeenCalledWith(expect.stringMatching(/9.000.*of 10.000/));
  });

  it('B8 what would reach nobody is not injected while there is no connection', () => {
    const { find } = setUp({}, false, 'reconnecting');
    expect(find('developer.burst').disabledReason?.()).toMatch(
      /^there is no connection to prod; .* Settings, Connections$/,
    );
    expect(find('developer.tamper.plain').disabledReason?.()).toMatch(
      /^there is no connection to prod; .* Settings, Connections$/,
    );
    expect(find('swarm.start').disabledReason?.()).toBeUndefined();
  });
});
