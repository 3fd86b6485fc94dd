/**
 * The durable plane of the NATS engine on a server of a test.
 * Law: what a test opens here it closes; nothing of it keeps the process alive.
 */

import type { NatsAuth } from '../../src/engine/bus/nats/nats-auth.ts';
import { connectToServer } from '../../src/engine/bus/nats/nats-connection.ts';
import { createNatsPlane, type NatsPlane } from '../../src/engine/bus/nats/nats-plane.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import type { NatsServer } from './nats-server.ts';

/** A plane with its own connection. */
export interface PlaneUnderTest {
  readonly plane: NatsPlane;
  close(): Promise<void>;
}

export interface PlaneOptions {
  readonly timeoutMs?: number;
  readonly auth?: NatsAuth;
}

const inboxPrefix = '_INBOX.ws.tester';

/** Connects; the way back after an outage is quick. */
export async function openNatsPlane(server: NatsServer, options: PlaneOptions = {}): Promise<PlaneUnderTest> {
  const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };
  const { timeoutMs = 3_000, auth } = options;
  const connection = await connectToServer({
    ...{ ...ports, inboxPrefix, servers: [server.url], name: 'plane' },
    ...(auth === undefined ? {} : { auth }),
    timing: { backoffFromMs: 50, backoffCapMs: 200 },
  });
  const plane = createNatsPlane({ ...ports, connection: connection.client, inboxPrefix, timeoutMs });
  return {
    plane,
    async close() {
      plane.close();
      await connection.close();
    },
  };
}

/** Asks until it is so; false after `timeoutMs`. */
export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 8_000): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
