/** A peer's durable plane over a channel to an embedded engine in memory, and ways to change what main serves. */

import { createChannelPlane } from '../../src/engine/bus/channel/channel-plane.ts';
import { serveChannelPlane } from '../../src/engine/bus/channel/channel-plane-host.ts';
import type { Consumer, Delivery, DurablePlane } from '../../src/engine/bus/durable.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { createFakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSeededRandomness } from '../../src/engine/ports/randomness.ts';
import { toText } from '../../src/shared/base/bytes.ts';
import { isVakError, VakError } from '../../src/shared/base/vak-error.ts';
import { openSerialPair } from './channel-pair.ts';

export const subject = 'vak.rooms.ws.r.log';
export const mebibyte = 1024 * 1024;
export const hasCode = (code: string) => (thrown: unknown) => isVakError(thrown) && thrown.code === code;

/** Round trips, and what they set off. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function openPlanes(
  open = openSerialPair,
  change: (plane: DurablePlane) => DurablePlane = (plane) => plane,
) {
  const clock = createFakeClock();
  const logger = createSilentLogger();
  const randomness = createSeededRandomness(5);
  const fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  await fabric.durable.ensureStream({
    ...{ name: 'S', subjects: [subject], retention: 'limits', maxAgeMs: null, maxBytes: null },
    ...{ whenFull: 'refuse-new', dedupeWindowMs: 60_000 },
  });
  await fabric.durable.ensureObjects('OBJ');
  const { peer, host } = open();
  const plane = createChannelPlane({ port: peer, clock, logger });
  const served = serveChannelPlane({ port: host, durable: change(fabric.durable), clock, logger });
  const consumer = async (): Promise<Consumer> => {
    const spec = {
      name: 'c',
      filter: subject,
      ackWaitMs: 30_000,
      maxDeliver: 9,
      maxInFlight: 1_000,
      start: 'all',
    } as const;
    return plane.durable.stream('S').ensureConsumer(spec);
  };
  return { clock, main: fabric.durable, durable: plane.durable, plane, served, peer, host, consumer };
}

/** The engine, whose appends wait until they are let go. */
function withHeldAppends(plane: DurablePlane) {
  const held: (() => void)[] = [];
  const seen: string[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const durable: DurablePlane = {
    ...plane,
    append(name, data, options) {
      seen.push(toText(data.subarray(0, 8)));
      signals.push(options?.signal);
      return new Promise((resolve, reject) => {
        held.push(() => plane.append(name, data, options).then(resolve, reject));
        options?.signal?.addEventListener('abort', () => reject(new VakError('aborted', 'cancelled')));
      });
    },
  };
  return { durable, held, seen, signals };
}

/** The engine, with other deliveries. */
export function withDeliveries(plane: DurablePlane, change: (delivery: Delivery) => Delivery): DurablePlane {
  return {
    ...plane,
    stream(name) {
      const stream = plane.stream(name);
      return {
        ...stream,
        consumer(named) {
          const consumer = stream.consumer(named);
          return { ...consumer, pull: async (options) => (await consumer.pull(options)).map(change) };
        },
      };
    },
  };
}

export async function openHeld() {
  let held: ReturnType<typeof withHeldAppends> | undefined;
  const planes = await openPlanes(openSerialPair, (plane) => {
    held = withHeldAppends(plane);
    return held.durable;
  });
  if (held === undefined) throw new Error('the plane was not served');
  return { ...planes, ...held, durable: planes.durable };
}
