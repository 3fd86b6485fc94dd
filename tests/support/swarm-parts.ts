/** What a swarm takes beside its processes, for tests that are not about its queue: its workers have nowhere to work. */
import type { Bus } from '../../src/engine/bus/bus.ts';
import type { PeerLink } from '../../src/engine/connections/peer-link.ts';
import type { LocalSwarmDeps } from '../../src/engine/swarm/local-swarm.ts';
import type { WorkPlace } from '../../src/engine/swarm/work-lanes.ts';

/** The ways of all peers to one bus, and to the place where the work is now. */
export function linksOn(
  bus: Bus,
  place: () => WorkPlace | undefined = () => undefined,
): Pick<LocalSwarmDeps, 'linkFor' | 'ownLink'> {
  const linkFor: LocalSwarmDeps['linkFor'] = (_, { onMove }) => ({
    ...{ bus, place, begin: onMove, follow: onMove },
    ...{ problem: () => null, reached: async () => {}, close: async () => {} },
  });
  const ownLink: PeerLink = linkFor('swarm', { onMove: async () => {}, onChange: () => {} });
  return { linkFor, ownLink };
}

type Parts = Pick<LocalSwarmDeps, 'linkFor' | 'ownLink' | 'files' | 'policy' | 'secrets' | 'onDenied'>;

export function swarmPartsOn(bus: Bus, place?: () => WorkPlace | undefined): Parts {
  return {
    ...{ ...linksOn(bus, place), onDenied: () => {}, secrets: () => ({ secrets: [], ended: [] }) },
    files: { outbox: '/nonexistent', directory: '/nonexistent', serials: '/nonexistent' },
    policy: () => ({ acceptPlain: false, acceptUnsigned: false }),
  };
}
