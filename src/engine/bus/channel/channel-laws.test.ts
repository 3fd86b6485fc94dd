import { describe, it } from 'vitest';
import { type ChannelPair, openMessagePair, openSerialPair } from '../../../../tests/support/channel-pair.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import { defineDurableLaws } from '../durable-laws.ts';
import type { DurableUnderTest } from '../laws/durable-law.ts';
import { createEmbeddedFabric } from '../memory/embedded-fabric.ts';
import { createChannelPlane } from './channel-plane.ts';
import { serveChannelPlane } from './channel-plane-host.ts';

async function open({ peer, host }: ChannelPair): Promise<DurableUnderTest> {
  const clock = createFakeClock();
  const logger = createSilentLogger();
  const randomness = createSystemRandomness();
  const fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  const plane = createChannelPlane({ port: peer, clock, logger });
  const served = serveChannelPlane({ port: host, durable: fabric.durable, clock, logger });
  return {
    durable: plane.durable,
    async advance(ms) {
      // There and back, before and after.
      for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(ms);
      for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    async close() {
      plane.close();
      served.dispose();
      peer.close();
      host.close();
      await fabric.close();
    },
  };
}

describe('a channel to the embedded engine, as Electron copies', () =>
  defineDurableLaws(it.concurrent, () => open(openMessagePair())));
describe('a channel to the embedded engine, as forked processes copy', () =>
  defineDurableLaws(it.concurrent, () => open(openSerialPair())));
