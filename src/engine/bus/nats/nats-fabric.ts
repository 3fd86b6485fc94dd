/**
 * The NATS engine, whole: one connection with its live plane, its durable plane and its status (protocol.md §5).
 * Law: it closes in order: first what waits is delivered, last the connection goes.
 */
import { countAppends, createBusCounters } from '../bus-counters.ts';
import type { Fabric } from '../fabric.ts';
import { createNatsBus } from './nats-bus.ts';
import { connectToServer } from './nats-connection.ts';
import { factsOf } from './nats-facts.ts';
import type { NatsOptions } from './nats-options.ts';
import { createNatsPlane } from './nats-plane.ts';

/**
 * Connects to the first server that answers, and keeps the connection.
 * Throws `disconnected`, `timeout`, `unauthorized`, `tls-required`, `unsupported`, `invalid-input`, `aborted`.
 */
export async function connectNats(options: NatsOptions): Promise<Fabric> {
  const connection = await connectToServer(options);
  const { inboxPrefix, clock, logger, randomness, onError, onDenied } = options;
  if (onDenied !== undefined) connection.onDenied(onDenied);
  const counters = createBusCounters(clock);
  const bus = createNatsBus({ connection, inboxPrefix, clock, logger, randomness, counters, onError });
  const plane = createNatsPlane({ connection: connection.client, inboxPrefix, clock, logger, randomness, onError });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await bus.close();
    plane.close();
    await connection.close();
  }
  return {
    bus,
    durable: countAppends(plane, counters),
    status: () => connection.status(),
    onStatus: (listener) => connection.onStatus(listener),
    facts: () => factsOf(connection.info()),
    ping: () => connection.ping(),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
