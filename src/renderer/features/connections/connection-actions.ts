/** What can be done with connections from anywhere: the palette lists one entry for each context. */
import type { ConnectionContext } from '../../../shared/contract/connections-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import { showConnections } from '../../state/view-store.ts';
import { publishLack } from '../../ui/connection-words.ts';
import { liveWorkers } from '../../ui/swarm-words.ts';
import type { Workbench } from '../../workbench.tsx';
import { whyNotUse } from './connection-reasons.ts';
import type { ConnectionWork } from './connection-work.ts';

const group = 'Connections';

export interface ConnectionActionsDeps extends Pick<Workbench, 'client' | 'mirror' | 'view' | 'notify'> {
  readonly work: Pick<ConnectionWork, 'store' | 'test' | 'importNats' | 'requestUse'>;
}

/** "Use connection …", one for each context. One that workers would go along to is asked about in the Settings, where it ends too. */
export function createUseActions(
  { client, mirror, view, notify, work }: ConnectionActionsDeps,
  contexts: readonly ConnectionContext[],
): readonly Action[] {
  return contexts.map((context) => ({
    id: `connections.use.${context.name}`,
    title: `Use connection ${context.name}`,
    group,
    disabledReason: () => {
      const state = mirror.getState()['connections.state'];
      return state === undefined ? 'it is not known yet' : whyNotUse(state, context);
    },
    run: async () => {
      const workerCount = liveWorkers(mirror.getState()['swarm.state']);
      if (workerCount > 0) {
        showConnections(view);
        work.requestUse(context, workerCount);
        return;
      }
      await client.connections.use({ name: context.name });
      notify(`The connection ${context.name} is in use.`);
    },
  }));
}

/** The others; what they find stands in the Settings. */
export function createConnectionActions({ mirror, view, work }: ConnectionActionsDeps): readonly Action[] {
  const current = (): string | undefined => mirror.getState()['connections.state']?.current;
  const show = (): void => view.setState({ view: 'settings' });
  return [
    {
      id: 'connections.add',
      title: 'Add a connection…',
      group,
      run: () => work.store.setState({ editing: { context: undefined } }),
    },
    {
      id: 'connections.show',
      title: 'Open the connections',
      group,
      run: () => showConnections(view),
    },
    {
      id: 'connections.test',
      title: 'Test the connection',
      group,
      disabledReason: () => (current() === undefined ? 'it is not known yet' : undefined),
      run: async () => {
        const name = current();
        show();
        if (name !== undefined) await work.test(name);
      },
    },
    {
      id: 'connections.provision',
      title: 'Create the streams of this workspace…',
      group,
      disabledReason: () => publishLack(mirror.getState()['connections.state']),
      run: () => work.store.setState({ isProvisioning: true }),
    },
    {
      id: 'connections.importNats',
      title: 'Import contexts of the nats command line',
      group,
      run: async () => {
        show();
        await work.importNats();
      },
    },
  ];
}
