/**
 * What of the client library's inside is used, as `nats` 2.29.3 has it: it has no option for a paced, cancellable way back.
 * Law: everything of it is named here, and is checked to be there before a connection is used.
 */
import type { NatsConnection as Client } from 'nats';

/** The library's protocol handler. */
export interface ClientInternals {
  /** Whether the server has taken the present connection's credentials. */
  readonly connected: boolean;
  /** What the server said last against the connection. */
  lastError: unknown;
  readonly transport: {
    readonly closeError?: unknown;
    readonly socket?: { destroy(): void } | undefined;
    isEncrypted(): boolean;
  };
  readonly servers: { length(): number };
  isClosed(): boolean;
  /** Fails the try that waits for the server to let it in. */
  readonly connectError?: ((error: unknown) => void) | undefined;
  selectServer(): object | undefined;
  /** Connects to a server once. */
  _doDial(server: object): Promise<void>;
  /** Called after each loss of the connection; the client closes if it rejects. */
  dodialLoop: () => Promise<void>;
}

/** Throws `TypeError` if the library is another than the one that this was written for. */
export function internalsOf(client: Client): ClientInternals {
  const protocol = (client as unknown as { readonly protocol?: Partial<ClientInternals> }).protocol;
  const isKnown =
    typeof protocol?.dodialLoop === 'function' &&
    typeof protocol._doDial === 'function' &&
    typeof protocol.selectServer === 'function' &&
    typeof protocol.connected === 'boolean' &&
    typeof protocol.transport?.isEncrypted === 'function';
  if (!isKnown) throw new TypeError('nats: another version than 2.29.3; look at nats-internals.ts');
  return protocol as ClientInternals;
}
