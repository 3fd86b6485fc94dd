/** Servers without JetStream for the tests of a file: each ends after its test, the last that was started first. */
import { afterEach } from 'vitest';
import { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.ts';

export interface PreparedNats {
  start(options?: NatsServerOptions): Promise<NatsServer>;
  /** Runs after the test, before what was started or added earlier ends. */
  addEnd(end: () => Promise<void>): void;
}

export function prepareNats(): PreparedNats {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  return {
    async start(options = {}) {
      const server = await startNatsServer({ jetStream: false, ...options });
      ends.push(() => server.stop());
      return server;
    },
    addEnd: (end) => void ends.push(end),
  };
}
