/**
 * The workspace's secrets as keys of envelopes (protocol.md E6, E7).
 * Law: one secret id selects one secret, there is no trial decryption; what is revoked or past its time opens nothing, although
 * its keys were derived before.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { OpenFailure } from '../../shared/contract/trust-report.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Secret } from '../identity/secret.ts';
import type { Clock } from '../ports/clock.ts';

/** A secret by its id; the newest stands last. */
export interface WorkspaceSecretEntry {
  readonly id: string;
  readonly secret: Secret;
  readonly state: 'active' | 'open-only' | 'revoked';
  /** `open-only`: from this time on (ms since the epoch) it opens nothing any more; null: for good. */
  readonly openOnlyUntilMs: number | null;
}

/** Where the secrets are. */
export interface SecretSource {
  /** Ids are unique; of two the first counts. Undefined: locked. */
  secrets(): readonly WorkspaceSecretEntry[] | undefined;
  /** Changes when they do. */
  version(): number;
}

/** The key of a key id, or why there is none. */
export type KeyLookup =
  | { readonly kind: 'key'; readonly key: KeyObject }
  | { readonly kind: 'failed'; readonly failure: OpenFailure };

export interface SecretRegistry {
  /** The key of an envelope that names `keyId` and comes from `agentId`. Never throws. */
  keyFor(keyId: string, agentId: string): KeyLookup;
  /** The newest active secret. Throws `locked`, or `not-found` if none is active. */
  sealing(): { readonly secretId: string };
  /** Drops every derived key. */
  forget(): void;
}

/** What a registry is made of. */
export interface SecretRegistryDeps {
  readonly source: SecretSource;
  readonly clock: Clock;
  /** The operator's aliases: key id → secret id. An alias wins over what a key id of our form says itself. */
  readonly aliases?: () => ReadonlyMap<string, string>;
}

const salt = utf8('vak-bus-hkdf-salt-v1');
const keyLength = 32;
const maxKeyIdLength = 192;
/** Keys that are kept ready: those of twice the sessions that the app follows, as a day has two at its turn. */
const rememberedKeys = 4096;

function deriveKey(secret: Secret, keyId: string): KeyObject {
  const info = utf8(`vak-bus-aes-256-gcm-${keyId}`);
  const derived = new Uint8Array(hkdfSync('sha256', secret.reveal(), salt, info, keyLength));
  try {
    return createSecretKey(derived);
  } finally {
    derived.fill(0);
  }
}

const fail = (kind: OpenFailure['kind'], why: string, culprit: string | null = null): KeyLookup => {
  return { kind: 'failed', failure: { kind, why, culprit } };
};

const locked = fail('locked', 'The key store is locked; unlock it to open this.');

/** Why an entry opens nothing now, if so. */
function refusalOf(entry: WorkspaceSecretEntry, nowMs: number): KeyLookup | undefined {
  const { id, state, openOnlyUntilMs } = entry;
  if (state === 'revoked') {
    return fail('revoked-secret', `Secret ${id} was revoked: nothing that it sealed is opened any more.`);
  }
  if (state === 'open-only' && openOnlyUntilMs !== null && nowMs >= openOnlyUntilMs) {
    const ended = new Date(openOnlyUntilMs).toISOString();
    return fail('expired-secret', `Secret ${id} opened what it had sealed until ${ended}; that time is over.`);
  }
  return undefined;
}

/** Creates a registry over a source of secrets. */
export function createSecretRegistry({ source, clock, aliases }: SecretRegistryDeps): SecretRegistry {
  let keys = createBoundedCache<KeyObject>(rememberedKeys);
  let version: number | undefined;
  let knownAliases: ReadonlyMap<string, string> | undefined;

  function forget(): void {
    keys = createBoundedCache<KeyObject>(rememberedKeys);
  }

  /** The secrets as they are now; keys that were derived from earlier ones are dropped. */
  function currentSecrets(): readonly WorkspaceSecretEntry[] | undefined {
    const secrets = source.secrets();
    const current = source.version();
    if (secrets === undefined || current !== version) forget();
    version = current;
    return secrets;
  }

  /** The secret of an alias; others than before drop the keys that those led to. */
  function aliasNow(keyId: string): string | undefined {
    const current = aliases?.();
    if (current !== knownAliases) forget();
    knownAliases = current;
    return current?.get(keyId);
  }

  /** The id of the one secret that a key id selects. */
  function selectSecret(keyId: string, agentId: string): string | KeyLookup {
    if (keyId.length > maxKeyIdLength) {
      return fail('malformed', `keyid has ${keyId.length} characters; at most ${maxKeyIdLength} are allowed.`, 'keyid');
    }
    const parts = parseKeyId(keyId);
    if (parts !== undefined && parts.peer !== agentId) {
      const why = `keyid is a key of peer ${parts.peer}, but agentid says ${agentId}: one of them was changed.`;
      return fail('malformed', why, 'keyid');
    }
    const secretId = aliasNow(keyId) ?? parts?.secretId;
    if (secretId !== undefined) return secretId;
    const why = 'keyid has not the form secret.peer.day.boot: the envelope comes from other software.';
    return fail(
      'foreign-key',
      `${why} Set an alias from this key id to one of your secrets (setting keyAliases, or --alias KEYID=ID).`,
    );
  }

  function readyKey(secret: Secret, keyId: string): KeyLookup {
    try {
      const key = keys.get(keyId) ?? deriveKey(secret, keyId);
      keys.set(keyId, key);
      return { kind: 'key', key };
    } catch (error) {
      // Erased meanwhile: whoever holds the secrets is locking.
      if (isVakError(error, 'locked')) return locked;
      throw error;
    }
  }

  return {
    keyFor(keyId, agentId) {
      const secretId = selectSecret(keyId, agentId);
      if (typeof secretId !== 'string') return secretId;
      const secrets = currentSecrets();
      if (secrets === undefined) return locked;
      const entry = secrets.find(({ id }) => id === secretId);
      if (entry === undefined) {
        return fail('unknown-secret', `There is no secret ${secretId} here; add it to this workspace to open this.`);
      }
      const refusal = refusalOf(entry, clock.now());
      if (refusal !== undefined) return refusal;
      return readyKey(entry.secret, keyId);
    },
    sealing() {
      const secrets = currentSecrets();
      if (secrets === undefined) throw new VakError('locked', 'the key store is locked; unlock it to seal messages');
      const newest = secrets.findLast(({ state }) => state === 'active');
      if (newest !== undefined) return { secretId: newest.id };
      throw new VakError('not-found', 'no secret of this workspace is active, so nothing can be sealed; add a secret');
    },
    forget,
  };
}
