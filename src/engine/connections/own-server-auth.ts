/**
 * A peer's own keys as its credentials at a server that was told of its grant (protocol.md A4, B9, I3).
 * Law: read from the key store before each try while that is open; what was read last serves while it is locked, and is erased at the end.
 */

import { toText } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import { type GivenAuth, type NatsAuth, subjectOf } from '../bus/nats/nats-auth.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import { createSecret, type Secret, secretFromText } from '../identity/secret.ts';
import { signUserJwt } from '../identity/server-jwt.ts';
import { deriveServerKeys } from '../identity/server-keys.ts';
import type { Clock } from '../ports/clock.ts';

/** A peer's own key, and where the root is a JWT as well. */
type OwnAuth = Extract<NatsAuth, { kind: 'nkey' | 'jwt' }>;

export interface OwnServerAuth extends Disposable {
  /** Undefined: no such identity, or the key store was never open. */
  read(): OwnAuth | undefined;
}

export interface OwnServerAuthDeps {
  readonly keyStore: Pick<KeyStore, 'read' | 'state'>;
  readonly workspace: string;
  readonly peer: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** A JWT that is made here ends then; another is made at the next try. Who was revoked is let in by none, as its rights have gone. */
const jwtLifeSeconds = 30 * 24 * 3_600;

/** Creates it; nothing is read before it is asked. */
export function createOwnServerAuth({ keyStore, workspace, peer, clock }: OwnServerAuthDeps): OwnServerAuth {
  let held: { readonly seed: Secret; readonly jwt: Secret | undefined } | undefined;

  function erase(): void {
    held?.seed.dispose();
    held?.jwt?.dispose();
    held = undefined;
  }

  /** Where the root is, its word is as well; a server that asks for none looks at none. */
  function jwtOf({ signSeed }: StoredIdentity): Secret | undefined {
    const found = keyStore.read().workspaces.find((one) => one.workspace === workspace);
    if (found === undefined || found.rootSeed === null || !isToken(peer)) return undefined;
    const keys = deriveServerKeys(workspace, found.rootSeed);
    const signer = createNkeySigner(signSeed);
    try {
      const nowSeconds = Math.floor(clock.now() / 1000);
      const user = { peer, nkey: signer.nkey, notAfter: nowSeconds + jwtLifeSeconds };
      return secretFromText(signUserJwt(user, { keys, nowSeconds }));
    } finally {
      signer.dispose();
      keys.dispose();
    }
  }

  function refresh(): void {
    if (keyStore.state().kind !== 'unlocked') return;
    const identity = keyStore.read().identities.find((one) => one.peer === peer);
    erase();
    if (identity === undefined) return;
    held = { seed: createSecret(identity.signSeed.reveal().slice()), jwt: jwtOf(identity) };
  }

  return {
    read() {
      refresh();
      if (held === undefined) return undefined;
      const { seed, jwt } = held;
      return jwt === undefined ? { kind: 'nkey', seed } : { kind: 'jwt', jwt, seed };
    },
    dispose: erase,
  };
}

/**
 * Credentials as they were given; a JWT alone is proved by the peer's own key (A37). Throws `locked` where that is not to be had,
 * `invalid-input` for the JWT of another key.
 */
export function provenBy(own: Pick<OwnServerAuth, 'read'> | undefined, given: GivenAuth): NatsAuth {
  if (given.kind !== 'jwt-alone') return given;
  const seed = own?.read()?.seed;
  if (seed === undefined) {
    const advice = 'open it, name the peer as --identity, or give a file that has the seed as well';
    throw new VakError('locked', `credentials: a JWT alone needs its peer's own key of the key store; ${advice}`);
  }
  const signer = createNkeySigner(seed);
  const of = subjectOf(toText(given.jwt.reveal()));
  signer.dispose();
  if (of !== undefined && of !== signer.nkey) {
    const advice = 'name the peer whose it is as --identity, or give a file that has its seed as well';
    throw new VakError(
      'invalid-input',
      `credentials: the JWT is of the key ${of}, and the peer has ${signer.nkey}; ${advice}`,
    );
  }
  return { kind: 'jwt', jwt: given.jwt, seed };
}
