/** What the list of what is wrong is made from, out of the mirrored snapshots. Pure. */
import type { Mirror } from '../../state/mirror-store.ts';
import type { ProblemSources } from './problems.ts';

export function problemSources(mirror: Mirror): ProblemSources {
  return {
    flow: mirror['streams.status'],
    swarm: mirror['swarm.state'],
    quarantine: mirror['streams.quarantine'],
    connection: mirror['connections.state'],
    provisioning: mirror['provisioning.state'],
    work: mirror['operations.state'],
    queues: mirror['queues.state'],
  };
}
