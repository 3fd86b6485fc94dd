import { afterAll, beforeAll, describe, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { secretFromText } from '../../identity/secret.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import { defineDurableLaws, defineDurableRestartLaws } from '../durable-laws.ts';
import type { DurableUnderTest, RestartableDurable } from '../laws/durable-law.ts';
import { connectToServer } from './nats-connection.ts';
import { createNatsPlane } from './nats-plane.ts';

const logger = createSilentLogger();
const clock = createSystemClock();
const randomness = createSystemRandomness();
const inboxPrefix = '_INBOX.ws.laws';
/** A peer that hears nothing but its own inbox (A4). */
const users = [{ user: 'laws', password: 'right', permissions: { subscribe: [`${inboxPrefix}.>`] } }];

async function openPlane(server: NatsServer) {
  const connection = await connectToServer({
    ...{ clock, logger, randomness, inboxPrefix },
    servers: [server.url],
    auth: { kind: 'password', user: 'laws', password: secretFromText('right') },
    name: 'laws',
  });
  const plane = createNatsPlane({ connection: connection.client, clock, logger, randomness, inboxPrefix });
  return {
    durable: plane,
    async close() {
      plane.close();
      await connection.close();
    },
  };
}

const advance = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('NATS engine', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer({ users });
  });
  afterAll(() => server.stop());

  defineDurableLaws(it.concurrent, async (): Promise<DurableUnderTest> => ({ ...(await openPlane(server)), advance }));
});

describe('NATS engine and its server, started again', () => {
  defineDurableRestartLaws(it.concurrent, async (): Promise<RestartableDurable> => {
    const server = await startNatsServer({ users });
    let plane = await openPlane(server);
    return {
      durable: plane.durable,
      advance,
      async reopen() {
        await plane.close();
        await server.restart();
        plane = await openPlane(server);
        return plane.durable;
      },
      async close() {
        await plane.close();
        await server.stop();
      },
    };
  });
});
