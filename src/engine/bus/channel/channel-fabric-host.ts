/**
 * Main's end of a peer's fabric: serves both planes and the status over the peer's channel.
 * Law: the peer gets what the given fabric lets it do; what is a peer's right is decided there and not here.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PeerFabric } from '../fabric.ts';
import { serveChannelBus } from './channel-host.ts';
import { serveChannelPlane } from './channel-plane-host.ts';
import type { ChannelPort } from './channel-port.ts';
import { serveChannelStatus } from './channel-status.ts';

/** What serving a fabric takes. */
export interface ChannelFabricHostDeps {
  readonly port: ChannelPort;
  readonly fabric: PeerFabric;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Serves a fabric over a channel until disposed or until the peer has gone. */
export function serveChannelFabric({ port, fabric, clock, logger }: ChannelFabricHostDeps): Disposable {
  const held = createDisposer();
  held.add(serveChannelBus({ port, bus: fabric.bus, clock, logger }));
  held.add(serveChannelPlane({ port, durable: fabric.durable, clock, logger }));
  held.add(serveChannelStatus({ port, source: fabric }));
  return held;
}
