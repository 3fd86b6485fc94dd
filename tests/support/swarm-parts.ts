/** What a swarm takes beside its processes, for tests that are not about its queue: its workers have nowhere to work. */
import type { Bus } from '../../src/engine/bus/bus.ts';
import type { LocalSwarmDeps } from '../../src/engine/swarm/local-swarm.ts';

type Parts = Pick<LocalSwarmDeps, 'bus' | 'place' | 'files' | 'policy' | 'secrets' | 'onDenied'>;

export function swarmPartsOn(bus: Bus): Parts {
  return {
    ...{ bus, place: () => undefined, onDenied: () => {}, secrets: () => ({ secrets: [], ended: [] }) },
    files: { outbox: '/nonexistent', directory: '/nonexistent', serials: '/nonexistent' },
    policy: () => ({ acceptPlain: false, acceptUnsigned: false }),
  };
}
