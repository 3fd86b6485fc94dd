/** What can be done with the local swarm, and why not at the moment. */
import type { SwarmState } from '../../../shared/contract/swarm-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import { publishLack, readOnlyLack } from '../../ui/connection-words.ts';
import { formatCount } from '../../ui/format.ts';
import { isLiveWorker } from '../../ui/live-worker.ts';
import { publishesWords } from '../../ui/swarm-words.ts';
import type { Workbench } from '../../workbench.tsx';
import { createTamperActions, grantWords } from './tamper-actions.ts';

const startWorkers = 4;
const burst = { session: 'burst', count: 10_000, textLength: 64, form: 'sealed' } as const;

export function createSwarmActions(
  { client, mirror, view, notify, advise }: Pick<Workbench, 'client' | 'mirror' | 'view' | 'notify' | 'advise'>,
  openRunDialog: () => void,
): readonly Action[] {
  const swarm = (): SwarmState | undefined => mirror.getState()['swarm.state'];
  const state = (): string => swarm()?.state ?? 'not known yet';
  // Commands that were given by hand have workers of their own, whether the swarm runs or not.
  const hasWorkers = (): boolean => swarm()?.workers.some(isLiveWorker) ?? false;
  // Whatever publishes is off in a read-only context.
  const readOnly = (): string | undefined => readOnlyLack(mirror.getState()['connections.state']);
  const whyNotPublish = (): string | undefined => publishLack(mirror.getState()['connections.state']);
  const group = 'Local swarm';
  return [
    {
      id: 'swarm.start',
      title: 'Start the local swarm',
      group,
      disabledReason: () => readOnly() ?? (state() === 'stopped' ? undefined : `it is ${state()}`),
      run: async () => {
        await client.swarm.start({ workers: startWorkers });
        const connection = mirror.getState()['connections.state'];
        const where = connection === undefined ? '' : `, and it ${publishesWords(connection)}`;
        notify(`The local swarm has started: its workers take their commands from queue local${where}.`);
      },
    },
    {
      id: 'swarm.stop',
      title: 'Stop the local swarm',
      group,
      disabledReason: () =>
        state() === 'running' || state() === 'starting' || (state() === 'stopped' && hasWorkers())
          ? undefined
          : `it is ${state()}`,
      run: async () => {
        await client.swarm.stop({});
        notify(
          'The local swarm has stopped; nothing that it started is left. Tasks that were not done stay in queue local.',
        );
      },
    },
    {
      id: 'swarm.run',
      title: 'Run a command…',
      group,
      keys: ['Mod+Enter'],
      disabledReason: readOnly,
      run: openRunDialog,
    },
    {
      id: 'developer.burst',
      title: `Publish ${formatCount(burst.count)} test messages (${grantWords})`,
      group: 'Developer',
      disabledReason: whyNotPublish,
      run: async () => {
        const { publishedCount, session } = await client.developer.burst(burst);
        const said = `Published ${formatCount(publishedCount)} test messages of session ${session}`;
        if (publishedCount < burst.count)
          advise(`${said}, of ${formatCount(burst.count)}: the bus took no more at once. Publish again when it has.`);
        else {
          const run = (): void => view.setState({ view: 'streams', selectedSession: session, streamsMode: 'messages' });
          notify(`${said}.`, { label: 'Show them', run, whyNot: null });
        }
      },
    },
    ...createTamperActions({ client, mirror, view, notify }, whyNotPublish),
  ];
}
