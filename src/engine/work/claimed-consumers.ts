/**
 * The consumers that the peers of a workspace claim from: its queues, its inboxes, the supervisor's (protocol.md W1, A35).
 * Law: they follow from grants alone, and one that is there stays as whoever came first made it.
 */
import type { Role } from '../../shared/protocol/roles.ts';
import { explainStorage } from '../../shared/protocol/storage-access.ts';
import type { StreamConsumer } from '../bus/provision.ts';
import { advisoryConsumer, advisoryStreamOf } from './dlq-supervisor.ts';
import { inboxConsumer, inboxStreamOf } from './inbox.ts';
import { queueConsumer, workStreamOf } from './work-queue.ts';

/** A peer as its grant has it. */
export interface ClaimingPeer {
  readonly peer: string;
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
}

/**
 * Those of the peers, each once: where a server enforces access, no peer makes them itself. Throws `invalid-subject` for a name that is
 * no token.
 */
export function claimedConsumers(workspace: string, peers: readonly ClaimingPeer[]): readonly StreamConsumer[] {
  const advisories = { stream: advisoryStreamOf(workspace), spec: advisoryConsumer(workspace) };
  const all = peers.flatMap(({ peer, roles, queues }) => {
    const holder = { workspace, peer, roles, queues: new Set(queues) };
    const tasks = queues.map((queue) => ({
      stream: workStreamOf(workspace),
      spec: queueConsumer({ workspace, queue }),
    }));
    const inbox = { stream: inboxStreamOf(workspace), spec: inboxConsumer(workspace, peer) };
    return [...tasks, inbox, advisories].filter(
      ({ stream, spec }) => explainStorage(holder, 'pull', `consumer.${stream}.${spec.name}`).allowed,
    );
  });
  return [...new Map(all.map((one) => [`${one.stream} ${one.spec.name}`, one])).values()];
}
