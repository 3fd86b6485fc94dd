/**
 * The permit of a peer that runs in or under this process, as its grant says (protocol.md A4, A9).
 * Law: its sessions are known by their names, so that its outbox may go on with those of its last process.
 */
import { isSessionOf } from '../ports/randomness.ts';
import { createPermit, type Permit, type PermitOptions } from './permit.ts';

/** Makes it. Throws as {@link createPermit}. */
export function createPeerPermit(options: Omit<PermitOptions, 'ownsSession'>): Permit {
  const { peer } = options;
  return createPermit({ ...options, ownsSession: (session) => isSessionOf(peer, session) });
}
