/** Who a command is at a server: from files that the line names, else from the environment, else from the key store (cli.md). */
import type { GivenAuth } from '../../engine/bus/nats/nats-auth.ts';
import type { NatsTls } from '../../engine/bus/nats/nats-options.ts';
import { authOf, readCredsFile } from '../../engine/connections/creds-file.ts';
import { checkClientPair, readCertificates } from '../../engine/connections/tls-parts.ts';
import type { Secret } from '../../engine/identity/secret.ts';
import { readSecretFile } from '../../engine/settings/secret-file.ts';
import { passphraseFileName, type SecretSources, secretSourceOf } from '../../engine/settings/secret-sources.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { natsSeedName } from '../../shared/settings/secret-shape.ts';
import type { CliHost, ConnectionOptions } from './command.ts';
import { openInputFile } from './input-file.ts';
import { unlockKeyStore } from './passphrase.ts';
import type { Profile } from './profile.ts';

/** Credentials of files that the line names. */
interface LineAuth extends Disposable {
  /** Reads the file anew: what was renewed meanwhile is found. */
  read(): Promise<GivenAuth>;
}

/** Undefined if the line names none. Throws `invalid-input`, `invalid-payload`, `limit-exceeded` for a file that is not fit. */
export async function openLineAuth({ creds, nkeyFile }: ConnectionOptions): Promise<LineAuth | undefined> {
  if (creds === undefined && nkeyFile === undefined) return undefined;
  let held: readonly Secret[] = [];
  const erase = (): void => {
    for (const secret of held) secret.dispose();
    held = [];
  };
  async function read(): Promise<GivenAuth> {
    erase();
    if (creds !== undefined) {
      const found = await readCredsFile(creds, '--creds');
      held = [found.jwt, ...(found.seed === undefined ? [] : [found.seed])];
      return authOf(found);
    }
    const seed = await readSecretFile(nkeyFile ?? '', '--nkey-file');
    held = [seed];
    return { kind: 'nkey', seed };
  }
  await read();
  return { read, dispose: erase };
}

/** Whether the environment gives credentials that need no key of the key store, so that nobody asks it. */
function isInEnvironment({ environment }: CliHost): boolean {
  return secretSourceOf(natsSeedName, { environment }) !== undefined;
}

/** Opens the key store where that asks nobody and it may be needed; what it holds counts as long as it is open. */
export async function openSources({ keyStore }: Profile, host: CliHost): Promise<() => SecretSources> {
  const { environment, vault } = host;
  const isAnswered = (environment[passphraseFileName] ?? '') !== '' || vault.backend().isReal;
  const isClosed = keyStore.state().kind !== 'absent' && keyStore.state().kind !== 'unlocked';
  if (isClosed && isAnswered && !isInEnvironment(host)) await unlockKeyStore(keyStore, host);
  return () =>
    keyStore.state().kind === 'unlocked'
      ? { environment, keyStore: (name) => keyStore.read().credentials.get(name) }
      : { environment };
}

const maxPemBytes = 1024 * 1024;

/** A PEM text that is no secret. Throws `invalid-input`, `limit-exceeded`. */
async function readPem(path: string, field: string): Promise<Uint8Array> {
  const handle = await openInputFile(path, field);
  try {
    const { size } = await handle.stat();
    if (size <= maxPemBytes) return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
  throw new VakError('limit-exceeded', `${field}: the file has more than ${maxPemBytes} bytes`);
}

/** Certificates and key of a command line; undefined if it names none. Whoever takes the key disposes it. */
export async function readTlsFiles({ tlsCa, tlsCert, tlsKey }: ConnectionOptions): Promise<NatsTls | undefined> {
  if (tlsCa === undefined && tlsCert === undefined) return undefined;
  const ca = tlsCa === undefined ? undefined : await readPem(tlsCa, '--tls-ca');
  if (ca !== undefined) readCertificates(ca, '--tls-ca');
  const cert = tlsCert === undefined ? undefined : await readPem(tlsCert, '--tls-cert');
  const key = tlsKey === undefined ? undefined : await readSecretFile(tlsKey, '--tls-key');
  try {
    if (cert && key) checkClientPair({ cert: [cert, '--tls-cert'], key: [key, '--tls-key'] });
  } catch (error) {
    key?.dispose();
    throw error;
  }
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
