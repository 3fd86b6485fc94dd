/**
 * What the client library is told (protocol.md B9).
 * Law: where TLS is demanded it is given, so that nothing is sent before it stands; where it is not, the library does not try it.
 */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { ConnectionOptions, TlsOptions } from 'nats';
import { toText } from '../../../shared/base/bytes.ts';
import type { NatsLogin } from './nats-login.ts';
import type { Addresses, NatsOptions, NatsTiming } from './nats-options.ts';

/** What the library hands on to `node:tls` besides its own fields. */
interface TlsWithNames extends TlsOptions {
  readonly servername?: string;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** Longest timer that there is: our own watchdog pings, the library's stays silent. */
const never = 2 ** 31 - 1;

/**
 * The library gives `node:tls` no name for a server that is addressed by IP, and Node then compares with "localhost".
 * So the certificate of such a server must be for one of the IP addresses that were given.
 */
function checkIdentity(names: readonly string[]): TlsWithNames['checkServerIdentity'] {
  const addresses = names.filter((name) => isIP(name) !== 0);
  return (host, certificate) => {
    if (addresses.length === 0 || names.includes(host)) return checkServerIdentity(host, certificate);
    const verdicts = addresses.map((address) => checkServerIdentity(address, certificate));
    return verdicts.includes(undefined) ? undefined : verdicts[0];
  };
}

function tlsOptions({ tls }: NatsOptions, { names }: Addresses): TlsWithNames {
  const [first] = names;
  const isOneName = first !== undefined && isIP(first) === 0 && names.every((name) => name === first);
  return {
    checkServerIdentity: checkIdentity(names),
    ...(isOneName ? { servername: first } : {}),
    ...(tls?.ca === undefined ? {} : { ca: toText(tls.ca) }),
    ...(tls?.cert === undefined ? {} : { cert: toText(tls.cert) }),
    ...(tls?.key === undefined ? {} : { key: toText(tls.key.reveal()) }),
  };
}

/** Options of the first connection, which hold for those after it too. */
export function clientOptions(from: {
  readonly options: NatsOptions;
  readonly addresses: Addresses;
  readonly login: NatsLogin;
  readonly timing: NatsTiming;
}): ConnectionOptions {
  const { options, addresses, login, timing } = from;
  return {
    servers: [...addresses.hosts],
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    // null: also where the server would offer it.
    tls: addresses.isTlsDemanded ? tlsOptions(options, addresses) : null,
    authenticator: (nonce) => login.answer(nonce),
    timeout: timing.dialTimeoutMs,
    // The system looks up names, and tries all addresses of one.
    resolve: false,
    noRandomize: true,
    reconnect: true,
    ignoreAuthErrorAbort: true,
    pingInterval: never,
    maxPingOut: never,
    noAsyncTraces: true,
  };
}
