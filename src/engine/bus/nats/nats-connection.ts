/**
 * A connection to a nats-server that survives what servers do (protocol.md B8, B9).
 * Law: it is sought again for ever, unless the server refuses the credentials for good; closed, it leaves no socket and no timer.
 */
import { type NatsConnection as Client, connect, ErrorCode, Events, type ServerInfo, type Status } from 'nats';
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createListenerSet, type ListenerSet } from '../../listener-set.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BusStatusSource } from '../bus-status.ts';
import { clientOptions } from './nats-client-options.ts';
import { dial } from './nats-dial.ts';
import { type ClientCertificate, endedEarly, toVakError } from './nats-errors.ts';
import { type ClientInternals, internalsOf } from './nats-internals.ts';
import { createNatsLogin, type NatsLogin } from './nats-login.ts';
import {
  type Addresses,
  type Denied,
  defaultTiming,
  type NatsOptions,
  type NatsTiming,
  readAddresses,
} from './nats-options.ts';
import { checkEncrypted, createRedial } from './nats-redial.ts';
import { createNatsStatus, type NatsStatus } from './nats-status.ts';
import { createNatsWatchdog } from './nats-watchdog.ts';

export interface NatsConnection extends BusStatusSource {
  /** The library's client: one object for the connection's whole life. */
  readonly client: Client;
  /** Whether what is published now goes to a socket; precise at any moment, also within a turn. */
  isUp(): boolean;
  /** Of the server that is connected, or was last. */
  info(): ServerInfo;
  /** Throws `timeout`, `disconnected`, `closed`. */
  ping(): Promise<number>;
  onDenied(listener: (denied: Denied) => void): Disposable;
  /** After each way back, as soon as there is one; `onStatus` waits until it holds. */
  onUp(listener: () => void): Disposable;
  onLost(listener: () => void): Disposable;
  /** Ends it; resolves when the socket is gone. */
  close(): Promise<void>;
}

interface Parts {
  readonly client: Client;
  readonly internals: ClientInternals;
  readonly login: NatsLogin;
  readonly status: NatsStatus;
  readonly timing: NatsTiming;
  readonly options: NatsOptions;
  readonly addresses: Addresses;
}

function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limitMs, () =>
      reject(new VakError('timeout', `ping: no answer within ${limitMs} ms`, { retryable: true })),
    );
    work.then(resolve, reject).finally(() => timer.dispose());
  });
}

/** Reads what the server says by the way; ends with the connection. */
async function readNews({ client, internals, options }: Parts, denied: ListenerSet<Denied>): Promise<void> {
  const { logger } = options;
  const read = (news: Status): void => {
    if (news.type === Events.LDM) {
      logger.info('nats.lame-duck', { servers: internals.servers.length() });
      // With one server there is nowhere to go before it closes.
      if (internals.servers.length() > 1) {
        client
          .flush()
          .then(() => client.reconnect())
          .catch(() => {});
      }
    } else if (news.type === Events.Error) {
      const reason = String(news.data);
      const subject = news.permissionContext?.subject;
      logger.warn('nats.server-error', { reason, subject: subject ?? null });
      if (reason !== ErrorCode.PermissionsViolation) return;
      denied.tell({
        operation: news.permissionContext?.operation === 'subscription' ? 'subscribe' : 'publish',
        subject,
      });
    }
  };
  for await (const news of client.status()) read(news);
}

const isUp = (internals: ClientInternals): boolean => internals.connected && !internals.isClosed();

function watchdogOf({ client, status, timing, options }: Parts, onLost: (error: VakError) => void): Disposable {
  return createNatsWatchdog({
    clock: options.clock,
    intervalMs: timing.pingIntervalMs,
    lostAfterPings: timing.lostAfterPings,
    ping: () => client.flush(),
    bytesIn: () => client.stats().inBytes,
    onAnswer: (rttMs) => status.answered(rttMs),
    onLate: () => status.late(),
    onLost() {
      const message = `connect: the server answered none of ${timing.lostAfterPings} pings`;
      onLost(new VakError('disconnected', message, { retryable: true }));
    },
  });
}

async function pingServer({ client, internals, timing, options }: Parts): Promise<number> {
  const { clock } = options;
  if (client.isClosed()) throw new VakError('closed', 'ping: the connection is closed');
  if (!isUp(internals)) {
    throw new VakError('disconnected', 'ping: the server cannot be reached now', { retryable: true });
  }
  const startMs = clock.monotonic();
  try {
    await within(clock, timing.pingIntervalMs * (timing.lostAfterPings + 1), client.flush());
  } catch (thrown) {
    throw toVakError(thrown, 'ping');
  }
  return clock.monotonic() - startMs;
}

/** Everything that runs while the connection lives. */
function keepAlive(parts: Parts): NatsConnection {
  const { client, internals, login, status, timing, options, addresses } = parts;
  const { clock, logger } = options;
  const life = new AbortController();
  const denied = createListenerSet<Denied>(logger, 'nats.listener-threw');
  const ups = createListenerSet<void>(logger, 'nats.listener-threw');
  const losses = createListenerSet<void>(logger, 'nats.listener-threw');
  let watch: Disposable = createDisposer();
  let info = client.info as ServerInfo;
  /** Why we ended the connection ourselves. */
  let ownCause: VakError | undefined;
  let final: VakError | null = null;
  /** Of the last failure that was logged: an outage of hours is a line, not thousands. */
  let toldCode: string | undefined;

  function begin(): void {
    info = client.info ?? info;
    watch.dispose();
    status.up(client.getServer());
    watch = watchdogOf(parts, (error) => {
      ownCause = error;
      internals.transport.socket?.destroy();
    });
  }
  function lose(cause: unknown): void {
    watch.dispose();
    const error = ownCause ?? (cause === undefined ? null : toVakError(cause, 'connect', addresses.isTlsDemanded));
    ownCause = undefined;
    logger.warn('nats.lost', { code: error?.code ?? null });
    status.lost(error);
    losses.tell();
  }

  internals.dodialLoop = createRedial({
    ...{ internals, login, clock, timing },
    randomness: options.randomness,
    isTlsDemanded: addresses.isTlsDemanded,
    certificate: certificateOf({ options, addresses }),
    signal: life.signal,
    onLost: lose,
    onAttempt: (count) => status.attempt(count),
    onFailed(error) {
      if (error.code !== toldCode) logger.warn('nats.attempt-failed', { code: error.code, message: error.message });
      toldCode = error.code;
      status.failed(error);
    },
    onUp() {
      toldCode = undefined;
      logger.info('nats.connected', { server: client.getServer() });
      begin();
      ups.tell();
    },
    onFinal(error) {
      final = error;
      life.abort();
    },
  });
  const ended = client.closed().then(() => {
    watch.dispose();
    life.abort();
    status.closed(final);
  });
  void readNews(parts, denied);
  begin();

  return {
    client,
    isUp: () => isUp(internals),
    info: () => client.info ?? info,
    status: () => status.status(),
    onStatus: (listener) => status.onStatus(listener),
    onDenied: (listener) => denied.add(listener),
    onUp: (listener) => ups.add(listener),
    onLost: (listener) => losses.add(listener),
    ping: () => pingServer(parts),
    async close() {
      life.abort();
      watch.dispose();
      await client.close();
      await ended;
    },
  };
}

function certificateOf({ options, addresses }: Pick<Parts, 'options' | 'addresses'>): ClientCertificate {
  if (!addresses.isTlsDemanded) return 'no-tls';
  return options.tls?.cert === undefined ? 'missing' : 'shown';
}

/** The first connection. */
async function dialFirst(parts: Pick<Parts, 'login' | 'timing' | 'options' | 'addresses'>): Promise<Client> {
  const { options, addresses } = parts;
  const given = clientOptions(parts);
  let onDead = (): void => {};
  const dead = new Promise<never>((_, reject) => {
    onDead = () => reject(endedEarly(certificateOf(parts)));
  });
  let isLate = false;
  const work = dial(() => connect(given), {
    ...{ clock: options.clock, signal: options.signal },
    discard: (client) => client.close(),
    // With more servers the library goes on to the next one when its time is over.
    ...(addresses.hosts.length === 1 ? { onDead } : {}),
  });
  void work.then(
    (client) => (isLate ? client.close() : undefined),
    () => {},
  );
  try {
    return await Promise.race([work, dead]);
  } catch (error) {
    isLate = true;
    throw error;
  }
}

/** Connects to the first server that answers. Throws `disconnected`, `timeout`, `unauthorized`, `tls-required`, `invalid-input`, `aborted`. */
export async function connectToServer(options: NatsOptions): Promise<NatsConnection> {
  const { clock, logger } = options;
  const addresses = readAddresses(options.servers, options.tls);
  const timing = { ...defaultTiming, ...options.timing };
  const login = createNatsLogin(options.auth, clock, timing.dialTimeoutMs);
  const status = createNatsStatus({ clock, logger, settleMs: timing.settleMs });
  await login.renew();
  try {
    const client = await dialFirst({ options, addresses, login, timing });
    const internals = internalsOf(client);
    try {
      checkEncrypted(internals, addresses.isTlsDemanded);
    } catch (error) {
      await client.close();
      throw error;
    }
    return keepAlive({ client, internals, login, status, timing, options, addresses });
  } catch (thrown) {
    const error = toVakError(thrown, 'connect', addresses.isTlsDemanded);
    if (error.code !== 'unauthorized' || !login.hasExpired()) throw error;
    throw new VakError('unauthorized', 'connect: the credentials have expired; renew them', { cause: thrown });
  } finally {
    login.shut();
  }
}
