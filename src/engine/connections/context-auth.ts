/**
 * Who a context is at its server (product.md "Configuration", protocol.md B9).
 * Law: credentials come whole from one place: files and variables of the environment, else the context's own in the key store, else
 * the profile's there; they are read anew before each try, and what was read is erased.
 */
import { toText } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';
import type { GivenAuth } from '../bus/nats/nats-auth.ts';
import type { NatsTls } from '../bus/nats/nats-options.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import { readSecret, type SecretSources, secretSourceOf } from '../settings/secret-sources.ts';
import { type ContextSecretPart, contextSecretName } from './context-secrets.ts';
import { authOf } from './creds-file.ts';

export interface ContextAuth extends Disposable {
  /** Undefined: there are none, and the server may ask none. Throws `invalid-input`, `limit-exceeded`; erases what was read before. */
  read(): Promise<GivenAuth | undefined>;
  /** Erases what was read, as nobody needs it any more. */
  erase(): void;
  /** The context's own certificates and key; the key lives until this is disposed. Undefined: none. Throws `invalid-input`. */
  tls(): NatsTls | undefined;
}

export interface ContextAuthOptions {
  /** Whose own secrets may be used; undefined: nobody's, as the address is not the context's. */
  readonly context: string | undefined;
  /** Asked each time: the key store may be open by now, or locked again. */
  readonly sources: () => SecretSources;
}

/** JWT and seed, or one of them alone; undefined: neither. */
function jwtAuth(jwt: Secret | undefined, seed: Secret | undefined): GivenAuth | undefined {
  if (jwt !== undefined) return authOf({ jwt, seed });
  return seed === undefined ? undefined : { kind: 'nkey', seed };
}

/** Creates it; nothing is read before it is asked. */
export function createContextAuth({ context, sources }: ContextAuthOptions): ContextAuth {
  let held: Secret[] = [];
  let heldKey: Secret | undefined;

  function erase(): void {
    for (const secret of held) secret.dispose();
    held = [];
  }
  const ownPart = (part: ContextSecretPart): Secret | undefined =>
    context === undefined ? undefined : sources().keyStore?.(contextSecretName(context, part));

  function ownAuth(): GivenAuth | undefined {
    if (context === undefined) return undefined;
    const known = jwtAuth(ownPart('jwt'), ownPart('seed'));
    if (known !== undefined) return known;
    const [user, password, token] = [ownPart('user'), ownPart('password'), ownPart('token')];
    if (user !== undefined && password !== undefined) {
      return { kind: 'password', user: toText(user.reveal()), password };
    }
    return token === undefined ? undefined : { kind: 'token', token };
  }

  /** By the rules of secret-sources; those of the environment are ours to erase. */
  async function namedAuth(from: SecretSources): Promise<GivenAuth | undefined> {
    const jwt = await readSecret(natsJwtName, from);
    if (jwt !== undefined && jwt.source !== 'key-store') held.push(jwt.secret);
    const seed = await readSecret(natsSeedName, from);
    if (seed !== undefined && seed.source !== 'key-store') held.push(seed.secret);
    return jwtAuth(jwt?.secret, seed?.secret);
  }

  return {
    async read() {
      erase();
      const { environment, keyStore } = sources();
      const isInEnvironment = [natsJwtName, natsSeedName].some(
        (name) => secretSourceOf(name, { environment }) !== undefined,
      );
      if (isInEnvironment) return await namedAuth({ environment });
      const own = ownAuth();
      if (own !== undefined || keyStore === undefined) return own;
      return await namedAuth({ environment: {}, keyStore });
    },
    erase,
    tls() {
      const [ca, cert, key] = [ownPart('tlsCa'), ownPart('tlsCert'), ownPart('tlsKey')];
      if (ca === undefined && cert === undefined && key === undefined) return undefined;
      if ((cert === undefined) !== (key === undefined)) {
        const message = `context ${context}: its TLS certificate or the key of it is missing in the key store; import both`;
        throw new VakError('invalid-input', message);
      }
      heldKey?.dispose();
      // The store erases its own when it is locked, and the way back after an outage must not need it open.
      heldKey = key && createSecret(key.reveal().slice());
      return {
        ...(ca === undefined ? {} : { ca: ca.reveal().slice() }),
        ...(cert === undefined ? {} : { cert: cert.reveal().slice() }),
        ...(heldKey === undefined ? {} : { key: heldKey }),
      };
    },
    dispose() {
      erase();
      heldKey?.dispose();
    },
  };
}
