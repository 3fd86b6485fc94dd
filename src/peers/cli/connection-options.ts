/** Options that say where the bus is, and who asks there (cli.md); files are named, no secret is among them. */
import { VakError } from '../../shared/base/vak-error.ts';
import { rowOf } from '../../shared/settings/setting-keys.ts';
import type { ConnectionOptions, OptionSpec } from './command.ts';

export const connectionSpecs: Readonly<Record<string, OptionSpec>> = {
  'nats-url': { value: 'URL', help: 'NATS server to use instead of a context, nats:// or tls://' },
  creds: { value: 'FILE', help: 'credentials file of NATS (JWT and seed, or the JWT alone), mode 0600' },
  'nkey-file': { value: 'FILE', help: 'file with an nkey seed, mode 0600' },
  'tls-ca': { value: 'FILE', help: "authorities to trust instead of the system's, PEM" },
  'tls-cert': { value: 'FILE', help: 'certificate to show, PEM; with --tls-key' },
  'tls-key': { value: 'FILE', help: 'its key, PEM, mode 0600' },
};

function refuse(message: string): never {
  throw new VakError('invalid-input', message);
}

/** An address as settings take it. Throws `invalid-input` that does not show it. */
export function checkUrl(url: string, field: string): string {
  if (rowOf('natsUrl')?.accepts(url) === true) return url;
  return refuse(`${field}: found ${url.length} characters, allowed: nats://host:port or tls://host:port, no password`);
}

/** Reads them. Throws `invalid-input` for those that do not go together. */
export function readConnectionOptions(option: (name: string) => string | undefined): ConnectionOptions {
  const url = option('nats-url');
  const read: ConnectionOptions = {
    natsUrl: url === undefined ? undefined : checkUrl(url, '--nats-url'),
    creds: option('creds'),
    nkeyFile: option('nkey-file'),
    tlsCa: option('tls-ca'),
    tlsCert: option('tls-cert'),
    tlsKey: option('tls-key'),
  };
  if (url !== undefined && option('context') !== undefined) refuse('--nats-url, --context: give one of them');
  if (read.creds !== undefined && read.nkeyFile !== undefined) refuse('--creds, --nkey-file: give one of them');
  if ((read.tlsCert === undefined) !== (read.tlsKey === undefined)) {
    refuse('--tls-cert, --tls-key: one is missing; give both, or neither');
  }
  return read;
}
