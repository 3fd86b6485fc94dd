/**
 * The fabric as a process that main started sees it: both planes and the status of main's engine, over its private channel.
 * Law: everything goes through main, which decides what this peer may do; when the channel closes everything is `closed`.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { countAppends, createBusCounters } from '../bus-counters.ts';
import type { Fabric } from '../fabric.ts';
import { createChannelBus } from './channel-bus.ts';
import { createChannelPlane } from './channel-plane.ts';
import type { ChannelPort } from './channel-port.ts';
import { createChannelStatus } from './channel-status.ts';

/** What of a fabric goes over a channel. `close` closes the channel, too. */
export type ChannelFabric = Pick<Fabric, 'bus' | 'durable' | 'status' | 'onStatus' | 'close'>;

/** What a peer's fabric is made of. */
export interface ChannelFabricDeps {
  readonly port: ChannelPort;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the peer's end; it closes by itself when the other side has gone. */
export function createChannelFabric(deps: ChannelFabricDeps): ChannelFabric {
  const counters = createBusCounters(deps.clock);
  const bus = createChannelBus({ ...deps, counters });
  const plane = createChannelPlane(deps);
  const status = createChannelStatus(deps);
  return {
    bus,
    durable: countAppends(plane.durable, counters),
    status: status.status,
    onStatus: status.onStatus,
    async close() {
      plane.close();
      try {
        await bus.close();
      } finally {
        status.close();
      }
    },
  };
}
