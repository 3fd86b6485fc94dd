/**
 * What a connection to a nats-server is made of (protocol.md B9).
 * Law: TLS is demanded by the address or by given certificates, never inferred; no secret is in an address.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Secret } from '../../identity/secret.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Randomness } from '../../ports/randomness.ts';
import type { NatsAuth } from './nats-auth.ts';

/** PEM texts as bytes. With any of them TLS is demanded, whatever the address says. */
export interface NatsTls {
  /** Authorities to trust instead of the system's. */
  readonly ca?: Uint8Array;
  /** The client's own certificate; with `key` for mutual TLS. */
  readonly cert?: Uint8Array;
  readonly key?: Secret;
}

/** A right that the server did not find. Without a subject it did not say which. */
export interface Denied {
  readonly operation: 'publish' | 'subscribe';
  readonly subject: string | undefined;
}

/** Limits in ms; tests make them small. */
export interface NatsTiming {
  /** Between pings. One that is unanswered at the next: `stale`. */
  readonly pingIntervalMs: number;
  /** Pings in a row that go unanswered before the connection counts as lost. */
  readonly lostAfterPings: number;
  /** For one try to connect to one server. */
  readonly dialTimeoutMs: number;
  /** Before the second try of an outage; doubled at each further one, up to the cap, with jitter. */
  readonly backoffFromMs: number;
  readonly backoffCapMs: number;
  /** How long a connection must hold before an outage counts as over. */
  readonly settleMs: number;
}

export const defaultTiming: NatsTiming = {
  pingIntervalMs: 1_500,
  lostAfterPings: 2,
  dialTimeoutMs: 4_000,
  backoffFromMs: 250,
  backoffCapMs: 5_000,
  settleMs: 200,
};

export interface NatsOptions {
  /** `nats://` or `tls://` addresses without a password; the first one that answers is used. */
  readonly servers: readonly string[];
  /** Asked before each try to connect, so that renewed credentials work. */
  readonly auth?: NatsAuth | (() => NatsAuth | undefined | Promise<NatsAuth | undefined>);
  readonly tls?: NatsTls;
  /** How the server names this client in its reports. */
  readonly name: string;
  /** `_INBOX.<ws>.<peer>` (A4). */
  readonly inboxPrefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomness: Randomness;
  /** What the server refused later, when no promise of a caller was left to reject: `unauthorized` that names the subject; and answers that were forged: `corrupt`. */
  readonly onError?: (error: VakError) => void;
  /** Every right that the server did not find, also where a promise was rejected by it. */
  readonly onDenied?: (denied: Denied) => void;
  readonly timing?: Partial<NatsTiming>;
  /** Gives up the first connection. */
  readonly signal?: AbortSignal;
}

/** Checked addresses, and what follows from them. */
export interface Addresses {
  /** `host:port`. */
  readonly hosts: readonly string[];
  /** Names and IP addresses without port. */
  readonly names: readonly string[];
  readonly isTlsDemanded: boolean;
}

const defaultPort = 4222;

function readAddress(address: string): { readonly url: URL; readonly isTls: boolean } {
  const refuse = (why: string): never => {
    throw new VakError('invalid-input', `servers: ${why}`, { details: { field: 'servers' } });
  };
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return refuse(`an address of ${address.length} characters is no URL; write nats://host:port or tls://host:port`);
  }
  if (url.username !== '' || url.password !== '')
    return refuse('an address holds credentials; give them by themselves');
  if (url.protocol === 'ws:' || url.protocol === 'wss:') {
    throw new VakError(
      'unsupported',
      'servers: NATS over WebSocket is not built in; use the nats:// or tls:// address',
      {
        details: { field: 'servers' },
      },
    );
  }
  if (url.protocol !== 'nats:' && url.protocol !== 'tls:') return refuse('an address begins with nats:// or tls://');
  if (url.hostname === '' || !/^\/?$/.test(url.pathname)) return refuse('an address is a host and a port, and no more');
  return { url, isTls: url.protocol === 'tls:' };
}

/** Throws `invalid-input` or `unsupported` for an address that cannot be used; no address is shown. */
export function readAddresses(servers: readonly string[], tls: NatsTls | undefined): Addresses {
  if (servers.length === 0) {
    throw new VakError('invalid-input', 'servers: none is given', { details: { field: 'servers' } });
  }
  const read = servers.map(readAddress);
  return {
    hosts: read.map(({ url }) => `${url.hostname}:${url.port === '' ? defaultPort : url.port}`),
    names: read.map(({ url }) => url.hostname.replace(/^\[|\]$/g, '')),
    isTlsDemanded: tls !== undefined || read.some(({ isTls }) => isTls),
  };
}
