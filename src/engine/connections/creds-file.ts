/**
 * A `.creds` file: a user JWT and the seed that belongs to it (protocol.md B9).
 * Law: what is wrong is named, never shown; line ends and surrounding text do not matter, file modes do.
 */

import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import type { NatsAuth } from '../bus/nats/nats-auth.ts';
import { readCreds } from '../bus/nats/nats-auth.ts';
import type { Secret } from '../identity/secret.ts';
import { checkBusSecret } from '../settings/bus-secrets.ts';
import { readSecretFile } from '../settings/secret-file.ts';

/** What proves who a client is. The caller disposes both. */
export interface Creds {
  readonly jwt: Secret;
  /** `SU…` */
  readonly seed: Secret;
}

/** Parses a `.creds` text of at most 64 KiB. Throws `invalid-input`, `invalid-payload` naming the part. */
export function parseCreds(text: Secret): Creds {
  const creds = readCreds(text);
  try {
    checkBusSecret(natsJwtName, creds.jwt);
    checkBusSecret(natsSeedName, creds.seed);
    return creds;
  } catch (error) {
    creds.jwt.dispose();
    creds.seed.dispose();
    throw error;
  }
}

/** Reads a `.creds` file of mode 0600; `field` names what gave the path. Throws `invalid-input`, `invalid-payload`, `limit-exceeded`. */
export async function readCredsFile(path: string, field: string): Promise<NatsAuth & Creds> {
  const text = await readSecretFile(path, field);
  try {
    return { kind: 'jwt', ...parseCreds(text) };
  } finally {
    text.dispose();
  }
}
