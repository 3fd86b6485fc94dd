/**
 * The keys with which a workspace's root speaks to a nats-server: operator, accounts, one signing key a peer (protocol.md A4, I4).
 * Law: each follows from the root's seed alone, so that whoever holds the root holds them, and nothing more is to be kept or lost.
 */
import { Prefix } from 'nkeys.js';
import { Codec } from 'nkeys.js/lib/codec.js';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { createEd25519Signer, type Ed25519Signer } from '../crypto/ed25519.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { decodeNkeySeed } from './nkey.ts';
import type { Secret } from './secret.ts';

/** A key of the server's world: `O…` or `A…`. */
export interface ServerKey extends Ed25519Signer {
  readonly name: string;
}

export interface ServerKeys extends Disposable {
  readonly operator: ServerKey;
  /** The account of the streams, of which nobody is a user; where it was once the peers' too, it is still where they lie. */
  readonly streams: ServerKey;
  /** The account of the streams that are claimed from (A35), of which nobody is a user either. */
  readonly queues: ServerKey;
  /** The account of the peers, which asks those of the streams (A22). */
  readonly peers: ServerKey;
  /** The server's own account, which an operator must name. */
  readonly system: ServerKey;
  /** Signs the JWTs of one peer with one signing key (`U…`): who was granted another key since has nothing of the former. Throws `invalid-subject`. */
  scopeOf(peer: string, nkey: string): ServerKey;
}

const salt = utf8('vak-nats-keys-v1');

/** Derives the keys of a workspace; the seed stays the caller's. Throws `invalid-payload`, `locked`, `invalid-subject`. */
export function deriveServerKeys(workspace: string, rootSeed: Secret): ServerKeys {
  checkToken(workspace, 'workspace');
  const root = decodeNkeySeed(rootSeed.reveal(), 'root');
  const made: ServerKey[] = [];

  function derive(prefix: Prefix, what: string): ServerKey {
    // No token holds a slash: no two infos are the same.
    const info = utf8(`${workspace}/${what}`);
    const seed = runtimePrimitives.hkdfSha256({ ikm: root, salt, info, length: 32 });
    const signer = createEd25519Signer(seed);
    seed.fill(0);
    const key = { ...signer, name: toText(Codec.encode(prefix, signer.publicKey)) };
    made.push(key);
    return key;
  }

  return {
    operator: derive(Prefix.Operator, 'operator'),
    streams: derive(Prefix.Account, 'account'),
    queues: derive(Prefix.Account, 'queues'),
    peers: derive(Prefix.Account, 'peers'),
    system: derive(Prefix.Account, 'system'),
    scopeOf: (peer, nkey) => derive(Prefix.Account, `scope/${checkToken(peer, 'peer')}/${checkToken(nkey, 'nkey')}`),
    dispose() {
      root.fill(0);
      for (const key of made) key.dispose();
    },
  };
}
