/** A fabric as one peer may use it (protocol.md A4). Law: whatever the peer calls on it is asked of its permit first. */
import type { PeerFabric } from '../bus/fabric.ts';
import type { Permit } from './permit.ts';
import { createPermittedBus } from './permitted-bus.ts';
import { createPermittedPlane } from './permitted-plane.ts';

/** The fabric behind the permit; how its connection is everybody may know. */
export function createPermittedFabric(fabric: PeerFabric, permit: Permit): PeerFabric {
  return {
    bus: createPermittedBus(fabric.bus, permit),
    durable: createPermittedPlane(fabric.durable, permit),
    status: () => fabric.status(),
    onStatus: (listener) => fabric.onStatus(listener),
  };
}
