/** What can be done with chains, for keys, palette and the sheet of keys. */
import type { Action } from '../../actions/action-registry.ts';
import type { Workbench } from '../../workbench.tsx';
import { type ChainWork, readPlace } from './chain-work.ts';

const group = 'Trace';

export function createChainActions(work: ChainWork, view: Workbench['view']): readonly Action[] {
  const { getState } = work.store;
  const noChains = (): string | undefined =>
    view.getState().tracePage === 'chains' ? undefined : 'Chains are not shown';
  const busy = (): string | undefined => (getState().isProving ? 'A file is being asked for' : undefined);
  return [
    {
      ...{ id: 'trace.chains', title: 'Change between trace and chains', group, keys: ['c'] },
      run: () => view.setState({ tracePage: view.getState().tracePage === 'chains' ? 'trace' : 'chains' }),
    },
    {
      ...{ id: 'trace.prove', title: 'Save a proof that an envelope lies in the chain', group, keys: ['p'] },
      disabledReason() {
        const { report, place } = getState();
        if (noChains() !== undefined) return noChains();
        if (report === null || report.seen === null) return 'No chain is shown';
        return readPlace(place) === undefined ? 'Type the place of the envelope: a whole number from 0 on' : busy();
      },
      run: work.prove,
    },
    {
      ...{ id: 'trace.check', title: 'Check a proof that somebody gave you', group },
      disabledReason: busy,
      async run() {
        view.setState({ tracePage: 'chains' });
        await work.check();
      },
    },
  ];
}
