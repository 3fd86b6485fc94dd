/**
 * A `.creds` file: a user JWT and the seed that belongs to it, or the JWT alone (protocol.md B9, A37).
 * Law: what is wrong is named, never shown; line ends and surrounding text do not matter, file modes do.
 */

import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import { type GivenAuth, readCreds } from '../bus/nats/nats-auth.ts';
import type { Secret } from '../identity/secret.ts';
import { checkBusSecret } from '../settings/bus-secrets.ts';
import { readSecretFile } from '../settings/secret-file.ts';

/** What proves who a client is. The caller disposes both. */
export interface Creds {
  readonly jwt: Secret;
  /** `SU…`; undefined: the peer's own key proves the JWT. */
  readonly seed: Secret | undefined;
}

/** Parses a `.creds` text of at most 64 KiB. Throws `invalid-input`, `invalid-payload` naming the part. */
export function parseCreds(text: Secret): Creds {
  const creds = readCreds(text);
  try {
    checkBusSecret(natsJwtName, creds.jwt);
    if (creds.seed !== undefined) checkBusSecret(natsSeedName, creds.seed);
    return creds;
  } catch (error) {
    creds.jwt.dispose();
    creds.seed?.dispose();
    throw error;
  }
}

/** Reads a `.creds` file of mode 0600; `field` names what gave the path. Throws `invalid-input`, `invalid-payload`, `limit-exceeded`. */
export async function readCredsFile(path: string, field: string): Promise<Creds> {
  const text = await readSecretFile(path, field);
  try {
    return parseCreds(text);
  } finally {
    text.dispose();
  }
}

/** What they are at a server. */
export function authOf({ jwt, seed }: Creds): GivenAuth {
  return seed === undefined ? { kind: 'jwt-alone', jwt } : { kind: 'jwt', jwt, seed };
}
