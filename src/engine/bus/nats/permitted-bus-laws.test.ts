import { afterAll, beforeAll, describe, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { secretFromText } from '../../identity/secret.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import { defineBusLaws } from '../bus-laws.ts';
import { createNatsBus } from './nats-bus.ts';
import { connectToServer } from './nats-connection.ts';

const logger = createSilentLogger();
const clock = createSystemClock();
const randomness = createSystemRandomness();
const inboxPrefix = '_INBOX.ws.laws';
/** No inbox but the peer's own: neither the client's usual ones, nor those of another peer or workspace. */
const permissions = { subscribe: { deny: ['_INBOX.*', '_INBOX.*.*', '_INBOX.ws.other.>', '_INBOX.other.>'] } };

describe('NATS bus of a peer that logs in and has no inbox but its own (A4)', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer({ jetStream: false, users: [{ user: 'laws', password: 'right', permissions }] });
  });
  afterAll(() => server.stop());

  defineBusLaws(it, async () => {
    const connection = await connectToServer({
      ...{ clock, logger, randomness, inboxPrefix },
      servers: [server.url],
      auth: { kind: 'password', user: 'laws', password: secretFromText('right') },
      name: 'laws',
    });
    const bus = createNatsBus({ connection, inboxPrefix, clock, logger, randomness });
    return {
      bus,
      async settle() {
        await connection.ping();
        for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      },
      async close() {
        await bus.close();
        await connection.close();
      },
    };
  });
});
